"""Everything is delivered twice, and items in no order: what comes of it is as if once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from singletable.streams import Batch, follow, lambda_handler
from singletable.streams.changes import changes_of
from singletable.streams.failing import Report
from singletable.streams.records import Record

from . import course
from .checks import totals_of
from .consumers import check_kept, consumers_of
from .deliveries import event, parts, twice
from .design import Parcels
from .support import connect, seeded
from .test_kills import check
from .writer import Writer

WRITES = 400
DEADLY = course.Size(writes=400, kills=3, batch=100)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Parcels]:
    """Give a table that was written to, whose stream nobody has read."""
    with connect(tmp_path / "database") as store:
        Writer(store, "w").write(WRITES)
        yield store


def records_of(store: Parcels) -> list[Record]:
    """Give all that the stream tells so far."""
    return list(chain.from_iterable(records for _, records in follow(store)))


def check_once(store: Parcels, folder: Path, records: list[Record]) -> None:
    """See that what was made of records, and of those that came of them, is as if once."""
    changes = list(chain.from_iterable(changes_of(store.table, one) for one in records))
    assert {total.depot: total for total in store.totals()} == totals_of(changes)
    check_kept(store, folder)


@pytest.mark.parametrize("seed", range(3))
def test_in_lambda(store: Parcels, tmp_path: Path, seed: int) -> None:
    random, records = seeded(seed), records_of(store)
    handle = lambda_handler(store, *consumers_of(store, tmp_path))
    for part in parts(twice(records, random), 50, random):
        assert handle(event(part), None) == {"batchItemFailures": []}
    check_once(store, tmp_path, records)


@pytest.mark.parametrize("seed", range(3))
def test_to_a_consumer(store: Parcels, tmp_path: Path, seed: int) -> None:
    random, records = seeded(seed), records_of(store)
    for consumer in consumers_of(store, tmp_path):
        for part in parts(twice(records, random), 50, random):
            changes = list(chain.from_iterable(changes_of(store.table, one) for one in part))
            consumer.deliver(Batch(changes, part[-1].position), Report())
    check_once(store, tmp_path, records)


@pytest.mark.parametrize("seed", range(3))
def test_to_a_consumer_that_is_told_the_shard(store: Parcels, tmp_path: Path, seed: int) -> None:
    """A batch comes again with some that it had not the first time, as after a kill."""
    random, told = seeded(seed), list(follow(store))
    for consumer in consumers_of(store, tmp_path):
        for shard, records in told:
            begin = 0
            while begin < len(records):
                for _ in range(2):
                    end = min(begin + random.randint(1, 50), len(records))
                    part = records[begin:end]
                    found = chain.from_iterable(changes_of(store.table, one) for one in part)
                    batch = Batch(list(found), part[-1].position, shard.name)
                    consumer.deliver(batch, Report())
                begin = end
    check_once(store, tmp_path, list(chain.from_iterable(records for _, records in told)))


def test_a_worker_that_is_killed_between_effect_and_checkpoint(tmp_path: Path) -> None:
    """All that it did it has done; nobody knows, and it is delivered again."""
    course.prepare(tmp_path)
    with connect(tmp_path / "database") as store:
        writer = Writer(store, "w")
        writer.write(DEADLY.writes)
    for _ in range(DEADLY.kills):
        with course.start_worker(tmp_path, DEADLY, "--deadly") as worker:
            worker.wait()
        course.assert_killed(worker)
    course.drain(tmp_path, DEADLY)
    held = check(tmp_path, DEADLY, Counter(writer.steps))
    assert [tenure.start == tenure.end == "" for tenure in held[: DEADLY.kills]] == [True] * 3
