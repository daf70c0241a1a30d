"""What a request would touch, in the words of IAM: actions, resources, and condition keys.

An access is one thing that has to be allowed; a transaction is one for each of its items, a batch
one for each of its tables. Keys of items are read from the request alone: nothing is looked up but
the table's key schema.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from singletable.errors import ResourceNotFoundException
from singletable.expressions import Bound, Node, Path, bind
from singletable.expressions.tree import walk
from singletable.values import AttributeValue, normalize

from .arns import table_name
from .database import Database
from .key_schemas import KeySchema
from .schema import Table

Request = Mapping[str, Any]
Context = dict[str, tuple[str, ...]]
"""Condition keys, without their prefix, and their values."""

LEADING = "LeadingKeys"
ORDINALS = ("First", "Second", "Third", "Fourth")
EXPRESSIONS = {
    "GetItem": ("ProjectionExpression",),
    "PutItem": ("ConditionExpression",),
    "UpdateItem": ("UpdateExpression", "ConditionExpression"),
    "DeleteItem": ("ConditionExpression",),
    "ConditionCheckItem": ("ConditionExpression",),
    "Query": ("ProjectionExpression", "FilterExpression", "KeyConditionExpression"),
    "Scan": ("ProjectionExpression", "FilterExpression"),
}
TRANSACTED = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
RETURNING = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
STATEMENTS = {
    "ExecuteStatement": None,
    "BatchExecuteStatement": "Statements",
    "ExecuteTransaction": "TransactStatements",
}
LISTS = frozenset(
    {"ListBackups", "ListContributorInsights", "ListExports", "ListImports", "ListStreams"}
)
"""IAM knows no resources of these, though a request may name a table."""
RESTORES = frozenset({"RestoreTableFromBackup", "RestoreTableToPointInTime"})
RESTORING = (
    "BatchWriteItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "UpdateItem",
)
"""What whoever restores must be allowed on the new table."""
ARNS = ("ResourceArn", "StreamArn", "TableArn", "SourceTableArn", "BackupArn", "ExportArn")


@dataclass(frozen=True, slots=True)
class Access:
    """One action on one resource, with the condition keys that policies may look at."""

    action: str
    resource: str
    context: Context


def accesses(db: Database, operation: str, request: Request) -> Iterator[Access]:
    """Give all that a request needs to be allowed."""
    match operation:
        case "Query" | "Scan":
            yield _page(db, operation, request)
        case "BatchGetItem" | "BatchWriteItem":
            tables = request["RequestItems"].items()
            yield from (_batch(db, operation, name, content) for name, content in tables)
        case "TransactGetItems" | "TransactWriteItems":
            for kind, body in (pair for one in request["TransactItems"] for pair in one.items()):
                yield _item(db, TRANSACTED[kind], body, EnclosingOperation=operation)
        case _ if operation in EXPRESSIONS:
            yield _item(db, operation, request)
        case _ if operation in STATEMENTS:
            member = STATEMENTS[operation]
            for each in request[member] if member else (request,):
                yield _statement(db, operation, each)
        case _ if operation in LISTS:
            yield Access(operation, "*", {})
        case _:
            yield Access(operation, _resource(db, request), {})
            yield from _besides(db, operation, request)


def _besides(db: Database, operation: str, request: Request) -> Iterator[Access]:
    """Give what an action of the control plane needs beside itself."""
    if operation == "CreateTable" and "ResourcePolicy" in request:
        yield Access("PutResourcePolicy", _resource(db, request), {})
    if operation in RESTORES:
        target = _arn(db, request["TargetTableName"])
        own = (operation,) if "BackupArn" in request else ()
        yield from (Access(action, target, {}) for action in (*own, *RESTORING))


def _item(db: Database, action: str, request: Request, **more: str) -> Access:
    table, item = _table(db, request["TableName"]), _place(request)
    bound = bind(request, *EXPRESSIONS[action])
    context = _keys(table.schema, [item]) if table else {}
    context |= _single(request, **more)
    context["Attributes"] = _distinct(item, _attributes(bound))
    if action == "GetItem":
        context["Select"] = (_selected(request),)
    if action in RETURNING:
        context["ReturnValues"] = (request.get("ReturnValues", "NONE"),)
    return Access(action, _arn(db, request["TableName"]), context)


def _batch(db: Database, action: str, name: str, content: Any) -> Access:
    """Give what a batch does in one table: writes in a list, or keys to read."""
    table, more = _table(db, name), Bound()
    if action == "BatchGetItem":
        items, more = content["Keys"], bind(content, "ProjectionExpression")
    else:
        items = [_place(body) for write in content for body in write.values()]
    context = _keys(table.schema, items) if table else {}
    context["Attributes"] = _distinct(chain.from_iterable(items), _attributes(more))
    if action == "BatchGetItem":
        context["Select"] = (_selected(content),)
    return Access(action, _arn(db, name), context)


def _page(db: Database, action: str, request: Request) -> Access:
    name, index = request["TableName"], request.get("IndexName")
    bound = bind(request, *EXPRESSIONS[action])
    schema, context = _schema(db, name, index), _single(request)
    if schema and bound.key_condition:
        tests, values = bound.key_condition.tests, bound.key_condition.values
        equal = {
            attribute: tests[attribute].operands[0].read({}, values)
            for attribute in schema.hash_names
            if attribute in tests and tests[attribute].operator == "="
        }
        context |= _keys(schema, [equal])
    context["Attributes"] = _distinct(_attributes(bound))
    context["Select"] = (_selected(request),)
    return Access(action, _arn(db, name, index), context)


def _statement(db: Database, operation: str, request: Request) -> Access:
    """Give what a PartiQL statement needs; its parser is loaded with the first one."""
    from .partiql import binding, statements, where

    statement, values = binding.bind(request["Statement"], request.get("Parameters", ()))
    name, index = statement.source.table, statement.source.index
    trees: list[Node | None] = [statement.where]
    attributes: Iterable[str] = ()
    schema = _schema(db, name, index)
    partitions = None
    if isinstance(statement, statements.Insert):
        item = binding.item_of(statement, values)
        attributes, partitions = item, [item]
    elif schema is not None:
        partitions = where.partitions(schema, where.Where.read(statement.where, values))
    if isinstance(statement, statements.Select):
        trees += statement.columns
    if isinstance(statement, statements.Update):
        trees.append(statement.update)
    reads = isinstance(statement, (statements.Select, statements.Exists))
    context = _keys(schema, partitions or []) if schema else {}
    context["Attributes"] = _distinct(attributes, _named(trees))
    if reads:
        context["FullTableScan"] = ("false" if partitions else "true",)
    if operation == "ExecuteTransaction":
        context["EnclosingOperation"] = (operation,)
    kind = "Select" if reads else type(statement).__name__
    return Access(f"PartiQL{kind}", _arn(db, name, index), context)


def _place(request: Request) -> Request:
    """Give the item or key that a request has."""
    place: Request = request.get("Item") or request.get("Key") or {}
    return place


def _keys(schema: KeySchema, items: Iterable[Mapping[str, AttributeValue | None]]) -> Context:
    """Give the values of each partition key attribute; of none, where no item has it."""
    context: Context = {}
    known = list(items)
    for ordinal, name in zip(ORDINALS, schema.hash_names, strict=False):
        values = _distinct(_text(value) for each in known if (value := each.get(name)))
        if values:
            context[f"{ordinal}PartitionKeyValues"] = values
    if "FirstPartitionKeyValues" in context:
        context[LEADING] = context["FirstPartitionKeyValues"]
    return context


def _single(request: Request, **more: str) -> Context:
    if "ReturnConsumedCapacity" in request:
        more["ReturnConsumedCapacity"] = request["ReturnConsumedCapacity"]
    return {name: (value,) for name, value in more.items()}


def _selected(request: Request) -> str:
    """Give what a read selects, which has a default."""
    if "Select" in request:
        return str(request["Select"])
    if "ProjectionExpression" in request or "AttributesToGet" in request:
        return "SPECIFIC_ATTRIBUTES"
    return "ALL_PROJECTED_ATTRIBUTES" if "IndexName" in request else "ALL_ATTRIBUTES"


def _attributes(bound: Bound) -> Iterator[str]:
    """Name the attributes that expressions name."""
    conditions = [each.tree for each in (bound.condition, bound.filter) if each]
    yield from _named([*conditions, bound.projection, bound.update and bound.update.tree])
    yield from bound.key_condition.tests if bound.key_condition else ()


def _named(trees: Iterable[Node | None]) -> Iterator[str]:
    for tree in filter(None, trees):
        yield from (node.name for node, _ in walk(tree) if isinstance(node, Path))


def _distinct(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain(*names)))


def _text(value: AttributeValue) -> str:
    ((kind, content),) = normalize(value).items()
    return b64encode(bytes(content)).decode() if kind == "B" else str(content)


def _table(db: Database, name: str) -> Table | None:
    """Find a table, or None; that it is not there, the operation says to those who may know."""
    try:
        return db.table(name)
    except ResourceNotFoundException:
        return None


def _schema(db: Database, name: str, index: str | None) -> KeySchema | None:
    table = _table(db, name)
    if table is None:
        return None
    source = table.indexes.get(index) if index else table
    return source.schema if source else None


def _arn(db: Database, name: str, index: str | None = None) -> str:
    return db.arn_of(table_name(name), *(("index", index) if index else ()))


def _resource(db: Database, request: Request) -> str:
    """Name what an action of the control plane, or on a stream, is about."""
    if "TableName" in request:
        return _arn(db, request["TableName"], request.get("IndexName"))
    if "SourceTableName" in request:
        return _arn(db, request["SourceTableName"])
    if "ShardIterator" in request:
        return str(request["ShardIterator"]).partition("|")[0]
    return next((str(request[name]) for name in ARNS if name in request), "*")
