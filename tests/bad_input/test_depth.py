"""Texts and bodies that are deep, long or made to be slow: an error, soon, and little memory."""

from __future__ import annotations

import sys
import time
import tracemalloc
from types import FrameType

import pytest

from singletable.engine import Engine
from tests.bad_input.samples import ARN, ITEM, KEY, TABLE
from tests.bad_input.support import contents, refusal, ways

SECONDS_MAX = 5
VALUE = {"ExpressionAttributeValues": {":v": {"N": "1"}}}
INVALID = "ValidationException"

CONDITIONS = [
    "(" * 2000 + "a = :v" + ")" * 2000,
    "(" * 4096,
    ")" * 4096,
    "NOT " * 1000 + "a = :v",
    "NOT (" * 600 + "a = :v" + ")" * 600,
    "(a = :v OR " * 300 + "a = :v" + ")" * 300,
    " AND ".join(["a = :v"] * 400),
    "size(" * 500 + "a" + ")" * 500 + " = :v",
    "attribute_exists(" * 200,
    "begins_with(a, " * 200,
    f"attribute_exists({'.'.join(['a'] * 2000)})",
    f"attribute_exists(a{'[0]' * 1300})",
    f"attribute_exists(a[{'9' * 4000}])",
    f"a IN ({', '.join([':v'] * 800)})",
    "a BETWEEN " * 400,
    "a = :v\0",
    "\ufeffa = :v",
    "# = :v",
    "a = :",
    " " * 4096,
    "",
]
UPDATES = [
    f"SET a = {'(' * 2000}:v{')' * 2000}",
    f"SET a = {'if_not_exists(a, ' * 240}",
    f"SET a = {'list_append(a, ' * 250}a{')' * 250}",
    f"SET a = :v{' + :v' * 800}",
    f"SET {'.'.join(['a'] * 2000)} = :v",
    f"SET steps{'[0]' * 1300} = :v",
    f"SET steps[{'9' * 4000}] = :v",
    f"REMOVE steps[{'9' * 4000}]",
    f"REMOVE {', '.join(['a'] * 1000)}",
    "SET " * 1000,
    "SET a = :v " * 300,
    "",
]
STATEMENTS = [
    "(" * 8192,
    "SELECT " * 1000,
    "EXISTS(" * 1000,
    '"' * 8001,
    "'" * 8001,
    "-" * 8000,
    "/*" * 4000,
    "?" * 8000,
    "SELECT " + "a," * 4000,
    *(
        f"SELECT * FROM {TABLE} WHERE {condition}"
        for condition in [
            "(" * 3900 + "pk = 'p'" + ")" * 3900,
            "NOT " * 1900 + "pk = 'p'",
            " AND ".join(["a = 1"] * 800),
            " OR ".join(["pk = 'p'"] * 600),
            f"a{'.a' * 3900} = 1",
            f"a{'[0]' * 2600} = 1",
            f"a[{'9' * 8000}] = 1",
            f"a = {'9' * 8000}",
            f"a = 1e{'9' * 8000}",
            f"a = {'[' * 8000}",
            f"a = {'[' * 3900}{']' * 3900}",
            "a = " + "{'a': " * 1300,
            f"a = {'<<' * 3900}",
            f"a = {'- ' * 3900}1",
            f"a = {'1 + ' * 1900}1",
            f"a IN [{', '.join(['1'] * 2600)}]",
            "a BETWEEN " * 700,
            "size(" * 1000 + "a" + ")" * 1000 + " = 1",
        ]
    ),
    f"INSERT INTO {TABLE} VALUE {{'pk': 'x', 'sk': 1, 'a': {'[' * 3900}{']' * 3900}}}",
    f"UPDATE {TABLE} SET a = {'1 + ' * 1900}1 WHERE pk = 'p' AND sk = 1",
    f"UPDATE {TABLE} SET a[{'9' * 8000}] = 1 WHERE pk = 'p' AND sk = 1",
]


def shown(text: str) -> str:
    return f"{text[:40]}…{len(text)}"


@pytest.mark.parametrize("text", CONDITIONS, ids=shown)
@pytest.mark.parametrize("member", ["ConditionExpression", "FilterExpression"])
def test_a_condition_made_to_hurt_is_invalid(engine: Engine, member: str, text: str) -> None:
    operation, item = ("PutItem", {"Item": ITEM}) if member[0] == "C" else ("Scan", {})
    before = contents(engine)
    started = time.process_time()
    for ask in ways(engine):
        error = refusal(ask, operation, {"TableName": TABLE, **item, member: text, **VALUE})
        assert error.code == INVALID
        assert error.message.startswith(f"Invalid {member}: ")
    assert time.process_time() - started < SECONDS_MAX
    assert contents(engine) == before


@pytest.mark.parametrize("text", UPDATES, ids=shown)
def test_an_update_made_to_hurt_is_invalid(engine: Engine, text: str) -> None:
    before = contents(engine)
    request = {"TableName": TABLE, "Key": KEY, "UpdateExpression": text, **VALUE}
    for ask in ways(engine):
        assert refusal(ask, "UpdateItem", request).code == INVALID
    assert contents(engine) == before


