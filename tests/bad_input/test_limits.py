"""Requests at a limit of the service, which are carried out, and one past it, which are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.engine import Engine
from singletable.errors import ServiceError
from tests.bad_input.samples import KEY, TABLE, Request
from tests.bad_input.support import contents, nested, refusal, ways
from tests.engine.support import definitions, index, key_schema

Call = tuple[str, Request]

INVALID_CODE = "ValidationException"
ITEM_MAX = 400 * 1024
EXPRESSION_MAX = 4096
INVALID = "One or more parameter values were invalid: "
BROKEN = "1 validation error detected: "
HASH_TOO_LARGE = f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_TOO_LARGE = (
    f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
)
INDEX_KEY_TOO_LARGE = (
    "The update expression attempted to update the secondary index key beyond allowed size limits"
)
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
TOO_DEEP = "Nesting Levels have exceeded supported limits"
VALUE_TOO_DEEP = f"ExpressionAttributeValues contains invalid value: {TOO_DEEP}"
EXPRESSION_TOO_LONG = "Expression size has exceeded the maximum allowed size;"
CANCELLED = (
    "Transaction cancelled, please refer cancellation reasons for specific reasons "
    "[ValidationError]"
)

WIDE = "wide"
WIDE_KEY: Request = {"pk": {"S": "p"}, "sk": {"B": b"s"}}
NEW = KEY | {"sk": {"N": "9"}}


@pytest.fixture(autouse=True)
def prepared(engine: Engine) -> None:
    """Make the engine one for these requests."""
    prepare(engine)


def prepare(engine: Engine) -> None:
    """Create a table with keys of text and bytes, also in its indexes, and an item to update."""
    engine.call(
        "CreateTable",
        {
            "TableName": WIDE,
            "AttributeDefinitions": definitions("pk", "sk:B", "h", "r", "l:B"),
            "KeySchema": key_schema("pk", "sk:RANGE"),
            "GlobalSecondaryIndexes": [index("by-h", "h", "r:RANGE")],
            "LocalSecondaryIndexes": [index("by-l", "pk", "l:RANGE")],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    engine.call("PutItem", {"TableName": TABLE, "Item": NEW | {"m": {"M": {}}}})


def text(size: int) -> Request:
    """Say a text of so many bytes and half as many characters."""
    return {"S": "é" * (size // 2) + "x" * (size % 2)}


def list_of(size: int) -> Request:
    return {"L": [text(size)]}


def blob(size: int) -> Request:
    return {"B": bytes(size)}


def put(item: Request, table: str = TABLE) -> Call:
    return "PutItem", {"TableName": table, "Item": item}


def batch_put(item: Request) -> Call:
    return "BatchWriteItem", {"RequestItems": {TABLE: [{"PutRequest": {"Item": item}}]}}


def transact_put(item: Request) -> Call:
    return "TransactWriteItems", {"TransactItems": [{"Put": put(item)[1]}]}


def update(expression: str, key: Request = NEW, table: str = TABLE, /, **given: Request) -> Call:
    members = {"TableName": table, "Key": key, "UpdateExpression": expression}
    if given:
        members["ExpressionAttributeValues"] = {f":{name}": each for name, each in given.items()}
    return "UpdateItem", members


def transact_update(expression: str, **given: Request) -> Call:
    return "TransactWriteItems", {"TransactItems": [{"Update": update(expression, **given)[1]}]}


def query(expression: str, *, index: str | None = None, **given: Request) -> Call:
    return "Query", {
        "TableName": WIDE,
        "IndexName": index,
        "KeyConditionExpression": expression,
        "ExpressionAttributeValues": {f":{name}": each for name, each in given.items()},
    }


def wide_key(operation: str, **key: Request) -> Call:
    return operation, {"TableName": WIDE, "Key": WIDE_KEY | key}


def keys(count: int) -> list[Request]:
    return [KEY | {"sk": {"N": str(number)}} for number in range(count)]


def statement(text: str, *parameters: Request) -> Call:
    return "ExecuteStatement", {"Statement": text, "Parameters": list(parameters) or None}


def statements(count: int) -> list[Request]:
    return [
        {"Statement": f"SELECT * FROM {TABLE} WHERE pk = 'p' AND sk = {n}"} for n in range(count)
    ]


def filled(size: int) -> Request:
    """Say an item of so many bytes, a key of 7 and a name of 1 among them."""
    return NEW | {"f": {"S": "x" * (size - 8)}}


def payload(size: int) -> Call:
    """Say a transaction of so many bytes."""
    part = size // 16
    items = [filled(part + (size - 16 * part) * (not number)) for number in range(16)]
    actions = [
        {"Put": put(item | {"sk": {"N": str(number + 1)}})[1]} for number, item in enumerate(items)
    ]
    return "TransactWriteItems", {"TransactItems": actions}


def padded(member: str, expression: str, size: int) -> Call:
    given = {":v": {"N": "1"}} if ":v" in expression else None
    members = {member: expression.ljust(size), "ExpressionAttributeValues": given}
    if member == "UpdateExpression":
        return "UpdateItem", {"TableName": TABLE, "Key": NEW, **members}
    if member == "ConditionExpression":
        return "PutItem", {"TableName": TABLE, "Item": NEW, **members}
    return "Scan", {"TableName": TABLE, **members}


def operators(count: int) -> Call:
    return padded("FilterExpression", "NOT " * (count - 1) + "a = :v", 0)


def operands(count: int) -> Call:
    names = [f":v{number}" for number in range(count)]
    given = {name: {"N": "1"} for name in names}
    return "Scan", {
        "TableName": TABLE,
        "FilterExpression": f"a IN ({', '.join(names)})",
        "ExpressionAttributeValues": given,
    }


LIMITS: dict[str, tuple[Callable[[int], Call], int, str]] = {
    "item-put": (lambda n: put(filled(n)), ITEM_MAX, ITEM_TOO_LARGE),
    "item-put-in-batch": (lambda n: batch_put(filled(n)), ITEM_MAX, ITEM_TOO_LARGE),
    "item-put-in-transaction": (lambda n: transact_put(filled(n)), ITEM_MAX, ITEM_TOO_LARGE),
    "item-updated": (
        lambda n: update("SET f = :f REMOVE m", f={"S": "x" * (n - 8)}),
        ITEM_MAX,
        UPDATE_TOO_LARGE,
    ),
    "item-updated-in-transaction": (
        lambda n: transact_update("SET f = :f REMOVE m", f={"S": "x" * (n - 8)}),
        ITEM_MAX,
        CANCELLED,
    ),
    "item-grown": (  # key and name 8, list 3, elements 1 each
        lambda n: update(
            "SET l = list_append(:a, :b) REMOVE m", a=list_of(999), b=list_of(n - 1012)
        ),
        ITEM_MAX,
        UPDATE_TOO_LARGE,
    ),
    "item-inserted": (
        lambda n: statement(
            f"INSERT INTO {TABLE} VALUE {{'pk': 'p', 'sk': 8, 'f': ?}}", {"S": "x" * (n - 8)}
        ),
        ITEM_MAX,
        ITEM_TOO_LARGE,
    ),
    "nesting-put": (lambda n: put(NEW | {"d": nested(n - 1)}), 32, TOO_DEEP),
    "nesting-of-maps": (lambda n: put(NEW | {"d": nested(n - 1, "M")}), 32, TOO_DEEP),
    "nesting-put-in-batch": (lambda n: batch_put(NEW | {"d": nested(n - 1)}), 32, TOO_DEEP),
    "nesting-put-in-transaction": (
        lambda n: transact_put(NEW | {"d": nested(n - 1)}),
        32,
        TOO_DEEP,
    ),
    "nesting-set": (lambda n: update("SET d = :d", d=nested(n - 1)), 32, VALUE_TOO_DEEP),
    "nesting-set-below": (lambda n: update("SET m.d = :d", d=nested(n - 2)), 32, TOO_DEEP),
    "nesting-path": (
        lambda n: padded("FilterExpression", f"attribute_exists(a{'.a' * (n - 1)})", 0),
        32,
        (
            "Invalid FilterExpression: The document path has too many nesting levels; "
            "nesting levels: 33"
        ),
    ),
    "hash-key-put": (lambda n: put(WIDE_KEY | {"pk": text(n)}, WIDE), 2048, HASH_TOO_LARGE),
    "hash-key-got": (lambda n: wide_key("GetItem", pk=text(n)), 2048, HASH_TOO_LARGE),
    "hash-key-deleted": (lambda n: wide_key("DeleteItem", pk=text(n)), 2048, HASH_TOO_LARGE),
    "hash-key-updated": (lambda n: wide_key("UpdateItem", pk=text(n)), 2048, HASH_TOO_LARGE),
    "sort-key-put": (lambda n: put(WIDE_KEY | {"sk": blob(n)}, WIDE), 1024, RANGE_TOO_LARGE),
    "sort-key-got": (lambda n: wide_key("GetItem", sk=blob(n)), 1024, RANGE_TOO_LARGE),
    "sort-key-deleted": (lambda n: wide_key("DeleteItem", sk=blob(n)), 1024, RANGE_TOO_LARGE),
    "sort-key-updated": (lambda n: wide_key("UpdateItem", sk=blob(n)), 1024, RANGE_TOO_LARGE),
    "sort-key-queried": (
        lambda n: query("pk = :p AND sk BETWEEN :l AND :h", p=text(1), l=blob(1), h=blob(n)),
        1024,
        RANGE_TOO_LARGE,
    ),
    "index-sort-key-queried": (
        lambda n: query("h = :h AND begins_with(r, :r)", index="by-h", h=text(1), r=text(n)),
        1024,
        RANGE_TOO_LARGE,
    ),
    "index-hash-key-put": (
        lambda n: put(WIDE_KEY | {"h": text(n)}, WIDE),
        2048,
        f"{INVALID}Size limit exceeded for Index Key h ",
    ),
    "index-sort-key-put": (
        lambda n: put(WIDE_KEY | {"r": text(n)}, WIDE),
        1024,
        f"{INVALID}Size limit exceeded for Index Key r ",
    ),
    "local-sort-key-put": (
        lambda n: put(WIDE_KEY | {"l": blob(n)}, WIDE),
        1024,
        f"{INVALID}Size limit exceeded for Index Key l ",
    ),
    "index-hash-key-set": (
        lambda n: update("SET h = :h", WIDE_KEY, WIDE, h=text(n)),
        2048,
        INDEX_KEY_TOO_LARGE,
    ),
    "local-sort-key-set": (
        lambda n: update("SET l = :l", WIDE_KEY, WIDE, l=blob(n)),
        1024,
        INDEX_KEY_TOO_LARGE,
    ),
    "writes-in-a-batch": (
        lambda n: (
            "BatchWriteItem",
            {"RequestItems": {TABLE: [{"DeleteRequest": {"Key": key}} for key in keys(n)]}},
        ),
        25,
        BROKEN,
    ),
    "writes-in-a-batch-over-tables": (
        lambda n: (
            "BatchWriteItem",
            {
                "RequestItems": {
                    TABLE: [{"DeleteRequest": {"Key": key}} for key in keys(n - 1)],
                    WIDE: [{"DeleteRequest": {"Key": WIDE_KEY}}],
                }
            },
        ),
        25,
        "Too many items requested for the BatchWriteItem call",
    ),
    "reads-in-a-batch": (
        lambda n: ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys(n)}}}),
        100,
        BROKEN,
    ),
    "reads-in-a-batch-over-tables": (
        lambda n: (
            "BatchGetItem",
            {"RequestItems": {TABLE: {"Keys": keys(n - 1)}, WIDE: {"Keys": [WIDE_KEY]}}},
        ),
        100,
        "Too many items requested for the BatchGetItem call",
    ),
    "writes-in-a-transaction": (
        lambda n: (
            "TransactWriteItems",
            {"TransactItems": [{"Delete": {"TableName": TABLE, "Key": key}} for key in keys(n)]},
        ),
        100,
        BROKEN,
    ),
    "reads-in-a-transaction": (
        lambda n: (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": TABLE, "Key": key}} for key in keys(n)]},
        ),
        100,
        BROKEN,
    ),
    "statements-in-a-transaction": (
        lambda n: ("ExecuteTransaction", {"TransactStatements": statements(n)}),
        100,
        BROKEN,
    ),
    "statements-in-a-batch": (
        lambda n: ("BatchExecuteStatement", {"Statements": statements(n)}),
        25,
        BROKEN,
    ),
    "transaction": (payload, 4 * 1024 * 1024, "Transaction payload size cannot exceed 4MB."),
    "attribute-name": (lambda n: put(NEW | {"n" * n: text(1)}), 65535, BROKEN),
    "nested-attribute-name": (
        lambda n: put(NEW | {"m": {"M": {"n" * n: text(1)}}}),
        65535,
        "Attribute name is too large, must be less than 65536 bytes",
    ),
    "aliased-attribute-name": (
        lambda n: (
            "Scan",
            {
                "TableName": TABLE,
                "ProjectionExpression": "#n",
                "ExpressionAttributeNames": {"#n": "n" * n},
            },
        ),
        65535,
        BROKEN,
    ),
    "condition": (
        lambda n: padded("ConditionExpression", "attribute_not_exists(a)", n),
        EXPRESSION_MAX,
        f"Invalid ConditionExpression: {EXPRESSION_TOO_LONG} expression size: 4097",
    ),
    "filter": (
        lambda n: padded("FilterExpression", "a = :v", n),
        EXPRESSION_MAX,
        f"Invalid FilterExpression: {EXPRESSION_TOO_LONG} expression size: 4097",
    ),
    "update": (
        lambda n: padded("UpdateExpression", "SET a = :v", n),
        EXPRESSION_MAX,
        f"Invalid UpdateExpression: {EXPRESSION_TOO_LONG}",
    ),
    "projection": (
        lambda n: padded("ProjectionExpression", "a", n),
        EXPRESSION_MAX,
        f"Invalid ProjectionExpression: {EXPRESSION_TOO_LONG}",
    ),
    "operators": (
        operators,
        300,
        "Invalid FilterExpression: The expression contains too many operators; operator count: 301",
    ),
    "operands-of-in": (
        operands,
        100,
        (
            "Invalid FilterExpression: The IN operator is provided with too many operands; "
            "number of operands: 101"
        ),
    ),
    "statement": (
        lambda n: statement(f"SELECT * FROM {TABLE} WHERE pk = 'p'".ljust(n)),
        8192,
        BROKEN,
    ),
    "digits": (
        lambda n: put(NEW | {"n": {"N": f"-0.0{'1' * n}e5"}}),
        38,
        "Attempting to store more than 38 significant digits in a Number",
    ),
    "magnitude": (
        lambda n: put(NEW | {"n": {"N": f"9.9e{n}"}}),
        125,
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
    "smallness": (
        lambda n: put(NEW | {"n": {"N": f"1e-{n}"}}),
        130,
        (
            "Number underflow. Attempting to store a number with magnitude smaller than supported "
            "range"
        ),
    ),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_can_be_reached_and_not_passed(engine: Engine, limit: str) -> None:
    make, most, message = LIMITS[limit]
    for number in range(2):
        with engine.fork() as fresh:
            ways(fresh)[number](*make(most))
        before = contents(engine)
        error = refusal(ways(engine)[number], *make(most + 1))
        assert error.message.startswith(message)
        cancelled = "TransactionCanceledException" if message is CANCELLED else INVALID_CODE
        assert error.code == cancelled
        assert contents(engine) == before


@pytest.mark.parametrize("kind", ["S", "B", "N"])
@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
def test_a_key_is_never_empty(engine: Engine, operation: str, kind: str) -> None:
    table = TABLE if kind == "N" else WIDE
    name, content = ("pk", "") if kind == "S" else ("sk", "" if kind == "N" else b"")
    key = (KEY if kind == "N" else WIDE_KEY) | {name: {kind: content}}
    before = contents(engine)
    for ask in ways(engine):
        member = {"Item" if operation == "PutItem" else "Key": key}
        error = refusal(ask, operation, {"TableName": table, **member})
        assert error.code == INVALID_CODE
    assert contents(engine) == before


SAME = [("1", "1.0"), ("0", "-0"), ("10", "1e1"), (".5", "0.50")]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_an_item_is_named_once_in_a_request_however_its_number_is_spelt(
    engine: Engine, one: str, other: str
) -> None:
    first, second = KEY | {"sk": {"N": one}}, KEY | {"sk": {"N": other}}
    requests: list[Call] = [
        (
            "BatchWriteItem",
            {
                "RequestItems": {
                    TABLE: [{"PutRequest": {"Item": first}}, {"DeleteRequest": {"Key": second}}]
                }
            },
        ),
        ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [first, second]}}}),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": TABLE, "Item": first}},
                    {"Delete": {"TableName": TABLE, "Key": second}},
                ]
            },
        ),
        (
            "TransactGetItems",
            {
                "TransactItems": [
                    {"Get": {"TableName": TABLE, "Key": key}} for key in (first, second)
                ]
            },
        ),
    ]
    before = contents(engine)
    for ask in ways(engine):
        for operation, request in requests:
            error = refusal(ask, operation, request)
            assert error.code == INVALID_CODE
            assert "duplicates" in error.message or "multiple operations" in error.message
    assert contents(engine) == before


def test_a_batch_with_one_bad_item_writes_none(engine: Engine) -> None:
    good = [{"PutRequest": {"Item": key}} for key in keys(24)]
    bad = {"PutRequest": {"Item": filled(ITEM_MAX + 1)}}
    before = contents(engine)
    for ask in ways(engine):
        refusal(ask, "BatchWriteItem", {"RequestItems": {TABLE: [*good, bad]}})
    assert contents(engine) == before


@pytest.mark.parametrize("members", [{"": {"S": "x"}}, {"m": {"M": {"": {"S": "x"}}}}])
def test_an_attribute_has_a_name(engine: Engine, members: Request) -> None:
    for ask in ways(engine):
        error = refusal(ask, *put(KEY | members))
        assert (error.code, error.message) == (INVALID_CODE, "Empty attribute name")


def test_an_engine_that_was_attacked_still_writes(engine: Engine) -> None:
    for make, most, _ in LIMITS.values():
        with pytest.raises(ServiceError):
            engine.call(*make(most + 1))
    engine.call(*put(NEW | {"word": {"S": "alive"}}))
    answer = engine.call("GetItem", {"TableName": TABLE, "Key": NEW})
    assert answer["Item"]["word"] == {"S": "alive"}
