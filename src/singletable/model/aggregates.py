"""Aggregates: to which item another entity's item belongs, and what it brings there.

The rule stands on the entity that has the number (``orders: int = count_of("Order")``) and is
looked up from the entity whose items are counted, since it is their writes that change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from singletable.errors import DesignError, UsageError

from .fields import Aggregate, CountOf, ExtremeOf
from .keys import field_key
from .schema import Schema
from .templates.annotations import format_of
from .templates.times import Day, Moment, bucket

ONE = Decimal(1)
ZERO = Decimal(0)

Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class AggregateRule:
    """Finds the item whose aggregate an item of a child entity is part of."""

    parent: Schema
    field: str
    declared: Aggregate
    child: Schema
    pairs: tuple[tuple[str, str], ...]
    """Key fields of the parent, each with the field of the child that holds it."""
    convert: Mapping[str, Convert]
    """What makes a key field of a value of the child, where it is not the value itself."""

    @classmethod
    def of(cls, parent: Schema, field: str, declared: Aggregate, child: Schema) -> AggregateRule:
        """Compile the rule of an aggregate for the entity that it is of."""
        match = dict(declared.match)
        given = [(name, *_split(match.pop(name, name))) for name in parent.key_fields]
        _check_match(parent, field, match)
        pairs = tuple((name, mine) for name, mine, _ in given)
        conversions: dict[str, Convert] = {}
        made = cls(parent, field, declared, child, pairs, conversions)
        made.check()
        for name, mine, spec in given:
            if convert := made._conversion(name, mine, spec):
                conversions[name] = convert
        return made

    @property
    def label(self) -> str:
        """Name the field that holds the aggregate."""
        return f"{self.parent.name}.{self.field}"

    @property
    def when(self) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """Give the fields of the child that decide, each with the values that count."""
        return self.declared.when

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields of the child on which the aggregate depends."""
        named = (*(name for _, name in self.pairs), *(name for name, _ in self.when))
        return (*named, self.declared.field) if self.declared.field else named

    @property
    def is_extreme(self) -> bool:
        """Tell whether it is a least or greatest value, which cannot be added to."""
        return isinstance(self.declared, ExtremeOf)

    def owner(self, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Give the key fields of the parent that an item with these values is part of, if any."""
        return self.place(values) if self.takes(values) else None

    def takes(self, values: Mapping[str, Any]) -> bool:
        """Tell whether an item with these values is among those that count."""
        return all(values[name] in allowed for name, allowed in self.declared.when)

    def place(self, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Give the key fields of the parent to which an item with these values belongs, if any."""
        known = {name: values[mine] for name, mine in self.pairs}
        if None in known.values():
            return None
        for name, convert in self.convert.items():
            known[name] = self._converted(convert, name, known[name])
        return known

    def amount(self, values: Mapping[str, Any]) -> Decimal:
        """Give what an item adds: one, or the number that it has."""
        if isinstance(self.declared, CountOf):
            return ONE
        stored = self.child.items.stored(self.declared.field, values[self.declared.field])
        return ZERO if stored is None or "N" not in stored else Decimal(stored["N"])

    def check(self) -> None:
        """Refuse an aggregate that cannot be kept."""
        for needed in self.fields:
            if needed not in self.child.fields:
                raise DesignError(
                    f"{self.label}: {self.child.name} has no field {needed!r}{self._remedy(needed)}"
                )
        self._check_source()
        self._check_number()
        self._check_expiry()
        for keys in self._keys():
            raise DesignError(
                f"{self.label} stands in a key of {keys}, which would be stale with the next item "
                "that comes: a count that the write itself keeps cannot be part of a key; one that "
                'the stream keeps can, of an index: kept_by="stream"'
            )

    def _remedy(self, missing: str) -> str:
        """Say what to write where a field is missing: one that nobody named is of the key."""
        if (missing, missing) in self.pairs:
            return f": {missing}=… says which field of it holds {missing} of {self.parent.name}"
        return f"; it has {', '.join(self.child.fields)}"

    def _keys(self) -> Iterator[str]:
        """Name the keys in which the aggregate must not stand."""
        if self.field in self.parent.key_names:
            yield "the table"
        elif self.declared.kept_by == "transaction":
            for keys in self.parent.indexes.values():
                if self.field in keys.fields:
                    yield keys.index.name or ""

    def _check_source(self) -> None:
        kept = self.child.aggregates.keys() & set(self.fields)
        if kept and self.declared.kept_by == "transaction":
            raise DesignError(
                f"{self.label} is made of {self.child.name}.{min(kept)}, an aggregate itself, and "
                "the write that changes that one does not reach it: one that the stream keeps "
                'follows, kept_by="stream"'
            )

    def _check_number(self) -> None:
        name = self.declared.field
        if not name:
            return
        try:
            kind = field_key("", name, self.child.fields[name]).kind
        except DesignError as fault:
            raise DesignError(f"{self.label}: {self.child.name}.{fault}") from None
        if kind != "N" and not self.is_extreme:
            raise DesignError(
                f"{self.label}: {self.child.name}.{name} is no number, and cannot be added up"
            )

    def _check_expiry(self) -> None:
        """Refuse to count in transactions what goes without one: DynamoDB itself deletes it."""
        expiry = self.child.expiry_field
        if expiry and self.declared.kept_by == "transaction":
            raise DesignError(
                f"{self.label} {self.declared}, and a {self.child.name} expires "
                f"({self.child.name}.{expiry}): DynamoDB deletes it by itself, in no transaction "
                'of the store\'s, and only the stream tells of it: declare it with kept_by="stream"'
            )

    def _conversion(self, name: str, mine: str, spec: str) -> Convert | None:
        theirs = format_of(self.parent.fields[name].annotation)
        if spec:
            if not theirs.textual:
                raise DesignError(f"{self.label}: {mine}:{spec} is text, and {name} is no str")
            return bucket(format_of(self.child.fields[mine].annotation), spec).render
        own = format_of(self.child.fields[mine].annotation)
        if theirs.textual and isinstance(own, Moment | Day):
            raise DesignError(
                f"{self.label}: {name} is text, and {self.child.name}.{mine} is a time: say what "
                f'text it makes, {name}="{mine}:%Y-%m" for a month'
            )
        if not isinstance(theirs, Day):
            return None
        return (lambda value: own.moment(value).date()) if isinstance(own, Moment) else None

    def _converted(self, convert: Convert, name: str, value: Any) -> Any:
        try:
            return convert(value)
        except ValueError as fault:
            raise UsageError(f"{self.label}: {name} from {value!r} is refused: {fault}") from None


def aggregate_rules(schema: Schema) -> Iterator[AggregateRule]:
    """Give the rules of all aggregates that items of an entity are part of."""
    for parent in schema.table.entities.values():
        for name, declared in parent.aggregates.items():
            if declared.entity in schema.kinds:
                yield AggregateRule.of(parent, name, declared, schema)


def _split(place: str) -> tuple[str, str]:
    name, _, spec = place.partition(":")
    return name, spec


def _check_match(parent: Schema, field: str, rest: Mapping[str, Any]) -> None:
    for name, value in rest.items():
        raise DesignError(
            f"{parent.name}.{field}: {name!r} is no key field of {parent.name}, which has "
            f"{', '.join(parent.key_fields)}: if it is the value that counts, say "
            f"when={{{name!r}: {value!r}}}"
        )
