"""What a request or an answer looks like in print."""

from typing import Any

import pytest

from singletable.cli._outline import outline


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({}, []),
        ({"PK": {"S": "a"}, "n": {"N": "1"}}, ["PK=a  n=1"]),
        ({"TableName": "t", "Key": {"PK": {"S": "a"}}}, ["TableName  t", "Key  PK=a"]),
        ({"Items": []}, ["Items"]),
        ({"Items": [{"PK": {"S": "a"}}]}, ["Items", "  - PK=a"]),
        (
            {"TransactItems": [{"Put": {"TableName": "t", "Item": {"PK": {"S": "a"}}}}]},
            ["TransactItems", "  - Put", "      TableName  t", "      Item  PK=a"],
        ),
    ],
)
def test_structure_is_indented_and_items_are_lines(value: Any, lines: list[str]) -> None:
    assert outline(value) == lines
