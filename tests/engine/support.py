"""What tests of the engine share: a clock to turn, and short ways to say a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.engine import Engine

Answer = dict[str, Any]


@dataclass
class Clock:
    """A clock that stands still until it is turned."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


def key_schema(*elements: str) -> list[dict[str, str]]:
    """Say a key schema as ``"pk"`` (HASH) and ``"sk:RANGE"``."""
    pairs = [element.partition(":") for element in elements]
    return [{"AttributeName": name, "KeyType": kind or "HASH"} for name, _, kind in pairs]


def definitions(*names: str) -> list[dict[str, str]]:
    """Say attribute definitions as ``"pk"`` (S) and ``"n:N"``."""
    pairs = [name.partition(":") for name in names]
    return [{"AttributeName": name, "AttributeType": kind or "S"} for name, _, kind in pairs]


def index(name: str, *elements: str, **members: Any) -> dict[str, Any]:
    """Say an index that projects everything."""
    projection = {"ProjectionType": "ALL"}
    schema = key_schema(*elements)
    return {"IndexName": name, "KeySchema": schema, "Projection": projection, **members}


def request(**members: Any) -> dict[str, Any]:
    """Say a CreateTable request for an on-demand table ``things`` with the key ``pk``."""
    default = {
        "TableName": "things",
        "AttributeDefinitions": definitions("pk"),
        "KeySchema": key_schema("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    merged = {**default, **members}
    return {member: value for member, value in merged.items() if value is not None}


def create(engine: Engine, **members: Any) -> Answer:
    """Create the table of ``request``."""
    answer: Answer = engine.call("CreateTable", request(**members))["TableDescription"]
    return answer


def describe(engine: Engine, name: str = "things") -> Answer:
    """Describe a table."""
    answer: Answer = engine.call("DescribeTable", {"TableName": name})["Table"]
    return answer


def put(engine: Engine, name: str, *keys: str, **attributes: Any) -> None:
    """Put an item for each partition key, with the same other attributes."""
    for key in keys:
        engine.call("PutItem", {"TableName": name, "Item": {"pk": {"S": key}, **attributes}})


def keys(engine: Engine, name: str, **members: Any) -> set[str]:
    """Give the partition keys that a scan finds."""
    answer = engine.call("Scan", {"TableName": name, **members})
    return {item["pk"]["S"] for item in answer["Items"]}
