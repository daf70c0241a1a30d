"""The same consumers in AWS Lambda, triggered by the stream of the table.

The event source needs ``FunctionResponseTypes: [ReportBatchItemFailures]``: then Lambda delivers
again from the first record that failed, and not the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from singletable.errors import TableMissing, UsageError
from singletable.store.store import Store

from .bookkeeping import REMEDY
from .changes import changes_of
from .consumers import Batch, Consumer, DeliveryFailed
from .failing import Report, logger
from .records import Record, from_lambda

Answer = dict[str, list[dict[str, str]]]
LambdaHandler = Callable[..., Answer]


def lambda_handler(store: Store, *consumers: Consumer) -> LambdaHandler:
    """Make the function that Lambda calls from those who are to be given the changes."""
    if not consumers:
        raise UsageError("There is nobody to deliver to: lambda_handler(store, Mailer(store))")

    def handler(event: Mapping[str, Any], _context: Any = None) -> Answer:
        told = _records(event)
        _check_table(store, told)
        records = [from_lambda(record) for record in told]
        failed = _delivered(store, consumers, records)
        return {"batchItemFailures": [{"itemIdentifier": failed}] if failed else []}

    return handler


def _records(event: Mapping[str, Any]) -> list[Any]:
    try:
        return list(event["Records"])
    except (KeyError, TypeError):
        raise UsageError(
            "This is no event of a DynamoDB stream, it has no Records: the function has to be "
            "triggered by the stream of the table"
        ) from None


def _check_table(store: Store, records: list[Any]) -> None:
    """Refuse what the stream of another table tells."""
    for record in records[:1]:
        source = record.get("eventSourceARN", "") if isinstance(record, Mapping) else ""
        name = source.partition(":table/")[2].partition("/")[0]
        if name and name != store.table_name:
            raise UsageError(
                f"The event is of the table {name!r}, the store is connected to "
                f"{store.table_name!r}: connect it with table_name={name!r}, or mend the trigger"
            )


def _delivered(store: Store, consumers: tuple[Consumer, ...], records: list[Record]) -> str | None:
    """Deliver to all; give the number of the first record that one of them failed at, if any.

    Who comes after one that failed is given what came before: the rest comes again anyhow.
    """
    failed = None
    for consumer in consumers:
        changes = [change for record in records for change in changes_of(store.table, record)]
        if not changes:
            continue
        try:
            consumer.deliver(Batch(changes, records[-1].position), Report())
        except DeliveryFailed as failure:
            failed = failure.change.record.sequence_number
            records = records[: records.index(failure.change.record)]
        except TableMissing:  # as a rule not the one that is named, in a transaction of both
            logger.exception(
                "%s needs the table %s, and the bookkeeping beside it, which is made by %s",
                *(consumer.name, store.table_name, REMEDY),
            )
            return records[0].sequence_number
        except Exception:  # noqa: BLE001 - whatever it is, the batch has to come again
            logger.exception("%s failed at a whole batch", consumer.name)
            return records[0].sequence_number
    return failed
