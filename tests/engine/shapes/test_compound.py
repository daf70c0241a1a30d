"""Lists, maps, structures and requests: paths of faults, counting, and what is passed over."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.shapes import (
    IN_PROCESS,
    WIRE,
    Integer,
    List,
    Map,
    Request,
    Source,
    String,
    Structure,
    Unsupported,
)
from singletable.engine.shapes.members import BATCH_WRITE_ITEMS, TABLE_NAME
from singletable.errors import SerializationException, ValidationException

INNER = Structure({"AttributeName": String(min=1, max=5).required, "Count": Integer(min=1)})
REQUEST = Request(
    {
        "TableName": TABLE_NAME.required,
        "KeySchema": List(member=INNER, min=1, max=2),
        "Names": List(member=String(min=1, max=3)),
        "ByName": Map(key=String(min=2, max=4), value=INNER),
        "SSESpecification": Structure({"Enabled": Integer(min=1)}),
    }
)


def refusal(request: Any, source: Source = WIRE) -> str:
    with pytest.raises(ValidationException) as caught:
        REQUEST.accept(request, source)
    return caught.value.message


def test_a_missing_member_is_null_and_named_in_camel_case() -> None:
    assert refusal({}) == (
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: "
        "Member must not be null"
    )


def test_null_stands_for_an_absent_member() -> None:
    assert "Value null at 'tableName'" in refusal({"TableName": None})


def test_faults_are_counted_and_joined_in_the_order_of_the_declaration() -> None:
    message = refusal({"KeySchema": [{"AttributeName": "a", "Count": 0}, {}]})
    assert message == (
        "3 validation errors detected: "
        "Value null at 'tableName' failed to satisfy constraint: Member must not be null; "
        "Value '0' at 'keySchema.1.member.count' failed to satisfy constraint: "
        "Member must have value greater than or equal to 1; "
        "Value null at 'keySchema.2.member.attributeName' failed to satisfy constraint: "
        "Member must not be null"
    )


def test_a_list_of_the_wrong_length_is_printed_whole() -> None:
    assert refusal({"TableName": "abc", "KeySchema": []}) == (
        "1 validation error detected: Value '[]' at 'keySchema' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_a_list_is_blamed_for_a_text_in_it() -> None:
    assert refusal({"TableName": "abc", "Names": ["ok", ""]}) == (
        "1 validation error detected: Value '[ok, ]' at 'names' failed to satisfy constraint: "
        "Member must satisfy constraint: [Member must have length less than or equal to 3, "
        "Member must have length greater than or equal to 1]"
    )


def test_a_map_is_blamed_for_its_keys() -> None:
    assert refusal({"TableName": "abc", "ByName": {"x": {"AttributeName": "a"}}}) == (
        "1 validation error detected: Value '{x={AttributeName=a}}' at 'byName' failed to satisfy "
        "constraint: Map keys must satisfy constraint: "
        "[Member must have length less than or equal to 4, "
        "Member must have length greater than or equal to 2]"
    )


def test_a_fault_inside_a_map_value_has_the_key_in_its_path() -> None:
    assert "Value null at 'byName.xy.member.attributeName'" in refusal(
        {"TableName": "abc", "ByName": {"xy": {}}}
    )


def test_a_map_is_blamed_for_a_value_of_the_wrong_length() -> None:
    shape = Request({"RequestItems": BATCH_WRITE_ITEMS.required})
    with pytest.raises(ValidationException) as caught:
        shape.accept({"RequestItems": {"abc": []}}, WIRE)
    assert caught.value.message == (
        "1 validation error detected: Value '{abc=[]}' at 'requestItems' failed to satisfy "
        "constraint: Map value must satisfy constraint: "
        "[Member must have length less than or equal to 25, "
        "Member must have length greater than or equal to 1]"
    )


def test_a_leading_acronym_is_lowered_whole() -> None:
    message = refusal({"TableName": "abc", "SSESpecification": {"Enabled": 0}})
    assert "at 'sseSpecification.enabled'" in message


def test_types_come_before_constraints() -> None:
    with pytest.raises(SerializationException, match="NUMBER_VALUE"):
        REQUEST.accept({"KeySchema": [], "Names": [1]}, WIRE)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ([], "Start of list found where not expected"),
        ("x", "Unexpected field type"),
        (None, "Unexpected field type"),
        ({"Names": "x"}, "Unexpected field type"),
        ({"Names": {}}, "Start of structure or map found where not expected"),
        ({"ByName": []}, "Start of list found where not expected"),
        ({"ByName": {"ab": "x"}}, "Unexpected field type"),
    ],
)
def test_a_value_in_the_place_of_a_collection_is_refused(request_: Any, message: str) -> None:
    with pytest.raises(SerializationException) as caught:
        REQUEST.accept(request_, WIRE)
    assert caught.value.message == message


def test_an_unknown_member_is_passed_over_on_the_wire() -> None:
    assert REQUEST.accept({"TableName": "abc", "Nmae": 1}, WIRE) == {"TableName": "abc"}


def test_an_unknown_member_is_refused_in_process_as_boto3_does() -> None:
    with pytest.raises(TypeError, match="unknown parameter 'Nmae', must be one of TableName, Key"):
        REQUEST.accept({"TableName": "abc", "Nmae": 1}, IN_PROCESS)


def test_a_request_is_read_into_a_copy() -> None:
    given = {"TableName": "abc", "KeySchema": [{"AttributeName": "a"}]}
    read = REQUEST.accept(given, IN_PROCESS)
    read["KeySchema"][0]["AttributeName"] = "b"
    assert given["KeySchema"] == [{"AttributeName": "a"}]


@pytest.mark.parametrize("name", ["ab", "a b", "x" * 256, "ARN:aws:dynamodb:::table/abc"])
def test_a_name_that_no_table_can_have_is_refused_once_all_constraints_hold(name: str) -> None:
    assert refusal({"TableName": name}).startswith("Invalid table/index name.  Table/index names")
    assert refusal({"TableName": name, "KeySchema": []}).startswith("1 validation error detected")


def test_the_arn_of_a_table_is_taken_for_its_name() -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/abc"
    assert REQUEST.accept({"TableName": arn}, WIRE) == {"TableName": arn}


def test_what_the_engine_cannot_do_is_refused_by_name() -> None:
    shape = Request({"VectorIndexes": Unsupported("VectorIndexes")})
    with pytest.raises(ValidationException) as caught:
        shape.accept({"VectorIndexes": [{}]}, WIRE)
    assert caught.value.message == "VectorIndexes is not supported by the embedded engine"