@pytest.mark.parametrize("text", STATEMENTS, ids=shown)
def test_a_statement_made_to_hurt_is_invalid(engine: Engine, text: str) -> None:
    assert len(text) <= 8192
    before = contents(engine)
    started = time.process_time()
    for ask in ways(engine):
        assert refusal(ask, "ExecuteStatement", {"Statement": text}).code == INVALID
    assert time.process_time() - started < SECONDS_MAX
    assert contents(engine) == before


def test_what_is_allowed_to_nest_leaves_room_on_the_stack(engine: Engine) -> None:
    """The deepest expressions that are right take at most part of what Python gives a thread."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(stack_depth() + 900)
    try:
        deep = "NOT " * 299 + "a = :v"
        engine.call("Scan", {"TableName": TABLE, "FilterExpression": deep, **VALUE})
        text = f"SET a = {'if_not_exists(b, ' * 225}:v{')' * 225}"
        engine.call(
            "UpdateItem", {"TableName": TABLE, "Key": KEY, "UpdateExpression": text, **VALUE}
        )
    finally:
        sys.setrecursionlimit(limit)


def stack_depth() -> int:
    frame: FrameType | None = sys._getframe()
    depth = 0
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


SCALE = 200_000


def repeated(before: str, part: str, after: str) -> bytes:
    """Write a body with a part of it again and again."""
    count = SCALE // len(part)
    return f"{before}{','.join([part] * count)}{after}".encode()


def numbered(before: str, part: str, after: str) -> bytes:
    """Write a body with many members, no two of the same name."""
    count = SCALE // (len(part) + 6)
    return f"{before}{','.join(part % n for n in range(count))}{after}".encode()


ITEM_START = f'{{"TableName": "{TABLE}", "Item": {{"pk": {{"S": "p"}}, "sk": {{"N": "1"}}, '
KEY_START = f'{{"TableName": "{TABLE}", "Key": {{"pk": {{"S": "p"}}, "sk": {{"N": "1"}}}}, '
BODIES: dict[str, tuple[str, bytes]] = {
    "empty gets": ("TransactGetItems", repeated('{"TransactItems": [', "{}", "]}")),
    "empty puts": ("TransactWriteItems", repeated('{"TransactItems": [', '{"Put": {}}', "]}")),
    "empty keys": (
        "BatchGetItem",
        repeated(f'{{"RequestItems": {{"{TABLE}": {{"Keys": [', "{}", "]}}}"),
    ),
    "tables without keys": ("BatchGetItem", numbered('{"RequestItems": {', '"%05d": {}', "}}")),
    "tables without writes": ("BatchWriteItem", numbered('{"RequestItems": {', '"%05d": []', "}}")),
    "empty definitions": (
        "CreateTable",
        repeated('{"TableName": "new", "KeySchema": [], "AttributeDefinitions": [', "{}", "]}"),
    ),
    "tags": (
        "TagResource",
        numbered(f'{{"ResourceArn": "{ARN}", "Tags": [', '{"Key": "%05d", "Value": ""}', "]}"),
    ),
    "digits": ("PutItem", f'{ITEM_START}"n": {{"N": "{"0" * SCALE}x"}}}}}}'.encode()),
    "fraction": ("PutItem", f'{ITEM_START}"n": {{"N": "1.{"1" * SCALE}"}}}}}}'.encode()),
    "exponent": ("PutItem", f'{ITEM_START}"n": {{"N": "1e{"9" * SCALE}"}}}}}}'.encode()),
    "numbers": ("PutItem", repeated(f'{ITEM_START}"n": {{"NS": [', '"1e9"', "]}}}")),
    "empty values": ("PutItem", repeated(f'{ITEM_START}"l": {{"L": [', "{}", "]}}}")),
    "names": (
        "UpdateItem",
        numbered(
            f'{KEY_START}"UpdateExpression": "REMOVE a", "ExpressionAttributeNames": {{',
            '"#%05d": "b"',
            "}}",
        ),
    ),
    "values": (
        "UpdateItem",
        numbered(
            f'{KEY_START}"UpdateExpression": "REMOVE a", "ExpressionAttributeValues": {{',
            '":%05d": {"S": ""}',
            "}}",
        ),
    ),
    "long names": (
        "GetItem",
        numbered(f'{KEY_START}"ExpressionAttributeNames": {{', f'"#%05d": "{"x" * 65536}"', "}}"),
    ),
    "policy": (
        "PutResourcePolicy",
        f'{{"ResourceArn": "{ARN}", "Policy": "{"[" * SCALE}"}}'.encode(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_a_long_body_is_refused_soon_and_in_little_memory(engine: Engine, body: str) -> None:
    """What is here 200 KB would else, at the greatest length of a body, take minutes and GBs."""
    operation, data = BODIES[body]
    before = contents(engine)
    tracemalloc.start()
    started = time.process_time()
    try:
        error = refusal(engine.call_json, operation, data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code == INVALID
    assert time.process_time() - started < SECONDS_MAX
    assert peak < 250 * len(data)
    assert len(error.message) < 4 * len(data)
    assert contents(engine) == before
