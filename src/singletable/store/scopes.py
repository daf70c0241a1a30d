"""Confinement: proof that a request stays in the partitions of one tenant or user.

The proof looks at the request itself, just before it is sent. Every partition key in it must be one
that a template of the design makes from the scope's values, and none that a template makes from
other values of the same fields; what names no partition (a scan), or cannot be read, is refused.
It holds for whatever made the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from singletable.errors import OutOfScope, UsageError
from singletable.expressions import bind
from singletable.model.keys import FieldKey, KeyAttribute, TemplateKey
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.values import AttributeValue, Item

from .context import Guard

Parts = tuple[KeyAttribute, ...]
Place = tuple[str | None, Item]
"""An index (None for the table), and the partition key in it."""


@dataclass(frozen=True)
class Scope:
    """What a store is confined to: fields, each with the one value that it may have."""

    table: Table
    values: Mapping[str, Any]
    within: Guard | None = None
    """The scope that this one narrows: it has to agree too."""
    _rules: dict[str | None, dict[str, Parts]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.values:
            raise UsageError("A scope names at least one field: store.confined(tenant_id=…)")
        for schema in self.table.entities.values():
            for index, parts in _partition_keys(schema):
                if set(self.values) <= {name for part in parts for name in part.fields}:
                    self._rules.setdefault(index, {})[_text(parts)] = parts
        if not self._rules.get(None):
            raise UsageError(
                f"No entity of table {self.table.name!r} has {', '.join(self.values)} in its "
                "partition key: a store cannot be confined so"
            )

    def check(self, operation: str, request: dict[str, Any]) -> None:
        """Raise unless every partition in the request belongs to the scope."""
        if self.within is not None:
            self.within.check(operation, request)
        places = list(_places(operation, request, self.table))
        if not places:
            raise OutOfScope(f"{operation} names no partition: a store of {self} refuses it")
        for index, partition in places:
            if not self._owns(index, partition):
                shown = ", ".join(f"{name} = {value}" for name, value in partition.items())
                raise OutOfScope(
                    f"{operation} reaches {index or 'the table'} at {shown or 'no partition'}, "
                    f"which is not of {self}"
                )

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.values.items())

    def _owns(self, index: str | None, partition: Item) -> bool:
        """Tell whether a partition is made of the scope's values, and never of others."""
        rules = self._rules.get(index, {}).values()
        verdicts = {self._agrees(parts, partition) for parts in rules} - {None}
        return verdicts == {True}

    def _agrees(self, parts: Parts, partition: Item) -> bool | None:
        """Compare what a partition key tells with the scope; None if it is not made of these."""
        agreed: set[str] = set()
        for part in parts:
            value = partition.get(part.attribute, _NOTHING)
            if isinstance(part, FieldKey):
                agreed |= self._agreed_field(part, value)
                continue
            told = part.template.parse(value.get("S", ""))
            if told is None:
                return None
            agreed |= {name for name in told if told[name] == self.values.get(name, _NOTHING)}
        return agreed >= set(self.values)

    def _agreed_field(self, part: FieldKey, value: AttributeValue) -> set[str]:
        name = part.field
        same = name in self.values and part.encode(self.values[name]) == value
        return {name} if same else set()


_NOTHING: AttributeValue = {}


def _partition_keys(schema: Schema) -> Iterator[tuple[str | None, Parts]]:
    """Give the partition keys of an entity, and of the items that keep its promises."""
    for keys in schema.all_keys:
        yield (None if keys.index.local else keys.index.name), keys.pk
    withins = {one.within for one in schema.unique.values()}
    withins |= {one.within for one in schema.sequences.values()}
    for within in filter(None, withins):
        yield None, (TemplateKey(schema.table.pk, schema.template(within, "within")),)


def _text(parts: Parts) -> str:
    return " ".join(
        part.template.text if isinstance(part, TemplateKey) else part.attribute for part in parts
    )


def _places(operation: str, request: dict[str, Any], table: Table) -> Iterator[Place]:
    """Give each partition that a request names; one that cannot be read is empty."""
    match operation, request:
        case (("GetItem" | "UpdateItem" | "DeleteItem" | "PutItem"), _):
            yield _place(request, table)
        case "Query", _:
            yield _queried(request, table)
        case "BatchGetItem", {"RequestItems": tables}:
            for wanted in tables.values():
                yield from (_place({"Key": key}, table) for key in wanted["Keys"])
        case "BatchWriteItem", {"RequestItems": tables}:
            for writes in tables.values():
                yield from (_place(one, table) for write in writes for one in write.values())
        case (("TransactWriteItems" | "TransactGetItems"), {"TransactItems": actions}):
            yield from (_place(one, table) for action in actions for one in action.values())


def _place(content: Mapping[str, Any], table: Table) -> Place:
    key = content.get("Item") or content.get("Key") or {}
    return None, {name: key[name] for name in table.primary.pk if name in key}


_EXPRESSIONS = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")


def _queried(request: dict[str, Any], table: Table) -> Place:
    """Give the partition that a query's key condition names."""
    name = request.get("IndexName")
    index = table.index(name) if name else table.primary
    # All that has placeholders is read: one that nothing uses is an error.
    condition = bind(request, *_EXPRESSIONS).key_condition if _EXPRESSIONS[0] in request else None
    tests = condition.tests if condition is not None else {}
    partition: Item = {}
    for attribute in index.pk:
        equal = tests.get(attribute)
        if equal is not None and equal.operator == "=":
            value = equal.operands[0].read({}, request["ExpressionAttributeValues"])
            partition |= {} if value is None else {attribute: value}
    return (None if index.local else name), partition
