"""Whether a database is whole: all that is derived from its rows, made again and compared.

What users see (scans of tables and indexes, counts, streams) is recomputed in the plainest way,
from the answers alone. What only SQLite sees (keys, sizes, leftovers) is recomputed from the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from singletable.engine import Engine
from singletable.engine.connections import Connection
from singletable.engine.expiry import expiry_of
from singletable.engine.schema import Table
from singletable.values import Item, item_size, loads, value_size

Answer = dict[str, Any]
Contents = dict[str, Item]


def audit(engine: Engine) -> None:
    """Raise an AssertionError that says what is not as it should be; writes nothing."""
    with engine._db.storage.read() as tx:
        tables = [engine._db.catalog.read(tx, name) for name in engine._db.catalog.names(tx)]
        found = [table for table in tables if table is not None]
        _check_file(tx, found)
        for table in found:
            _check_rows(tx, table)
    for table in found:
        description = engine.call("DescribeTable", {"TableName": table.name})["Table"]
        _check_items(engine, description)
        if "StreamSpecification" in description:
            _check_stream(engine, description)


def contents(engine: Engine, table_name: str, **members: Any) -> Contents:
    """Give the items of a table or an index, by the text of their key."""
    scanned = list(_scan(engine, TableName=table_name, **members))
    found = {_name(engine, table_name, item): item for item in scanned}
    assert len(found) == len(scanned), f"{table_name} {members} has an item twice"
    return found


def _check_file(tx: Connection, tables: list[Table]) -> None:
    assert tx.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    names = {name for (name,) in tx.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    made = {name for name in names if name.startswith(("items_", "index_", "collections_"))}
    trees = {table.rows for table in tables}
    trees |= {index.tree for table in tables for index in table.indexes.values()}
    collections = {table.collections for table in tables if table.has_local_index}
    assert made == trees | collections, "a table of SQLite is missing or left over"
    counted = {tree for (tree,) in tx.execute("SELECT tree FROM statistics")}
    assert counted == trees, "statistics are missing or left over"


def _check_rows(tx: Connection, table: Table) -> None:
    """Hold every row, index entry and collection against the item that it is made from."""
    entries: dict[str, list[tuple[Any, ...]]] = {index.tree: [] for index in table.indexes.values()}
    collections: dict[bytes, int] = {}
    rows = tx.execute(f"SELECT id, key, size, expires, item FROM {table.rows}").fetchall()
    for row, key, size, expires, data in rows:
        item = loads(data)
        ttl = table.ttl_attribute
        expected = (table.schema.encode(item), item_size(item), ttl and expiry_of(item, ttl))
        assert (key, size, expires) == expected, f"the row of {item} is wrong"
        partition = table.schema.partition(item)
        collections[partition] = collections.get(partition, 0) + size
        for index in table.indexes.values():
            entry = index.entry(item, key)
            if entry:
                entries[index.tree].append((entry.key, row, entry.size))
    for tree, made in entries.items():
        assert tx.execute(f"SELECT * FROM {tree} ORDER BY key").fetchall() == sorted(made), tree
    if table.has_local_index:
        kept = dict(tx.execute(f"SELECT * FROM {table.collections} WHERE bytes <> 0").fetchall())
        assert kept == collections, "the sizes of item collections are wrong"


def _check_items(engine: Engine, description: Answer) -> None:
    """Hold counts and indexes, as the API shows them, against a scan of the table."""
    name = description["TableName"]
    items = contents(engine, name)
    _check_counts(name, items.values(), description["ItemCount"], description["TableSizeBytes"])
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in description.get(member, ()):
            expected = dict(_indexed(items, description, index))
            found = contents(engine, name, IndexName=index["IndexName"])
            assert found == expected, f"index {index['IndexName']} is not what the items say"
            counts = (index["ItemCount"], index["IndexSizeBytes"])
            _check_counts(index["IndexName"], expected.values(), *counts)


def _check_counts(name: str, items: Iterable[Item], count: int, size: int) -> None:
    sizes = [item_size(item) for item in items]
    assert (count, size) == (len(sizes), sum(sizes)), f"the statistics of {name} are wrong"


def _indexed(items: Contents, description: Answer, index: Answer) -> Iterator[tuple[str, Item]]:
    kinds = {each["AttributeName"]: each["AttributeType"] for each in _definitions(description)}
    keys = [each["AttributeName"] for each in index["KeySchema"]]
    projection = index["Projection"]
    kept = {*keys, *_key_names(description), *projection.get("NonKeyAttributes", ())}
    for name, item in items.items():
        if all(item.get(key, {}).get(kinds[key]) for key in keys) and _fits(item, index):
            everything = projection["ProjectionType"] == "ALL"
            yield name, {at: item[at] for at in item if everything or at in kept}


def _fits(item: Item, index: Answer) -> bool:
    """Tell whether the values of an index's key are no larger than keys may be."""
    sizes = {"HASH": 0, "RANGE": 0}
    for each in index["KeySchema"]:
        sizes[each["KeyType"]] += value_size(item[each["AttributeName"]])
    return sizes["HASH"] <= 2048 and sizes["RANGE"] <= 1024


def _check_stream(engine: Engine, description: Answer) -> None:
    """Hold the table against its changes; each must begin where the one before it ended."""
    folded: Contents = {}
    for record in records(engine, description["LatestStreamArn"]):
        change = record["dynamodb"]
        name = _text(description, change["Keys"])
        assert folded.pop(name, None) == change.get("OldImage"), (
            f"the stream skips a change: {name}"
        )
        if "NewImage" in change:
            folded[name] = change["NewImage"]
    assert folded == contents(engine, description["TableName"]), "the stream is not the table's"


def records(engine: Engine, arn: str) -> Iterator[Answer]:
    """Give all records of a stream, in order."""
    stream = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    for shard in stream["Shards"]:
        start = {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        answer = engine.call("GetShardIterator", {"StreamArn": arn, **start})
        at = answer["ShardIterator"]
        while at is not None:
            page = engine.call("GetRecords", {"ShardIterator": at})
            yield from page["Records"]
            at = page.get("NextShardIterator") if page["Records"] else None


def _scan(engine: Engine, **request: Any) -> Iterator[Item]:
    while True:
        answer = engine.call("Scan", request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _name(engine: Engine, table_name: str, item: Item) -> str:
    return "/".join(str(item[name]) for name in engine._db.table(table_name).schema.names)


def _text(description: Answer, item: Item) -> str:
    return "/".join(str(item[name]) for name in _key_names(description))


def _key_names(description: Answer) -> list[str]:
    return [each["AttributeName"] for each in description["KeySchema"]]


def _definitions(description: Answer) -> list[Answer]:
    definitions: list[Answer] = description["AttributeDefinitions"]
    return definitions
