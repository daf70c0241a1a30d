"""Numbers: 38 digits, exact, in one canonical text."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, invalid, item, refusal, unique, values

NINES = "9" * 38


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.0", "0"),
        ("00012", "12"),
        ("1.0", "1"),
        ("1.50", "1.5"),
        ("+7", "7"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-.5", "-0.5"),
        ("100", "100"),
        ("1e2", "100"),
        ("1E+2", "100"),
        ("12e-1", "1.2"),
        ("1e-5", "0.00001"),
        ("-1.10e1", "-11"),
        (NINES, NINES),
        (f"-{NINES}", f"-{NINES}"),
        (f"0.{NINES}", f"0.{NINES}"),
        (f"{NINES}000", f"{NINES}000"),
        ("1e125", "1" + "0" * 125),
        ("9.9999999999999999999999999999999999999E125", NINES + "0" * 88),
        ("1e-130", "0." + "0" * 129 + "1"),
        ("0e10", "0"),
        ("1234567890.0987654321", "1234567890.0987654321"),
    ],
)
def test_canonical_text(client: Client, table: str, written: str, read: str) -> None:
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | {"n": {"N": written}, "ns": {"NS": [written]}})
    got = client.get_item(TableName=table, Key=key)["Item"]
    assert (got["n"], got["ns"]) == ({"N": read}, {"NS": [read]})


OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
PRECISION = "Attempting to store more than 38 significant digits in a Number"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        pytest.param("1e126", OVERFLOW, id="too-large"),
        pytest.param("-1e126", OVERFLOW, id="too-large-negative"),
        pytest.param("1e500", OVERFLOW, id="far-too-large"),
        pytest.param("1e-131", UNDERFLOW, id="too-small"),
        pytest.param("-1e-500", UNDERFLOW, id="too-small-negative"),
        pytest.param("1" * 39, PRECISION, id="39-digits"),
        pytest.param("0." + "1" * 39, PRECISION, id="39-digits-fraction"),
        pytest.param("1." + "0" * 37 + "1", PRECISION, id="39-digits-across"),
    ],
)
def test_out_of_range(client: Client, table: str, written: str, message: str) -> None:
    refused = refusal(client.put_item, TableName=table, Item=item(pk="x") | {"n": {"N": written}})
    assert refused == invalid(message)


@pytest.mark.parametrize(
    "written", ["NaN", "Infinity", "-Infinity", "1_000", "0x10", "1,5", "1 2", "--1", "1e", "e5"]
)
def test_not_numbers(client: Client, table: str, written: str) -> None:
    refused = refusal(client.put_item, TableName=table, Item=item(pk="x") | {"n": {"N": written}})
    assert refused == invalid(f"The parameter cannot be converted to a numeric value: {written}")


@pytest.mark.parametrize(
    ("start", "expression", "operand", "expected"),
    [
        ("0.1", "SET n = n + :v", "0.2", "0.3"),
        ("1", "SET n = n - :v", "0.9", "0.1"),
        (NINES, "SET n = n - :v", "1", NINES[:-1] + "8"),
        ("1e20", "ADD n :v", "1e-17", "100000000000000000000.00000000000000001"),
        ("5", "ADD n :v", "-5", "0"),
        ("-1", "ADD n :v", "0.5", "-0.5"),
        ("1e125", "SET n = n - :v", "1e125", "0"),
    ],
)
def test_arithmetic_is_exact(
    client: Client, table: str, start: str, expression: str, operand: str, expected: str
) -> None:
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | {"n": {"N": start}})
    answer = client.update_item(
        TableName=table,
        Key=key,
        UpdateExpression=expression,
        ExpressionAttributeValues={":v": {"N": operand}},
        ReturnValues="UPDATED_NEW",
    )
    assert answer["Attributes"] == {"n": {"N": expected}}


@pytest.mark.parametrize(
    ("start", "operand"),
    [
        pytest.param("1e125", "1e80", id="large-and-small"),
        pytest.param("1", "1e-130", id="one-and-tiny"),
    ],
)
def test_a_sum_of_more_than_38_digits_is_refused(
    client: Client, table: str, start: str, operand: str
) -> None:
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | {"n": {"N": start}})
    code, _ = refusal(
        client.update_item,
        TableName=table,
        Key=key,
        UpdateExpression="SET n = n + :v",
        ExpressionAttributeValues={":v": {"N": operand}},
    )
    assert code == "ValidationException"


def test_conditions_compare_by_value(client: Client, table: str) -> None:
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | {"n": {"N": "100"}, "ns": {"NS": ["1", "2"]}})
    operands: dict[str, Any] = {":n": {"N": "1e2"}, ":ns": {"NS": ["2.0", "1.0"]}}
    client.delete_item(
        TableName=table,
        Key=key,
        ConditionExpression="n = :n AND ns = :ns AND contains(ns, :one)",
        ExpressionAttributeValues=operands | values(one=1),
    )


def test_number_keys_are_stored_canonically(client: Client) -> None:
    name = create(client, "pk:N")
    client.put_item(TableName=name, Item={"pk": {"N": "1.50"}})
    client.put_item(TableName=name, Item={"pk": {"N": "15e-1"}, "a": {"N": "1"}})
    assert client.scan(TableName=name)["Items"] == [{"pk": {"N": "1.5"}, "a": {"N": "1"}}]
