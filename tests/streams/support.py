"""What tests of workers share: a clock to turn, a consumer that keeps what it gets, orders."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from singletable.streams import Batch, Failures, Worker
from tests.streams.design import Order, Shop

HOUR = 3600.0


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 1_772_366_400.0

    def __call__(self) -> float:
        return self.time


class Seen:
    """A consumer that keeps what it is given."""

    def __init__(self, name: str = "seen") -> None:
        self.name = name
        self.batches: list[Batch] = []
        self.fails = 0

    @property
    def order_ids(self) -> list[str]:
        return [str(one.key.fields["order_id"]) for batch in self.batches for one in batch.changes]

    def deliver(self, batch: Batch, failures: Failures) -> None:
        if self.fails:
            self.fails -= 1
            raise ConnectionError("the consumer is out of reach")
        self.batches.append(batch)


def order(number: int) -> Order:
    return Order(customer_id="c1", order_id=f"{number:04}")


def put(store: Shop, numbers: range) -> list[str]:
    for number in numbers:
        store.put(order(number))
    return [f"{number:04}" for number in numbers]


@contextmanager
def running(worker: Worker) -> Iterator[None]:
    """Have a worker run in a thread."""
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(50)
        assert not thread.is_alive()


def wait_for(condition: Any, seconds: float = 50) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)
