"""A copy by segments, and then the changes since before it, are the table as it is in the end."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from singletable.backends import Backend
from singletable.migrate.sources.dynamodb import DynamoSource

from .support import create, put, read_all


@pytest.mark.parametrize("on", [False, True])
def test_a_copy_made_while_others_write_is_complete(backend: Backend, on: bool) -> None:
    images = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    more: dict[str, Any] = {"StreamSpecification": images} if on else {}
    create(backend, "things", "id:N", **more)
    source = DynamoSource(backend)
    source.put("things", [{"id": n, "v": 0} for n in range(200)])
    threads = [threading.Thread(target=_write, args=(backend, seed)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    position = source.begin()
    copy = {row.id: dict(row) for row in read_all(source, "things", 3, 20)}
    for thread in threads:
        thread.join()
    while True:
        changes, position = source.changes(position, 50)
        if not changes:
            break
        ids = [one.id for one in changes]
        for one, row in zip(ids, source.fetch("things", ids), strict=True):
            if row is None:
                copy.pop(one, None)
            else:
                copy[one] = dict(row)
    source.end()
    assert copy == {row.id: dict(row) for row in read_all(source, "things", 1, 100)}


def _write(backend: Backend, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret, and the same again
    for turn in range(150):
        number = chance.randrange(250)
        if chance.random() < 0.3:
            key = {"id": {"N": str(number)}}
            backend.call("DeleteItem", {"TableName": "things", "Key": key})
        else:
            put(backend, "things", id=number, v=turn, by=seed)
