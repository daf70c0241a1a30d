"""``singletable shell`` runs lines with a store, and tells what they cost."""

from __future__ import annotations

import select
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE

import pytest

from singletable import Engine
from singletable.cli.shell import names_of
from singletable.cli.shell.console import NameCompleter
from singletable.cli.shell.metering import Meter
from singletable.store.observing.events import RequestEvent
from tests.engine.support import Clock
from tests.streams.design import Order, Shop

TARGET = "tests.streams.design:Shop"
COMMAND = [sys.executable, "-c", "from singletable.cli import main; main()", "shell"]
ROOT = Path(__file__).parents[2]
PUT = "store.put(Order(customer_id='c1', order_id='1', total=5)).total\n"


def _shell(lines: str, *options: str, target: str = TARGET) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, target, *options],
        cwd=ROOT,
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with one order."""
    path = tmp_path / "shop.db"
    with Shop.connect(path) as store:
        store.put(Order(customer_id="c1", order_id="1", total=5))
    return str(path)


def test_values_are_printed_and_costs_are_told_beside_them() -> None:
    ran = _shell(PUT + "store.bind(Order.get(customer_id='c1', order_id='1')).one().status\n")
    assert (ran.returncode, ran.stdout) == (0, "5\n'NEW'\n"), ran.stderr
    costs = [line.split(", ") for line in ran.stderr.splitlines() if line.startswith("# ")]
    assert [cost[:3] for cost in costs] == [
        ["# PutItem", "1 item", "1 unit"],
        ["# GetItem", "1 item", "0.5 units"],
    ]


def test_it_says_that_it_is_in_memory() -> None:
    ran = _shell("")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "Shop: table 'shop', in memory: it is empty, and forgotten at the end" in ran.stderr
    assert "entities: Basket, Customer" in ran.stderr


def test_an_error_of_a_line_does_not_end_it_and_is_told_by_the_exit_code() -> None:
    faults = ["1 / 0", "x = = 1", "store.update(Order.key(customer_id='c', order_id='9'), total=1)"]
    ran = _shell("\n".join([*faults, "'still here'\n"]))
    assert (ran.returncode, ran.stdout) == (1, "'still here'\n")
    assert "ZeroDivisionError: division by zero" in ran.stderr
    assert "SyntaxError" in ran.stderr
    assert ": there is no such item: create() or upsert() makes one\n" in ran.stderr
    assert "console.py" not in ran.stderr


def test_a_block_ends_with_the_pipe() -> None:
    assert _shell("for number in range(2):\n    print(number)\n").stdout == "0\n1\n"


def test_a_statement_that_the_pipe_does_not_finish_is_an_error() -> None:
    ran = _shell("text = '''\nnever ends\n")
    assert (ran.returncode, "the last statement is not finished" in ran.stderr) == (1, True)


def test_many_requests_are_summed_up() -> None:
    ran = _shell("for n in range(12):\n    _ = list(store.bind(Order.scan()))\n")
    costs = [line for line in ran.stderr.splitlines() if line.startswith("# ")]
    assert len(costs) == 11
    assert costs[-1].startswith("# 12 requests, 6 units, ")


def test_exit_ends_it_with_its_code() -> None:
    assert _shell("exit(7)\nprint('no more')\n").returncode == 7


def test_a_file_keeps_what_was_written(file: str) -> None:
    ran = _shell("store.put(Order(customer_id='c1', order_id='2', total=7))", "--at", file)
    assert ran.returncode == 0, ran.stderr
    with Shop.connect(file) as store:
        assert sorted(order.total for order in store.bind(Order.scan())) == [5, 7]


def test_read_only_refuses_writes(file: str) -> None:
    lines = f"{PUT}store.send('ExecuteStatement', dict(Statement='x'))\nstore.create_table()\n"
    read = "len(list(store.bind(Order.scan())))\n"
    ran = _shell(lines + read, "--at", file, "--read-only")
    assert (ran.returncode, ran.stdout) == (1, "1\n")
    for operation in ("PutItem", "ExecuteStatement", "CreateTable"):
        assert f"UsageError: {operation} could change the table" in ran.stderr


def test_a_file_is_made_only_when_asked_for(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    ran = _shell(PUT, "--at", str(missing))
    assert (ran.returncode, missing.exists()) == (2, False)
    assert ran.stderr == f"singletable shell: There is no file {missing}\n"
    assert _shell(PUT, "--at", str(missing), "--create").returncode == 0
    assert missing.exists()


def test_a_file_is_shown_as_it_was(tmp_path: Path) -> None:
    """Nothing of what is done there comes to the file."""
    hour, now = timedelta(hours=1), Clock(time.time() - 7200)
    made = datetime.fromtimestamp(now.now, UTC)
    file = tmp_path / "shop.db"
    with Engine(file, clock=now, ttl_interval=None) as engine:
        store = Shop.connect(engine)
        now.now += 60
        recovery = {"PointInTimeRecoveryEnabled": True}
        engine.update_continuous_backups(
            TableName=store.table_name, PointInTimeRecoverySpecification=recovery
        )
        order = store.put(Order(customer_id="c1", order_id="1", total=5))
        now.now += 3600
        store.delete(order)

    def as_of(moment: datetime) -> list[str]:
        return ["--at", str(file), "--as-of", f"{moment:%Y-%m-%dT%H:%M:%S}"]

    count = "len(list(store.bind(Order.scan())))\n"
    ran = _shell(count + PUT + count, *as_of(made + hour / 2))
    assert (ran.returncode, ran.stdout) == (0, "1\n5\n1\n"), ran.stderr
    assert _shell(count, "--at", str(file)).stdout == "0\n"
    early = _shell(count, *as_of(made + hour / 120))
    assert (early.returncode, "the table shop reaches back to" in early.stderr) == (2, True)


@pytest.mark.parametrize("options", [(), ("--at", "aws:eu-west-1"), ("--at", "x.db", "--create")])
def test_only_a_file_that_is_there_has_a_past(options: tuple[str, ...]) -> None:
    ran = _shell("", *options, "--as-of", "2026-03-01")
    assert ran.returncode == 2
    assert "--as-of shows the past of a file that is there" in ran.stderr


def test_the_namespace_has_entities_and_patterns() -> None:
    with Shop.connect(":memory:") as store:
        names = names_of(store)
    assert names["store"] is store
    assert names["Order"] is Order
    assert set(store.patterns) <= set(names)


@pytest.mark.parametrize(
    ("line", "text", "found"),
    [
        ("Order(", "cust", ["customer_id="]),
        ("store.put(Order(customer_id='c', ", "tot", ["total="]),
        ("Order.key(", "nothing", []),
        ("nothing(", "cust", []),
        ("", "cust", []),
    ],
)
def test_parameters_are_completed(line: str, text: str, found: list[str]) -> None:
    assert NameCompleter({"Order": Order}).parameters(line, text) == found


def test_a_failed_request_is_told_with_its_error() -> None:
    meter = Meter()
    event = RequestEvent(operation="Query", table="t", index="GSI1", latency_s=0.0015, retries=2)
    meter(event)
    assert meter.lines() == ["# Query GSI1, 1.50 ms, 2 retries"]
    meter(RequestEvent(operation="PutItem", table="t", latency_s=0.001, error="Throttled"))
    assert meter.lines() == ["# PutItem, 1.00 ms, Throttled"]
    assert meter.lines() == []


class Terminal:
    """A shell on a terminal, typed at."""

    def __init__(self) -> None:
        spawn = "import os, pty, sys; os.environ['TERM'] = 'dumb'; "
        spawn += "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        command = [sys.executable, "-c", spawn, *COMMAND, TARGET]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, bufsize=0)
        self._unread = ""

    def type(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text.encode())

    def until(self, expected: str) -> str:
        assert self.process.stdout
        deadline = time.monotonic() + 60
        while expected not in self._unread:
            assert time.monotonic() < deadline, self._unread
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                self._unread += self.process.stdout.read(4096).decode()
        seen, _, self._unread = self._unread.partition(expected)
        return seen


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    pytest.importorskip("readline")
    opened = Terminal()
    with opened.process:
        yield opened
        opened.process.kill()


def test_on_a_terminal_tab_completes_and_the_keys_interrupt_and_end(terminal: Terminal) -> None:
    terminal.until(">>> ")
    terminal.type("Orde\tcustomer_id='c1', order_id='1', tota\t5).total + 1\n")
    terminal.until("\n6\r\n")
    terminal.until(">>> ")
    terminal.type("while True: pass\n\n")
    time.sleep(0.3)
    terminal.type("\x03")
    terminal.until("KeyboardInterrupt")
    terminal.until(">>> ")
    terminal.type("\x04")
    assert terminal.process.wait(60) == 0
