"""``singletable demo``: a short session on the embedded engine, each request beside its answer.

The session is data: requests as boto3 would send them, in the order in which they are sent. A
refusal is a part of it, and so is opening the file a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ._outline import outline

if TYPE_CHECKING:
    from rich.console import Console

    from singletable.engine import Engine

Once = Annotated[bool, typer.Option("--once", help="Exit after the run, as it does anyway today.")]

TABLE = {"TableName": "rpg_sessions"}
USER = {"PK": {"S": "USER#u1"}}
CAMPAIGN = USER | {"SK": {"S": "CAMPAIGN#c1"}}
SESSION = USER | {"SK": {"S": "SESSION#c1#s1"}}
DRAFT = USER | {"SK": {"S": "SESSION#c1#s2"}}


class Step(NamedTuple):
    """Is one request, why it is sent, and the error that it is meant to meet, if any."""

    purpose: str
    operation: str
    request: dict[str, Any]
    refusal: str | None = None


def _keys(hash_key: str, range_key: str) -> list[dict[str, str]]:
    pairs = ((hash_key, "HASH"), (range_key, "RANGE"))
    return [{"AttributeName": name, "KeyType": kind} for name, kind in pairs]


CREATE = Step(
    "One table for everything, with one index and a stream, in a file.",
    "CreateTable",
    TABLE
    | {
        "KeySchema": _keys("PK", "SK"),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"}
            for name in ("PK", "SK", "GSI1PK", "GSI1SK")
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "GSI1",
                "KeySchema": _keys("GSI1PK", "GSI1SK"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    },
)

ITEMS: list[dict[str, Any]] = [
    CAMPAIGN | {"name": {"S": "Dragon's Lair"}, "sessions": {"N": "2"}},
    SESSION
    | {"title": {"S": "Into the cave"}, "version": {"N": "1"}}
    | {"GSI1PK": {"S": "USER#u1#STATUS#DONE"}, "GSI1SK": {"S": "2026-11-01#s1"}},
    USER | {"SK": {"S": "SESSION#c1#s1#SUMMARY#1"}, "text": {"S": "They met."}},
    USER | {"SK": {"S": "SESSION#c1#s1#TRANSCRIPT"}, "bytes": {"N": "48213"}},
    DRAFT
    | {"title": {"S": "The bridge"}, "version": {"N": "1"}}
    | {"GSI1PK": {"S": "USER#u1#STATUS#DRAFT"}, "GSI1SK": {"S": "2026-11-08#s2"}},
]

RENAME = TABLE | {
    "Key": SESSION,
    "UpdateExpression": "SET title = :title ADD version :one",
    "ConditionExpression": "version = :read",
    "ExpressionAttributeValues": {
        ":title": {"S": "Into the deep cave"},
        ":one": {"N": "1"},
        ":read": {"N": "1"},
    },
    "ReturnValues": "UPDATED_NEW",
    "ReturnConsumedCapacity": "INDEXES",
}

SESSION_STEPS = (
    CREATE,
    Step(
        "A campaign, two sessions, and what belongs to the first.",
        "BatchWriteItem",
        {"RequestItems": {"rpg_sessions": [{"PutRequest": {"Item": item}} for item in ITEMS]}},
    ),
    Step(
        "A session with its summaries and transcript: one item collection, one request.",
        "Query",
        TABLE
        | {
            "KeyConditionExpression": "PK = :pk AND begins_with(SK, :sk)",
            "ExpressionAttributeValues": {":pk": {"S": "USER#u1"}, ":sk": {"S": "SESSION#c1#s1"}},
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    Step(
        "The sessions that are done, from the index: drafts are not even read.",
        "Query",
        TABLE
        | {
            "IndexName": "GSI1",
            "KeyConditionExpression": "GSI1PK = :pk AND GSI1SK >= :since",
            "ExpressionAttributeValues": {
                ":pk": {"S": "USER#u1#STATUS#DONE"},
                ":since": {"S": "2026-10-01"},
            },
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    Step("Rename a session, unless somebody changed it since it was read.", "UpdateItem", RENAME),
    Step(
        "The same again, from one who read version 1: refused.",
        "UpdateItem",
        RENAME,
        refusal="ConditionalCheckFailedException",
    ),
    Step(
        "All or nothing: the draft is there already, so the campaign is not counted up.",
        "TransactWriteItems",
        {
            "TransactItems": [
                {
                    "Update": TABLE
                    | {
                        "Key": CAMPAIGN,
                        "UpdateExpression": "ADD sessions :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    }
                },
                {
                    "Put": TABLE
                    | {"Item": DRAFT, "ConditionExpression": "attribute_not_exists(PK)"},
                },
            ]
        },
        refusal="TransactionCanceledException",
    ),
)

LOOK_AGAIN = Step(
    "Close the file, open it again: what was acknowledged is there.",
    "GetItem",
    TABLE | {"Key": SESSION, "ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL"},
)

ANSWERED = ("Items", "Item", "Attributes", "ConsumedCapacity")


def demo(_once: Once = False) -> None:
    """Run a short session on the embedded engine and print every step."""
    from rich.console import Console

    from singletable.engine import Engine

    console = Console(highlight=False)
    with TemporaryDirectory(prefix="singletable-") as folder:
        file = Path(folder) / "demo.db"
        with Engine(file) as engine:
            for step in SESSION_STEPS:
                _take(step, engine, console)
            _show(console, "What changed, as a reader of the stream sees it.", "GetRecords")
            _answer(console, "OK", list(_stream_records(engine)))
        with Engine(file) as engine:
            _take(LOOK_AGAIN, engine, console)


def _take(step: Step, engine: Engine, console: Console) -> None:
    """Send one request; print it, and what came of it."""
    from singletable.errors import ServiceError

    _show(console, step.purpose, step.operation)
    _print(console, step.request, "dim")
    try:
        answer = engine.call(step.operation, step.request)
    except ServiceError as error:
        if error.code != step.refusal:
            raise
        _answer(console, f"[red]{error.code}[/]", str(error))
    else:
        _answer(console, "OK", {name: answer[name] for name in ANSWERED if name in answer})


def _stream_records(engine: Engine) -> Iterator[str]:
    table = engine.call("DescribeTable", TABLE)["Table"]
    stream = {"StreamArn": table["LatestStreamArn"]}
    for shard in engine.call("DescribeStream", stream)["StreamDescription"]["Shards"]:
        start = {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = engine.call("GetShardIterator", stream | start)
        for record in engine.call("GetRecords", iterator)["Records"]:
            yield f"{record['eventName']:6}  {outline(record['dynamodb']['Keys'])[0]}"


def _show(console: Console, purpose: str, operation: str) -> None:
    console.print(f"\n[bold]{purpose}[/]\n  [cyan]{operation}[/]")


def _answer(console: Console, outcome: str, value: Any) -> None:
    console.print(f"  → {outcome}", style="green")
    _print(console, value, "")


def _print(console: Console, value: Any, style: str) -> None:
    for line in outline(value):
        margin = " " * (4 + len(line) - len(line.lstrip()))
        below = f"{margin}    "
        text = fill(line.lstrip(), console.width, initial_indent=margin, subsequent_indent=below)
        console.print(text, style=style, markup=False)
