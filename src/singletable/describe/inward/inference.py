"""Key templates found from sample items.

A key is split at the delimiter. A part that is in every item what a field of the item is, plainly
or in one of the ways in which a template can write it, is that field; a word that is the same in
all items is a constant; anything else becomes a field that the items did not have. Every template
that is found is proved on the items: it makes the keys that they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import DesignError, KeyValueError, UsageError
from singletable.model.templates import Template

from .columns import Column, column_of, columns_of
from .drafts import EntityDraft, IndexDraft, slots
from .foreign import ForeignTable, KeySchema
from .grouping import Kind, is_word
from .matching import matching
from .names import field_name, index_label, is_generic

Part = str | tuple[str, ...]


class NoTemplate(UsageError):
    """The keys of sample items have no template in common."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What holds for all entities of a table."""

    delimiter: str
    type_attribute: str | None
    schema_attribute: str = "SchemaVersion"


class Inference:
    """Finds the keys of one entity from its sample items."""

    def __init__(self, table: ForeignTable, kind: Kind, conventions: Conventions) -> None:
        self.table, self.kind, self.conventions = table, kind, conventions
        self.notes: list[str] = []
        apart = (*table.key_attributes, conventions.type_attribute, conventions.schema_attribute)
        self.columns = columns_of(kind.items, [name for name in apart if name])
        for attribute in table.key_attributes:
            if self._is_field(attribute):
                self._add(column_of(kind.items, attribute, field_name(attribute, self.columns)))

    def entity(self) -> EntityDraft:
        """Give the entity, with the indexes that its items are in."""
        primary = self.table.primary
        pk = self._template(primary.pk)
        sk = self._template(primary.sk) if primary.sk else None
        indexes = tuple(self._indexes())
        fields = tuple(column.draft() for column in self.columns.values())
        return EntityDraft(self.kind.name, self.kind.type, pk, sk, fields, indexes)

    def _indexes(self) -> Iterator[IndexDraft]:
        for schema in self.table.indexes:
            try:
                if any(schema.pk in item for item in self.kind.items):
                    yield self._index(schema)
            except NoTemplate as fault:
                self.notes.append(f"{self.kind.name} is not in {schema.index}: {fault}")

    def _index(self, schema: KeySchema) -> IndexDraft:
        before = dict(self.columns)
        try:
            pk = self._side(schema.pk)
            sk = self._side(schema.sk) if schema.sk else None
            when = self._when(schema, pk)
        except NoTemplate:
            self.columns = before
            raise
        label = index_label(schema.index or "", self.columns)
        return IndexDraft(schema.index or "", label, pk, sk, when)

    def _side(self, attribute: str) -> Part | None:
        """Give one side of an index's key; None where it is the table's own key attribute."""
        if attribute in self.table.primary.attributes:
            return None
        column = self._stored_in(attribute)
        if column is not None and column.type is not str:
            return (column.name,)
        return self._template(attribute)

    # One key attribute

    def _is_field(self, attribute: str) -> bool:
        """Tell whether a key attribute is a field itself, and not made for the key."""
        values = [item[attribute] for item in self.kind.items if attribute in item]
        if attribute == self.conventions.type_attribute or not values:
            return False
        texts = [value.get("S") for value in values]
        if None in texts:
            if attribute in self.table.primary.attributes:
                raise UsageError(
                    f"{self.table.name}: the key attribute {attribute} is not text; only text can "
                    "be made by a template"
                )
            return True
        return not is_generic(attribute) and not any(
            self.conventions.delimiter in str(text) for text in texts
        )

    def _stored_in(self, attribute: str) -> Column | None:
        columns = self.columns.values()
        return next((column for column in columns if column.attribute == attribute), None)

    def _template(self, attribute: str) -> str:
        """Find the template of a key attribute, and prove it on the items."""
        rows = [row for row, item in enumerate(self.kind.items) if attribute in item]
        keys = [str(self.kind.items[row][attribute].get("S")) for row in rows]
        split = [key.split(self.conventions.delimiter) for key in keys]
        if len({len(parts) for parts in split}) != 1:
            raise NoTemplate(f"its {attribute} has not always as many parts: {keys[0]!r}, …")
        column = self._stored_in(attribute)
        if column is not None:
            return self._proved(f"{{{column.name}}}", rows, keys)
        parts: list[str] = []
        for number, texts in enumerate(zip(*split, strict=True)):
            alone = len(split[0]) == 1
            before = parts[number - 1] if number else ""
            parts.append(self._part(texts, rows, before, attribute if alone else ""))
        return self._proved(self.conventions.delimiter.join(parts), rows, keys)

    def _proved(self, text: str, rows: Sequence[int], keys: Sequence[str]) -> str:
        types = {column.name: column.type for column in self.columns.values()}
        try:
            template = Template.compile(text, types, delimiter=self.conventions.delimiter)
            made = [template.build(self._values(row)) for row in rows]
        except (DesignError, KeyValueError) as fault:
            raise NoTemplate(str(fault)) from None
        if made != list(keys):
            raise NoTemplate(f"{text!r} would make {made[0]!r} of {keys[0]!r}")
        return text

    def _values(self, row: int) -> dict[str, Any]:
        return {column.name: column.values[row] for column in self.columns.values()}

    # One part of a key

    def _part(self, texts: Sequence[str], rows: Sequence[int], before: str, alone: str) -> str:
        """Write one part of a template: a field, a constant, or a field that is new."""
        field = matching(tuple(self.columns.values()), texts, rows, before)
        if field is not None:
            return field
        if len(set(texts)) == 1 and is_word(texts[0]):
            return texts[0].replace("{", "{{").replace("}", "}}")
        name = alone or (f"{before} id" if before and "{" not in before else f"{self.kind.name} id")
        name = field_name(name, self.columns)
        values: list[Any] = [None] * len(self.kind.items)
        for row, text in zip(rows, texts, strict=True):
            values[row] = text
        self._add(Column(name, alone, str, "str", tuple(values), "" if alone else before))
        return f"{{{name}}}"

    def _add(self, column: Column) -> None:
        self.columns[column.name] = column

    # Which items are in an index

    def _when(self, schema: KeySchema, pk: Part | None) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """Find the field that decides which items are in an index, where their fields do not."""
        items = self.kind.items
        fields = [name for name, _ in slots(pk)] if isinstance(pk, str) else []
        values = [self.columns[field].values for field in fields]
        could = [row for row in range(len(items)) if all(one[row] is not None for one in values)]
        inside = [row for row in could if schema.pk in items[row]]
        outside = [row for row in could if schema.pk not in items[row]]
        if not outside or not isinstance(pk, str):
            return ()
        for column in self.columns.values():
            if column.type not in {str, bool, int} or column.name in fields:
                continue
            held = list(dict.fromkeys(column.values[row] for row in inside))
            others = {column.values[row] for row in outside}
            repeats = len({*held, *others}) < len(could)
            if repeats and None not in held and not others & {*held}:
                return ((column.name, tuple(held)),)
        raise NoTemplate("nothing tells which of its items are in there")
