"""The workload: one table, its seed items, and the six operations every target runs.

Requests are built before the clock starts, so a row shows the target and not the harness.
Keys cycle over a bounded space, so a fast target does not end up with a larger table than a
slow one; what is written differs from what was there, so nobody can leave a write out; and
each thread transacts on keys of its own, so no transaction cancels another.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

Request = dict[str, Any]

TABLE = "bench"
PARTITIONS = 100
ITEMS_PER_PARTITION = 20
BATCH = 25
_STRIDE = 7_919  # a prime that divides none of the sizes in use

CREATE_TABLE: Request = {
    "TableName": TABLE,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}

_SENTENCE = "A session note of the usual kind: who was there, what was found, what is owed. "
_PAYLOAD: dict[str, Any] = {
    "type": {"S": "Session"},
    "title": {"S": "The vault beneath the lighthouse"},
    "status": {"S": "IN_PROGRESS"},
    "created_at": {"S": "2025-03-14T15:09:26.535897Z"},
    "duration_s": {"N": "11705.25"},
    "archived": {"BOOL": False},
    "players": {"L": [{"S": "Ada"}, {"S": "Grace"}, {"S": "Barbara"}, {"N": "4"}]},
    "place": {"M": {"name": {"S": "Harbour"}, "x": {"N": "12.5"}, "y": {"N": "-7"}}},
    "body": {"S": (_SENTENCE * 10)[:788]},
}


def key(pk: str, sk: str) -> dict[str, Any]:
    """Build a primary key whose texts have a fixed width, so that every item weighs the same."""
    return {"pk": {"S": f"{pk:.<16}"}, "sk": {"S": f"{sk:.<16}"}}


def item(pk: str, sk: str, version: int = 1) -> dict[str, Any]:
    """Build an item of 1,024 bytes by DynamoDB's own count, of mixed types."""
    return {**key(pk, sk), **_PAYLOAD, "version": {"N": str(version)}}


def partition_items(pk: str) -> list[dict[str, Any]]:
    """Build the items of one partition, as many as Query reads."""
    return [item(pk, f"SESSION#{n:04d}") for n in range(ITEMS_PER_PARTITION)]


def query_of(pk: str) -> Request:
    """Build the Query that reads the items of one partition."""
    return {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
        "ExpressionAttributeValues": {
            ":pk": key(pk, "")["pk"],
            ":prefix": {"S": "SESSION#"},
        },
    }


def write_batches(items: list[dict[str, Any]]) -> Iterator[Request]:
    """Cut items into BatchWriteItem requests."""
    for start in range(0, len(items), BATCH):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH]]
        yield {"RequestItems": {TABLE: puts}}


def seed(client: Any) -> None:
    """Create the table and write what the reading operations read."""
    client.create_table(**CREATE_TABLE)
    while client.describe_table(TableName=TABLE)["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.05)
    items = [item for n in range(PARTITIONS) for item in partition_items(f"USER#{n:04d}")]
    for request in write_batches(items):
        client.batch_write_item(**request)


def scatter(number: int, size: int) -> int:
    """Spread consecutive numbers over a range, visiting every place once."""
    return number * _STRIDE % size


@dataclass(frozen=True)
class Turn:
    """Which request is built: a thread, the number of its turn, and how often it went round."""

    thread: int
    number: int
    version: int

    @property
    def user(self) -> str:
        """The partition of seed items whose turn it is."""
        return f"USER#{scatter(self.number + self.thread, PARTITIONS):04d}"

    @property
    def seeded_key(self) -> dict[str, Any]:
        """The key of the seed item whose turn it is."""
        return key(self.user, f"SESSION#{self.number % ITEMS_PER_PARTITION:04d}")

    @property
    def name(self) -> str:
        """A name that no other thread uses."""
        return f"{self.thread}#{self.number}"


@dataclass(frozen=True)
class Operation:
    """One row of the benchmark: a client method and the requests one thread sends it."""

    name: str
    method: str
    build: Callable[[Turn], Request]
    touched: Callable[[Request], dict[str, Any]] | None = None
    turns: int = 250

    def requests(self, thread: int) -> list[Request]:
        """Give the requests of one thread, the same for every target."""
        return _requests(self, thread)

    def verify(self, client: Any) -> None:
        """Send one request; fail unless it answers, or wrote, as many items as it should."""
        request = self.requests(0)[0]
        answer = getattr(client, self.method)(**request)
        if self.touched is not None:
            answer = client.get_item(TableName=TABLE, Key=self.touched(request))
        items = answer["Items"] if "Items" in answer else [answer["Item"]]
        if len(items) != (ITEMS_PER_PARTITION if self.name == "Query" else 1):
            raise AssertionError(f"{self.name} answered {len(items)} items")


@cache
def _requests(operation: Operation, thread: int) -> list[Request]:
    turns = [Turn(thread, n, version) for version in (1, 2) for n in range(operation.turns)]
    return [operation.build(turn) for turn in turns]


def _get_item(turn: Turn) -> Request:
    return {"TableName": TABLE, "Key": turn.seeded_key}


def _put_item(turn: Turn) -> Request:
    return {"TableName": TABLE, "Item": item(f"PUT#{turn.name}", "SESSION", turn.version)}


def _query(turn: Turn) -> Request:
    return query_of(turn.user)


def _update_item(turn: Turn) -> Request:
    return {
        "TableName": TABLE,
        "Key": turn.seeded_key,
        "UpdateExpression": "SET #status = :status, version = version + :one",
        "ConditionExpression": "attribute_exists(pk) AND version >= :one",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":status": {"S": "DONE"}, ":one": {"N": "1"}},
    }


def _batch_write_item(turn: Turn) -> Request:
    pk = f"BATCH#{turn.name}"
    (request,) = write_batches([item(pk, f"S#{n:04d}", turn.version) for n in range(BATCH)])
    return request


def _transact_write_items(turn: Turn) -> Request:
    pk = f"TX#{turn.name}"
    update = {
        "TableName": TABLE,
        "Key": key(pk, "TOTAL"),
        "UpdateExpression": "SET played = if_not_exists(played, :zero) + :two",
        "ConditionExpression": "attribute_not_exists(locked)",
        "ExpressionAttributeValues": {":zero": {"N": "0"}, ":two": {"N": "2"}},
    }
    check = {
        "TableName": TABLE,
        "Key": key(f"USER#{turn.thread:04d}", "SESSION#0000"),
        "ConditionExpression": "attribute_exists(pk)",
    }
    return {
        "TransactItems": [
            {"Put": {"TableName": TABLE, "Item": item(pk, "SESSION#1", turn.version)}},
            {"Put": {"TableName": TABLE, "Item": item(pk, "SESSION#2", turn.version)}},
            {"Update": update},
            {"ConditionCheck": check},
        ]
    }


def _key_of(item: dict[str, Any]) -> dict[str, Any]:
    return {"pk": item["pk"], "sk": item["sk"]}


OPERATIONS = (
    Operation("GetItem", "get_item", _get_item),
    Operation("PutItem", "put_item", _put_item, lambda request: _key_of(request["Item"])),
    Operation("Query", "query", _query),
    Operation("UpdateItem", "update_item", _update_item, lambda request: request["Key"]),
    Operation(
        "BatchWriteItem",
        "batch_write_item",
        _batch_write_item,
        lambda request: _key_of(request["RequestItems"][TABLE][0]["PutRequest"]["Item"]),
        turns=25,
    ),
    Operation(
        "TransactWriteItems",
        "transact_write_items",
        _transact_write_items,
        lambda request: request["TransactItems"][2]["Update"]["Key"],
    ),
)
