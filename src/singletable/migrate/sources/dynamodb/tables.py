"""A DynamoDB table that data comes from: its key, its indexes, and the requests that read it.

Every read is consistent. What is found through a global index is read again by its key, so that
it is whole and as it is now; an item that the index does not have yet is found where its key is
known otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from singletable.backends import Backend
from singletable.errors import ResourceNotFoundException, UsageError
from singletable.migrate.sources.source import Id
from singletable.model.table import Table
from singletable.store.batches import get_items, write_items
from singletable.store.context import Context
from singletable.store.drivers import run
from singletable.store.retries import Retries
from singletable.store.steps import Program, Together
from singletable.values import AttributeValue, Item, key_bytes

from .ids import id_of, key_of

R = TypeVar("R")

STRONG = {"ConsistentRead": True}
_NAMED = {"ExpressionAttributeNames", "ExpressionAttributeValues"}


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table as it is described, and the way to it."""

    name: str
    key: tuple[str, ...]
    types: Mapping[str, str]
    """The type of each attribute of a key: S, N or B."""
    indexes: Mapping[str, str]
    """Index by its partition key; of several with one, the index that leaves out the least."""
    sorts: Mapping[str, tuple[str, ...]]
    """The sort key of such an index, by its partition key: items without it are left out."""
    context: Context
    backend: Backend

    @classmethod
    def find(cls, backend: Backend, name: str, retries: Retries) -> SourceTable:
        """Look at a table; one that is not there is refused."""
        context = Context(table=Table(name), table_name=name, retries=retries)
        try:
            answer = run(context.send("DescribeTable", {"TableName": name}), backend)
        except ResourceNotFoundException:
            known = ", ".join(table_names(backend, retries)) or "none"
            raise UsageError(f"There is no table {name!r} to read; there are: {known}") from None
        described = answer["Table"]
        key = _key(described)
        table = Table(name, pk=key[0], sk=key[1] if len(key) > 1 else None)
        return cls(
            name,
            key,
            {
                one["AttributeName"]: one["AttributeType"]
                for one in described["AttributeDefinitions"]
            },
            *_indexes(described),
            Context(table=table, table_name=name, retries=retries),
            backend,
        )

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request about this table; again, where that may help."""
        return self.send_any(operation, {"TableName": self.name, **request})

    def send_any(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request that does not name the table, such as one to its stream."""
        answer: dict[str, Any] = self._run(self.context.send(operation, request))
        return answer

    def id_of(self, item: Item) -> Id:
        """Give the id of an item, or of its key."""
        return id_of(item, self.key)

    def key_of(self, one: Id) -> Item:
        """Give the key that a whole id stands for."""
        return key_of(one, self.key, self.types)

    def get(self, ids: Sequence[Id]) -> list[Item | None]:
        """Read items by their ids; None for one that is not there."""
        keys = [self.key_of(one) for one in ids]
        return self._run(get_items(self.context, keys, consistent=True))

    def put(self, items: Sequence[Item]) -> None:
        """Write items in the place of those with their keys."""
        self._run(write_items(self.context, [{"PutRequest": {"Item": one}} for one in items]))

    def delete(self, ids: Sequence[Id]) -> None:
        """Delete items by their ids."""
        keys = [{"DeleteRequest": {"Key": self.key_of(one)}} for one in ids]
        self._run(write_items(self.context, keys))

    def matching(
        self, column: str, values: Sequence[AttributeValue], known: Known = lambda *_: ()
    ) -> list[list[Item]]:
        """Find the items in which an attribute has each of some values, in the order of their keys.

        ``known`` gives keys of items that an index may not have yet.
        """
        index = self._index(column)
        programs = (
            _by_key(self, column, value)
            if index is None
            else _by_index(self, index, column, value, known(self, column, value))
            for value in values
        )
        return self._run(_together(tuple(programs)))

    def has_any(self, values: Sequence[AttributeValue], narrowed: Mapping[str, Any]) -> list[bool]:
        """Tell of each of some partition keys whether items have it that a filter lets through."""
        programs = (_is_any(self, value, narrowed) for value in values)
        return self._run(_together(tuple(programs)))

    def left_out(self, column: str, names: Container[str]) -> str | None:
        """Name the sort key that an item lacks to be found by an attribute, if it lacks one."""
        wanted = () if column == self.key[0] else self.sorts.get(column, ())
        return next((name for name in wanted if name not in names), None)

    def _index(self, column: str) -> str | None:
        """Name the index that has an attribute for its partition key; None is the table itself."""
        if column == self.key[0]:
            return None
        if column not in self.indexes:
            raise UsageError(
                f"Items of the table {self.name!r} cannot be found by {column!r}, which is neither "
                "its partition key nor that of an index: add a global index with the partition key "
                f"{column!r} (its keys are enough), or leave the relation out"
            )
        return self.indexes[column]

    def _run(self, program: Program[R]) -> R:
        return run(program, self.backend)


