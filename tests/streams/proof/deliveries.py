"""A stream as it may be delivered at worst: everything twice, and items in no order."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, TypeVar

import orjson

from singletable.streams.records import Record

T = TypeVar("T")


def twice(records: Iterable[Record], random: Random) -> list[Record]:
    """Give each record twice, those of one item in their order, those of different items in none.

    Of an item, a record comes again at once, or with some that came before and after it.
    """
    by_item: dict[bytes, list[Record]] = defaultdict(list)
    for record in records:
        by_item[orjson.dumps(record.keys, option=orjson.OPT_SORT_KEYS)].append(record)
    queues = [
        [one for part in parts(mine, 5, random) for one in (*part, *part)]
        for mine in by_item.values()
    ]
    turns = [number for number, queue in enumerate(queues) for _ in queue]
    random.shuffle(turns)
    rest = [iter(queue) for queue in queues]
    return [next(rest[number]) for number in turns]


def parts(things: list[T], length_max: int, random: Random) -> Iterator[list[T]]:
    """Cut a list into parts."""
    while things:
        length = random.randint(1, length_max)
        yield things[:length]
        things = things[length:]


def event(records: Iterable[Record]) -> Any:
    """Write records as Lambda is given them, in JSON."""
    return json.loads(
        json.dumps({"Records": [_written(one) for one in records]}, default=_in_base64)
    )


def _written(record: Record) -> dict[str, Any]:
    change: dict[str, Any] = {
        "ApproximateCreationDateTime": record.at.timestamp(),
        "Keys": record.keys,
        "SequenceNumber": record.sequence_number,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    images = {"OldImage": record.old, "NewImage": record.new}
    change |= {name: image for name, image in images.items() if image is not None}
    service = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    return {
        "eventName": record.event,
        "eventSource": "aws:dynamodb",
        "dynamodb": change,
        **({"userIdentity": service} if record.expired else {}),
    }


def _in_base64(raw: bytes) -> str:
    return b64encode(raw).decode()
