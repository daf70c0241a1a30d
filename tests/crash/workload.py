"""Writes of every kind, drawn from a seed, each with what the table must hold after it.

What an engine should hold is worked out here, in a dictionary, without the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from singletable.engine import Engine
from singletable.values import Item

from .audit import Contents, contents

TABLE = "things"
CREATE: dict[str, Any] = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
        {"AttributeName": "color", "AttributeType": "S"},
        {"AttributeName": "n", "AttributeType": "N"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_color",
            "KeySchema": [
                {"AttributeName": "color", "KeyType": "HASH"},
                {"AttributeName": "n", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]},
        }
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by_n",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "n", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
"""A table with an index of each kind and a stream: a write touches all that a write can."""


def seeded(seed: int | str) -> Random:
    """Give a source of choices that are the same in every run."""
    return Random(seed)  # noqa: S311 # nothing here is a secret


@dataclass(frozen=True)
class Step:
    """One request, and what the table holds when it was carried out."""

    operation: str
    request: dict[str, Any]
    after: Contents

    def run(self, engine: Engine) -> None:
        """Send the request."""
        engine.call(self.operation, self.request)


def toggle_index(engine: Engine) -> None:
    """Add an index to the table, filled from its items, or drop it if it is there."""
    table = engine.call("DescribeTable", {"TableName": TABLE})["Table"]
    names = [index["IndexName"] for index in table["GlobalSecondaryIndexes"]]
    change = _DROP if "by_note" in names else _ADD
    engine.call("UpdateTable", {"TableName": TABLE, **change})


_DROP = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_note"}}]}
_ADD = {
    "AttributeDefinitions": [{"AttributeName": "note", "AttributeType": "S"}],
    "GlobalSecondaryIndexUpdates": [
        {
            "Create": {
                "IndexName": "by_note",
                "KeySchema": [{"AttributeName": "note", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        }
    ],
}


class Workload:
    """Draws steps; ``contents`` is what was acknowledged."""

    def __init__(self, random: Random) -> None:
        self.contents: Contents = {}
        self._random = random

    def draw(self) -> Step:
        """Draw the next step; it is not carried out, and does not count, yet."""
        kinds = [self._put, self._put, self._update, self._batch, self._transaction]
        if not self.contents:
            return self._put()
        return self._random.choice(kinds)()

    def run(self, engine: Engine, steps: int) -> None:
        """Carry out steps, up to one that fails."""
        for _ in range(steps):
            step = self.draw()
            step.run(engine)
            self.contents = step.after

    def check(self, engine: Engine) -> None:
        """See that the table holds what was acknowledged, no more and no less."""
        assert contents(engine, TABLE) == self.contents

    def _put(self) -> Step:
        item = self._item()
        return self._step("PutItem", {"Item": item, "TableName": TABLE}, {_name(item): item})

    def _update(self) -> Step:
        item = self._known()
        after = {**item, "n": {"N": str(int(item["n"]["N"]) + 1)}, "note": self._note()}
        return self._step("UpdateItem", _update(item, after), {_name(item): after})

    def _batch(self) -> Step:
        """Put many items and delete one."""
        known = self._known()
        items = {_name(item): item for item in (self._item() for _ in range(12))}
        changes: dict[str, Item | None] = {**items, _name(known): None}
        writes = [
            {"PutRequest": {"Item": item}} if item else {"DeleteRequest": {"Key": _key(known)}}
            for item in changes.values()
        ]
        return self._step("BatchWriteItem", {"RequestItems": {TABLE: writes}}, changes)

    def _transaction(self) -> Step:
        """Update, put, delete and check at once; a token makes it safe to send again."""
        changed, deleted, checked = self._known(), self._known(), self._known()
        after = {**changed, "n": {"N": str(int(changed["n"]["N"]) + 1)}, "note": self._note()}
        put = self._item()
        condition = {"ConditionExpression": "attribute_exists(pk)", "TableName": TABLE}
        actions = {
            _name(checked): {"ConditionCheck": {"Key": _key(checked), **condition}},
            _name(deleted): {"Delete": {"Key": _key(deleted), **condition}},
            _name(changed): {"Update": _update(changed, after)},
            _name(put): {"Put": {"Item": put, "TableName": TABLE}},
        }
        request = {
            "TransactItems": list(actions.values()),
            "ClientRequestToken": f"{self._random.getrandbits(64):x}",
        }
        changes = {_name(deleted): None, _name(changed): after, _name(put): put}
        return self._step("TransactWriteItems", request, changes)

    def _step(
        self, operation: str, request: dict[str, Any], changes: dict[str, Item | None]
    ) -> Step:
        merged = {**self.contents, **changes}
        after = {name: item for name, item in merged.items() if item is not None}
        return Step(operation, request, after)

    def _item(self) -> Item:
        draw = self._random
        item: Item = {
            "pk": {"S": f"p{draw.randrange(4)}"},
            "sk": {"S": f"s{draw.randrange(30)}"},
            "n": {"N": str(draw.randrange(1000))},
            "note": self._note(),
        }
        # The index over colors is sparse.
        return (
            {**item, "color": {"S": draw.choice(["red", "blue"])}} if draw.random() < 0.7 else item
        )

    def _note(self) -> dict[str, str]:
        length = self._random.choice([10, 10, 1000, 2000])
        return {"S": "".join(self._random.choices("abcdefgh", k=10)) * (length // 10)}

    def _known(self) -> Item:
        return self._random.choice(list(self.contents.values()))


def _update(before: Item, after: Item) -> dict[str, Any]:
    """Say a conditional update of the number and the note."""
    return {
        "TableName": TABLE,
        "Key": _key(before),
        "UpdateExpression": "SET n = n + :one, note = :note",
        "ConditionExpression": "n = :n",
        "ExpressionAttributeValues": {
            ":one": {"N": "1"},
            ":note": after["note"],
            ":n": before["n"],
        },
    }


def _key(item: Item) -> Item:
    return {"pk": item["pk"], "sk": item["sk"]}


def _name(item: Item) -> str:
    return f"{item['pk']}/{item['sk']}"