Known = Callable[[SourceTable, str, AttributeValue], Iterable[Item]]
"""Gives keys of items in which an attribute has a value, or had lately."""


def table_names(backend: Backend, retries: Retries) -> list[str]:
    """Name all tables that there are."""
    context = Context(table=Table("any-table"), table_name="any-table", retries=retries)
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        answer = run(context.send("ListTables", request), backend)
        names += answer["TableNames"]
        if not (last := answer.get("LastEvaluatedTableName")):
            return names
        request = {"ExclusiveStartTableName": last}


def _together(programs: tuple[Program[R], ...]) -> Program[list[R]]:
    return (yield Together(programs)) if programs else []


def _by_key(table: SourceTable, column: str, value: AttributeValue) -> Program[list[Item]]:
    return (yield from _pages(table.context, {**_query(table, column, value), **STRONG}))


def _by_index(
    table: SourceTable, index: str, column: str, value: AttributeValue, known: Iterable[Item]
) -> Program[list[Item]]:
    found = yield from _pages(table.context, {**_query(table, column, value), "IndexName": index})
    keys = {
        table.id_of(item): {name: item[name] for name in table.key} for item in (*found, *known)
    }
    items = yield from get_items(table.context, list(keys.values()), consistent=True)
    own = [item for item in items if item and item.get(column) == value]
    return sorted(own, key=lambda item: [key_bytes(item[name]) for name in table.key])


def _is_any(
    table: SourceTable, value: AttributeValue, narrowed: Mapping[str, Any]
) -> Program[bool]:
    asked = _query(table, table.key[0], value)
    merged = {name: {**asked.get(name, {}), **narrowed[name]} for name in _NAMED & narrowed.keys()}
    few = {} if narrowed else {"Limit": 1}
    request = {**asked, **narrowed, **merged, **few, **STRONG, "Select": "COUNT"}
    while True:
        answer = yield from table.context.send("Query", request)
        last = answer.get("LastEvaluatedKey")
        if answer["Count"] or not last:
            return bool(answer["Count"])
        request = {**request, "ExclusiveStartKey": last}


def _query(table: SourceTable, column: str, value: AttributeValue) -> dict[str, Any]:
    return {
        "TableName": table.name,
        "KeyConditionExpression": "#column = :value",
        "ExpressionAttributeNames": {"#column": column},
        "ExpressionAttributeValues": {":value": value},
    }


def _pages(context: Context, request: dict[str, Any]) -> Program[list[Item]]:
    items: list[Item] = []
    while True:
        answer = yield from context.send("Query", request)
        items += answer["Items"]
        if not (last := answer.get("LastEvaluatedKey")):
            return items
        request = {**request, "ExclusiveStartKey": last}


def _key(described: dict[str, Any]) -> tuple[str, ...]:
    by_kind = sorted(described["KeySchema"], key=lambda one: str(one["KeyType"]))  # HASH, RANGE
    return tuple(one["AttributeName"] for one in by_kind)


def _indexes(described: dict[str, Any]) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Map the partition keys of usable global indexes to these, and to their sort keys."""
    usable = [
        (_key(one), one["IndexName"])
        for one in described.get("GlobalSecondaryIndexes", ())
        if one.get("IndexStatus", "ACTIVE") == "ACTIVE"
        and sum(part["KeyType"] == "HASH" for part in one["KeySchema"]) == 1
    ]
    # An index with a sort key lacks the items that have no value for it.
    chosen = {key[0]: (key, name) for key, name in sorted(usable, key=lambda one: -len(one[0]))}
    sorts = {first: key[1:] for first, (key, _) in chosen.items()}
    return {first: name for first, (_, name) in chosen.items()}, sorts
