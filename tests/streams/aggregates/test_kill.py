"""kill -9 in the middle of a delivery: nothing counts twice, and nothing is left out."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from singletable.streams.aggregates import verify

from .sales import Customer, Order, Sales

ROOT = Path(__file__).parents[3]
KILLS = 4


def _started(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.streams.aggregates.deliverer", str(path)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_delivery_that_is_killed_and_begun_again(tmp_path: Path) -> None:
    random, path = Random(7), tmp_path / "sales.db"  # noqa: S311 - no secret
    with Sales.connect(path) as store:
        for name in "abc":
            store.put(Customer(customer_id=name, name=name))
        for turn in range(KILLS):
            _write(store, random, turn)
            deliverer = _started(path)
            assert deliverer.stdout is not None
            deliverer.stdout.readline()
            time.sleep(random.random() * 0.1)
            deliverer.kill()
            with deliverer:
                deliverer.stdout.read()
            assert deliverer.returncode in {-signal.SIGKILL, 0}
        for _ in range(2):  # the second tells of what the first wrote
            with _started(path) as deliverer:
                assert deliverer.stdout is not None
                deliverer.stdout.read()
            assert deliverer.returncode == 0
        assert verify(store, settled=True) == []
        counted = sum(one.orders for one in store.bind(Customer.scan()))
        assert counted == store.bind(Order.scan()).count()


def _write(store: Sales, random: Random, turn: int) -> None:
    for number in range(25):
        order_id = str(random.randint(0, 30))
        key: dict[str, Any] = {"customer_id": random.choice("abc"), "order_id": order_id}
        if random.random() < 0.3:
            store.delete(Order.key(**key))
        else:
            total = Decimal(random.randint(0, 99))
            store.put(
                Order(**key, seller=random.choice("xy"), total=total, note=f"{turn}.{number}")
            )
