"""ListStreams: pages, tables, limits."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ValidationException
from tests.engine.stream_reading import create_streamed, set_stream
from tests.engine.support import create


def test_streams_of_all_tables_are_listed(engine: Engine) -> None:
    create(engine, TableName="silent")
    arn = create_streamed(engine)
    [stream] = engine.call("ListStreams", {})["Streams"]
    label = arn.rpartition("/")[2]
    assert stream == {"StreamArn": arn, "TableName": "things", "StreamLabel": label}


def test_a_table_lists_its_closed_streams_too(engine: Engine) -> None:
    create_streamed(engine, TableName="others")
    old = create_streamed(engine)
    set_stream(engine, None)
    new = set_stream(engine, "KEYS_ONLY")["LatestStreamArn"]
    listed = engine.call("ListStreams", {"TableName": "things"})["Streams"]
    assert [stream["StreamArn"] for stream in listed] == [old, new]
    assert engine.call("ListStreams", {"TableName": "nothing"}) == {"Streams": []}


def test_pages_go_on_where_the_last_one_ended(engine: Engine) -> None:
    arns = sorted(create_streamed(engine, TableName=f"table-{n}") for n in range(5))
    found = []
    request: dict[str, Any] = {"Limit": 2}
    for _ in range(3):
        answer = engine.call("ListStreams", request)
        found += [stream["StreamArn"] for stream in answer["Streams"]]
        request["ExclusiveStartStreamArn"] = answer.get("LastEvaluatedStreamArn")
    assert found == arns
    assert "LastEvaluatedStreamArn" not in answer


def test_nothing_comes_after_what_is_no_stream(engine: Engine) -> None:
    create_streamed(engine)
    assert engine.call("ListStreams", {"ExclusiveStartStreamArn": "x" * 40}) == {"Streams": []}


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (0, "Value '0' at 'limit' failed to satisfy constraint"),
        (101, "Limit cannot be greater than the maximum allowed size: 100"),
    ],
)
def test_a_limit_is_between_1_and_100(engine: Engine, limit: int, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        engine.call("ListStreams", {"Limit": limit})
