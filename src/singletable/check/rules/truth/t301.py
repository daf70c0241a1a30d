"""T301: what was unique, or is taken for unique, is not kept so."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, UniqueColumns
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.check.uniques import fields_for, holders, is_kept
from singletable.model.keys import Keys
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class T301(Rule):
    """A lookup takes a value for unique, or the source kept it unique, and nothing does so here.

    The index has one item for each value: its partition key is the value, its sort key has nothing
    to tell items apart. In a relational database a unique constraint stood behind such a lookup.
    An index of DynamoDB has none: two items with the same value are both in it, and whoever logs in
    by e-mail gets one of two accounts.

    With `--source URL` the check reads the unique constraints of the database that the data comes
    from, and finds those that no key and no `Unique` keeps any longer. Tables and columns are
    matched with entities and fields by their names; what matches nothing is told in a note. A
    primary key is not looked at: an id that is looked up alone is found by its index, as above.

    Annotate the field, `email: Annotated[str, Unique()]`, and the store keeps it unique, whoever
    writes; within a tenant, `Unique(within="TENANT#{tenant_id}")`.
    """

    name = "lost-uniqueness"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find lookups by what is not unique, and constraints that were lost."""
        yield from self._lookups(design)
        for unique in design.uniques:
            schemas = holders(design, unique.table)
            if not schemas:
                yield self._untold(unique, f"no entity is named like {unique.table}")
            for schema in schemas:
                yield from self._lost(schema, unique)

    def _lost(self, schema: Schema, unique: UniqueColumns) -> Iterator[Finding]:
        held = dict(zip(unique.columns, fields_for(schema, unique.columns), strict=True))
        missing = [column for column, field in held.items() if field is None]
        fields = [field for field in held.values() if field is not None]
        if missing:
            why = f"{schema.name} has no field named like {' and '.join(missing)}"
            yield self._untold(unique, why, schema)
        elif not is_kept(schema, frozenset(fields)):
            yield self.finding(
                f"the source keeps {unique} unique, and nothing keeps two {schema.name} from "
                f"having the same {' and '.join(fields)}",
                f"annotate {fields[-1]}: Annotated[…, Unique({_within(fields[:-1])})]",
                schema=schema,
            )

    def _untold(self, unique: UniqueColumns, why: str, schema: Schema | None = None) -> Finding:
        return self.finding(
            f"the source keeps {unique} unique; whether the design does cannot be told: {why}",
            "see that it is kept: by a key, or by Unique() on the field",
            schema=schema,
            severity="note",
        )

    def _lookups(self, design: Design) -> Iterator[Finding]:
        for schema, _, keys in design.placements:
            field = _looked_up(keys)
            if field is None or field in {*schema.unique, *design.generated, *design.owners}:
                continue
            readers = [one for one in design.readers(schema, keys) if _is_lookup(one)]
            if readers and not _is_whole_key(schema, keys):
                yield self.finding(
                    f"{readers[0].pattern.name}() takes {field} for unique, but nothing keeps two "
                    f"{schema.name} from having the same: the caller then gets either, or both",
                    f"annotate it: {field}: Annotated[…, Unique()]",
                    trace=readers[0],
                    schema=schema,
                    keys=keys,
                    template=next(iter(keys.templates), None),
                )


def _within(fields: list[str]) -> str:
    """Write how a value is unique among the items that share other fields."""
    text = "#".join(f"{field.upper()}#{{{field}}}" for field in fields)
    return f'within="{text}"' if fields else ""


def _looked_up(keys: Keys) -> str | None:
    """Name the one field of a key that has no other; None for another kind of key."""
    fields = set(keys.fields)
    return fields.pop() if len(fields) == 1 and keys.told == fields else None


def _is_whole_key(schema: Schema, keys: Keys) -> bool:
    return schema.key_names <= set(keys.fields)


def _is_lookup(trace: Trace) -> bool:
    """Tell whether a pattern expects one item: a list has pages, of more than one item."""
    if not isinstance(trace.read, Query):
        return False
    size = trace.read.page_max
    return size is None or (size == 1 and trace.source(size) is None)
