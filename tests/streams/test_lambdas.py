"""Lambda calls a function with records; it answers with the first one that has to come again."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from typing import Any

import pytest

from singletable import Transaction, UsageError, add
from singletable.streams import Batch, Created, Failures, Handlers, handler, lambda_handler
from singletable.streams.records import Record

from .design import NOW, Customer, Order, Shop, record


def event(*records: Record) -> Any:
    """Write records as Lambda does."""
    written = [
        {
            "eventID": one.sequence_number,
            "eventName": one.event,
            "eventSource": "aws:dynamodb",
            "eventSourceARN": "arn:aws:dynamodb:eu-west-1:1:table/shop/stream/2026-03-01T00:00:00",
            "dynamodb": {
                "ApproximateCreationDateTime": NOW.timestamp(),
                "Keys": one.keys,
                "SequenceNumber": one.sequence_number,
                **({"OldImage": one.old} if one.old else {}),
                **({"NewImage": one.new} if one.new else {}),
            },
        }
        for one in records
    ]
    return json.loads(json.dumps({"Records": written}, default=lambda raw: b64encode(raw).decode()))


class Tally(Handlers[Shop]):
    """Adds up what customers spend, once for each order, but takes no negative ones."""

    @handler
    def add_up(self, change: Created[Order], once: Transaction) -> None:
        if change.new.total < 0:
            raise ValueError("negative")
        once.upsert(Customer.key(customer_id="c"), spent=add(change.new.total))


class Seen:
    """A consumer that keeps what it is given."""

    def __init__(self, error: Exception | None = None) -> None:
        self.name = "seen"
        self.totals: list[int] = []
        self.error = error

    def deliver(self, batch: Batch, failures: Failures) -> None:
        if self.error:
            raise self.error
        assert batch.shard is None
        self.totals += [change.new.total for change in batch.changes]  # type: ignore[attr-defined] # all are Created


def orders(*totals: int) -> Any:
    return event(
        *(record(None, Order(customer_id="c", order_id=str(n), total=total))
          for n, total in enumerate(totals))
    )  # fmt: skip


@pytest.fixture
def store() -> Shop:
    return Shop.connect(":memory:")


def spent(store: Shop) -> int:
    return store.bind(Customer.get(customer_id="c")).one().spent


def test_all_is_well(store: Shop) -> None:
    run = lambda_handler(store, Tally(store))
    assert run(orders(1, 2, 3), None) == {"batchItemFailures": []}
    assert spent(store) == 6


def test_the_first_record_that_failed_is_named_and_what_was_done_is_not_done_again(
    store: Shop,
) -> None:
    told = orders(1, -1, 3)
    run = lambda_handler(store, Tally(store))
    failed = told["Records"][1]["dynamodb"]["SequenceNumber"]
    assert run(told, None) == {"batchItemFailures": [{"itemIdentifier": failed}]}
    assert spent(store) == 1
    run(told, None)
    assert spent(store) == 1


def test_who_comes_after_one_that_failed_is_given_what_came_before(store: Shop) -> None:
    seen = Seen()
    lambda_handler(store, Tally(store), seen)(orders(1, 2, -1, 3))
    assert seen.totals == [1, 2]


def test_a_consumer_that_fails_as_a_whole_has_the_whole_batch_come_again(store: Shop) -> None:
    told = orders(1, 2)
    first = told["Records"][0]["dynamodb"]["SequenceNumber"]
    answer = lambda_handler(store, Seen(ConnectionError("down")))(told)
    assert answer == {"batchItemFailures": [{"itemIdentifier": first}]}


def test_an_event_of_something_else_is_refused(store: Shop) -> None:
    run = lambda_handler(store, Seen())
    with pytest.raises(UsageError, match="it has no Records"):
        run({"detail": {}}, None)
    with pytest.raises(UsageError, match="no record of a DynamoDB stream"):
        run({"Records": [{"eventSource": "aws:sqs", "body": ""}]}, None)
    told = orders(1)
    told["Records"][0]["eventSourceARN"] = "arn:aws:dynamodb:eu-west-1:1:table/other/stream/now"
    with pytest.raises(UsageError, match="The event is of the table 'other'"):
        run(told, None)
    with pytest.raises(UsageError, match="nobody to deliver to"):
        lambda_handler(store)


def test_the_adapter_needs_nothing_but_the_library() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('boto3', 'botocore', 'aiobotocore',"
        " 'starlette', 'tantivy', 'obstore', 'rich', 'typer')))\n"
        "from singletable.streams import lambda_handler, Handlers, handler\n"
        "heavy = {'asyncio', 'http.client', 'ssl'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_the_bookkeeping_is_missing_the_log_says_what_makes_it(
    store: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    on_changes = lambda_handler(store, Tally(store))
    store.send("DeleteTable", {"TableName": "shop-streams"})
    answer = on_changes(orders(1))
    assert len(answer["batchItemFailures"]) == 1
    assert "the bookkeeping beside it, which is made by Worker(…, create=True)" in caplog.text
