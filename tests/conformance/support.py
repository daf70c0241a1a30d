"""What the conformance tests share: Python values as attribute values, tables, refusals.

The tests speak boto3's low-level client and nothing else, so that every case can be
pasted against AWS. These helpers only shorten what would be said hundreds of times.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer
from botocore.exceptions import ClientError

VALIDATION = "ValidationException"
CONDITION_FAILED = ("ConditionalCheckFailedException", "The conditional request failed")
_MISMATCH = (
    "Specified idempotent token was used with different request parameters within the "
    "idempotency window"
)
TOKEN_USED = ("IdempotentParameterMismatchException", _MISMATCH)

Client = Any
"""A boto3 client, untyped: many tests send what the typed stubs rightly forbid."""

_write = TypeSerializer().serialize


def _read(value: dict[str, Any]) -> Any:
    # boto3's own deserializer refuses numbers that are written with many trailing zeros.
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return Decimal(content)
        case "NULL":
            return None
        case "L":
            return [_read(each) for each in content]
        case "M":
            return plain(content)
        case "NS":
            return {Decimal(each) for each in content}
        case "SS" | "BS":
            return set(content)
        case _:
            return content


def item(**attributes: Any) -> dict[str, Any]:
    """Turn Python values into an item in the low-level form."""
    return {name: _write(value) for name, value in attributes.items()}


def values(**operands: Any) -> dict[str, Any]:
    """Turn Python values into ExpressionAttributeValues, each name preceded by a colon."""
    return {f":{name}": _write(value) for name, value in operands.items()}


def plain(attributes: dict[str, Any]) -> dict[str, Any]:
    """Turn an item in the low-level form into Python values."""
    return {name: _read(value) for name, value in attributes.items()}


def plains(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turn items in the low-level form into Python values."""
    return [plain(each) for each in items]


def unique(prefix: str = "t") -> str:
    """Make a name that no other test uses."""
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


def refusal(call: Callable[..., Any], **request: Any) -> tuple[str, str]:
    """Send a request that must be refused; return the error's code and message."""
    with pytest.raises(ClientError) as caught:
        call(**request)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


def invalid(message: str) -> tuple[str, str]:
    """Say which refusal a ValidationException with this message is."""
    return VALIDATION, message


def keys(*attributes: str) -> dict[str, Any]:
    """Declare a key schema from "name:type" texts, the partition key first."""
    names = [attribute.split(":")[0] for attribute in attributes]
    return {
        "KeySchema": [
            {"AttributeName": name, "KeyType": kind}
            for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
        ],
        "AttributeDefinitions": definitions(*attributes),
    }


def definitions(*attributes: str) -> list[dict[str, str]]:
    """Declare attributes from "name:type" texts."""
    pairs = (attribute.split(":") for attribute in attributes)
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in pairs]


def index(
    name: str, hash_key: str, range_key: str = "", projection: str = "ALL", *include: str
) -> dict[str, Any]:
    """Declare a secondary index with one or two key attributes."""
    schema = [{"AttributeName": hash_key, "KeyType": "HASH"}]
    if range_key:
        schema.append({"AttributeName": range_key, "KeyType": "RANGE"})
    shown: dict[str, Any] = {"ProjectionType": projection}
    if include:
        shown["NonKeyAttributes"] = list(include)
    return {"IndexName": name, "KeySchema": schema, "Projection": shown}


def create(client: Client, *key: str, indexed: str = "", **settings: Any) -> str:
    """Create an on-demand table and return its name, fresh unless it is given.

    Attributes are "name:type" texts: one or two for the table's key, more for keys of indexes.
    """
    request = {"TableName": unique(), "BillingMode": "PAY_PER_REQUEST", **keys(*key)}
    request["AttributeDefinitions"] = definitions(*key, *indexed.split())
    table: str = client.create_table(**request | settings)["TableDescription"]["TableName"]
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    return table


def fill(client: Client, table: str, items: list[dict[str, Any]]) -> None:
    """Write items in the low-level form, 25 a request."""
    for start in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": each}} for each in items[start : start + 25]]
        client.batch_write_item(RequestItems={table: requests})


def pages(call: Callable[..., Any], **request: Any) -> Iterator[dict[str, Any]]:
    """Follow LastEvaluatedKey to the end; yield each answer."""
    while True:
        answer = call(**request)
        yield answer
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
