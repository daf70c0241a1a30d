"""Time to live: the setting. Deletion itself takes hours at AWS and is not waited for here."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, invalid, item, refusal, unique


def setting(enabled: bool, attribute: str = "expires") -> dict[str, Any]:
    return {"TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute}}


def test_disabled_at_first(client: Client) -> None:
    name = create(client, "pk:S")
    described = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "DISABLED"}


def test_enabling_and_describing(client: Client) -> None:
    name = create(client, "pk:S")
    answer = client.update_time_to_live(TableName=name, **setting(True))
    assert answer["TimeToLiveSpecification"] == {"Enabled": True, "AttributeName": "expires"}
    described = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert described["AttributeName"] == "expires"
    assert described["TimeToLiveStatus"] in {"ENABLED", "ENABLING"}


@pytest.mark.parametrize(
    ("enable_first", "enabled", "attribute", "message"),
    [
        pytest.param(True, True, "expires", "TimeToLive is already enabled", id="enable-twice"),
        pytest.param(False, False, "expires", "TimeToLive is already disabled", id="disable-twice"),
        pytest.param(
            True,
            True,
            "other",
            "TimeToLive is active on a different AttributeName: current AttributeName is expires",
            id="another-attribute",
        ),
        pytest.param(
            True,
            False,
            "other",
            "TimeToLive is active on a different AttributeName: current AttributeName is expires",
            id="disable-another-attribute",
        ),
    ],
)
def test_refused(
    client: Client, enable_first: bool, enabled: bool, attribute: str, message: str
) -> None:
    name = create(client, "pk:S")
    if enable_first:
        client.update_time_to_live(TableName=name, **setting(True))
    refused = refusal(client.update_time_to_live, TableName=name, **setting(enabled, attribute))
    assert refused == ("ValidationException", message)


def test_a_name_has_at_most_255_bytes(client: Client) -> None:
    name = create(client, "pk:S")
    refused = refusal(client.update_time_to_live, TableName=name, **setting(True, "é" * 128))
    assert refused == invalid(
        "Names of key attributes and attributes projected into an index must be between 1 and 255 "
        "characters, inclusive"
    )
    client.update_time_to_live(TableName=name, **setting(True, "é" * 127))


def test_live_items_stay(client: Client) -> None:
    name = create(client, "pk:S")
    client.update_time_to_live(TableName=name, **setting(True))
    client.put_item(TableName=name, Item=item(pk="later", expires=99_999_999_999))
    client.put_item(TableName=name, Item=item(pk="text", expires="1"))
    client.put_item(TableName=name, Item=item(pk="none"))
    assert client.scan(TableName=name)["Count"] == 3


@pytest.mark.parametrize("operation", ["describe_time_to_live", "update_time_to_live"])
def test_unknown_tables(client: Client, operation: str) -> None:
    name = unique()
    more = setting(True) if operation.startswith("update") else {}
    assert refusal(getattr(client, operation), TableName=name, **more) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {name} not found",
    )
