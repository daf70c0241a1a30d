"""``singletable streams`` shows a stream and has consumers follow it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from singletable import Store, cli
from singletable.cli._target import load, load_object
from singletable.cli.streams._options import consumers_of
from singletable.store.retries import Retries
from singletable.streams import Worker
from tests.streams.design import Basket, Order, Shop

TARGET = "tests.streams.design:Shop"
MAIN = "from singletable.cli import main; main()"
HANDLERS = """
import signal
from datetime import timedelta

from singletable.streams import Created, Handlers, handler
from tests.streams.design import Basket, Order, Shop


class After(Handlers[Shop]):
    @handler
    def order(self, change: Created[Order]) -> Basket:
        if change.new.total < 0:
            raise ValueError("negative")
        expires_at = change.at + timedelta(hours=1)  # the same however late it is delivered
        return Basket(basket_id=change.new.order_id, expires_at=expires_at)


class Interrupted(Handlers[Shop]):
    @handler
    def order(self, change: Created[Order]) -> None:
        signal.raise_signal(signal.SIGINT)
"""


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["streams", *arguments])


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A file with two orders, one of which was paid."""
    path = tmp_path / "shop.db"
    with Shop.connect(path) as store:
        order = store.put(Order(customer_id="c1", order_id="1", total=5))
        store.put(Order(customer_id="c1", order_id="2", total=7))
        store.update(order, status="PAID")
        store.delete(Order.key(customer_id="c1", order_id="2"))
    return str(path)


@pytest.fixture
def after(tmp_path: Path) -> str:
    path = tmp_path / "after.py"
    path.write_text(HANDLERS, "utf-8")
    return f"{path}:After"


def baskets(address: str) -> list[str]:
    with Shop.connect(address) as store:
        return sorted(basket.basket_id for basket in store.bind(Basket.scan()))


def test_tail_tells_each_change_in_a_line(address: str) -> None:
    shown = _run("tail", TARGET, "--at", address, "--once")
    assert shown.exit_code == 0, shown.output
    lines = [line.split("  ", 1)[1] for line in shown.output.splitlines()]
    assert lines == [
        "Order created  customer_id=c1 order_id=1  total=5 status='NEW'",
        "Order created  customer_id=c1 order_id=2  total=7 status='NEW'",
        "Order modified  customer_id=c1 order_id=1  status: 'NEW' → 'PAID'",
        "Order deleted  customer_id=c1 order_id=2  total=7 status='NEW'",
    ]


def test_tail_tells_them_to_programs_too(address: str) -> None:
    shown = _run("tail", TARGET, "--at", address, "--once", "--format", "json")
    told = [json.loads(line) for line in shown.output.splitlines()]
    assert [one["change"] for one in told] == ["created", "created", "modified", "deleted"]
    assert told[2]["old"]["status"] == "NEW"
    assert told[2]["key"] == {"customer_id": "c1", "order_id": "1"}


def test_tail_tells_of_one_entity_or_from_a_time_on(address: str) -> None:
    assert _run("tail", TARGET, "--at", address, "--once", "--entity", "Basket").output == ""
    assert _run("tail", TARGET, "--at", address, "--once", "--since", "2999-01-01").output == ""
    shown = _run("tail", TARGET, "--at", address, "--once", "--entity", "Bosket")
    assert shown.exit_code == 2
    assert "There is no entity 'Bosket'; there are Basket, Customer" in shown.output


def test_run_delivers_and_lag_tells_that_nothing_is_left(address: str, after: str) -> None:
    shown = _run("run", TARGET, "--at", address, "--consumer", after, "--once")
    assert shown.output == "6 records were delivered\n", shown.output
    assert baskets(address) == ["1", "2"]
    shown = _run("lag", TARGET, "--at", address)
    assert (shown.exit_code, "up to date" in shown.output) == (0, True), shown.output
    (shard,) = json.loads(_run("lag", TARGET, "--at", address, "--format", "json").output)
    assert (shard["behind_s"], shard["shard"].startswith("20")) == (0, True)


def test_lag_tells_of_a_group_that_never_was_which_there_are(address: str, after: str) -> None:
    shown = _run("lag", TARGET, "--at", address)
    said = "There is no group 'worker' yet; no worker has run\n"
    assert (shown.exit_code, shown.output) == (1, said)
    for name in ("worker", "mail"):
        _run("run", TARGET, "--at", address, "--consumer", after, "--once", "--name", name)
    shown = _run("lag", TARGET, "--at", address, "--name", "after")
    said = "There is no group 'after' yet; those that there are: mail, worker\n"
    assert (shown.exit_code, shown.output) == (1, said)
    told = _run("lag", TARGET, "--at", address, "--name", "after", "--format", "json")
    assert told.exit_code == 1
    found = {"group": "after", "exists": False, "groups": ["mail", "worker"]}
    assert json.loads(told.output) == found


def test_lag_that_there_is_has_the_exit_code_1(address: str, after: str) -> None:
    _run("run", TARGET, "--at", address, "--consumer", after, "--once")
    with Shop.connect(address) as store:
        store.put(Order(customer_id="c2", order_id="3", total=1))
    shown = _run("lag", TARGET, "--at", address)
    assert (shown.exit_code, "s behind  nobody reads it" in shown.output) == (1, True)


def test_replay_delivers_again(address: str, after: str) -> None:
    _run("run", TARGET, "--at", address, "--consumer", after, "--once")
    shown = _run("replay", TARGET, "--at", address, "--consumer", after)
    assert shown.exit_code == 0, shown.output
    assert "changes were delivered again" in shown.output
    told = _run("replay", TARGET, "--at", address, "--consumer", after, "--format", "json").output
    assert f"{json.loads(told)['changes']} changes" in shown.output


@pytest.mark.parametrize(
    ("form", "number", "first", "last"),
    [
        (
            "text",
            signal.SIGINT,
            "following the stream of 'shop' at {} as 'worker' (Ctrl-C stops)",
            "{} records were delivered",
        ),
        (
            "json",
            signal.SIGTERM,
            '{{"state":"following","table":"shop","at":"{}","group":"worker"}}',
            '{{"records":{}}}',
        ),
    ],
)
def test_run_goes_on_until_it_is_stopped_and_says_so(
    address: str, after: str, form: str, number: int, first: str, last: str
) -> None:
    options = ["--at", address, "--consumer", after, "--format", form]
    command = [sys.executable, "-c", MAIN, "streams", "run", TARGET, *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"{first.format(address)}\n"
        deadline = time.monotonic() + 50
        while baskets(address) != ["1", "2"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(number)
        told, _ = process.communicate(timeout=50)
        assert process.returncode == 0
        count = re.search(r"\d+", told)
        assert count is not None
        assert int(count[0]) in range(4, 7)  # of the two that it wrote it may have read none
        assert told == f"{last.format(count[0])}\n"


def test_run_that_is_stopped_before_its_end_says_so_and_hears_no_more(
    address: str, after: str
) -> None:
    before = signal.getsignal(signal.SIGINT)
    interrupted = after.replace(":After", ":Interrupted")
    shown = _run("run", TARGET, "--at", address, "--consumer", interrupted, "--once")
    assert (shown.exit_code, "records were delivered" in shown.output) == (130, True)
    assert signal.getsignal(signal.SIGINT) is before


def test_dead_letters_can_be_tried_again(tmp_path: Path, after: str) -> None:
    address = str(tmp_path / "dead.db")
    with Shop.connect(address) as store:
        store.put(Order(customer_id="c1", order_id="bad", total=-1))
        worker = Worker(store, load_object(after)(store), retries=Retries(attempts=1))
        worker.drain()
    shown = _run("letters", TARGET, "--at", address, "--consumer", after)
    assert shown.exit_code == 1
    assert "ValueError: negative\n1 dead letter\n" in shown.output
    told = _run("letters", TARGET, "--at", address, "--consumer", after, "--format", "json")
    assert (told.exit_code, json.loads(told.output)[0]["error"]) == (1, "ValueError: negative")
    shown = _run("retry", TARGET, "--at", address, "--consumer", after)
    assert shown.output == "After: 0 were done, 1 failed again\n"
    assert shown.exit_code == 1
    told = _run("retry", TARGET, "--at", address, "--consumer", after, "--format", "json")
    assert json.loads(told.output) == [{"consumer": "After", "done": 0, "failed": 1}]


def test_what_is_not_there_is_said_plainly(tmp_path: Path, after: str) -> None:
    missing = tmp_path / "missing.db"
    shown = _run("tail", TARGET, "--at", str(missing), "--once")
    assert (shown.exit_code, missing.exists()) == (2, False)
    assert f"There is no file {missing}" in shown.output
    empty = tmp_path / "empty.db"
    with Shop.connect(empty, table_name="another"):
        pass
    shown = _run("tail", TARGET, "--at", str(empty), "--once")
    assert shown.exit_code == 2
    assert "The table 'shop' has no stream" in shown.output
    shown = _run("run", TARGET, "--at", str(empty), "--consumer", "tests.streams.design:Nothing")
    assert "tests.streams.design has no 'Nothing'" in shown.output
    shown = _run("run", TARGET, "--at", str(empty), "--consumer", "tests.streams.design:NOW")
    assert shown.exit_code == 2
    assert "tests.streams.design:NOW is no consumer" in shown.output


def test_a_mistake_in_what_makes_a_consumer_is_not_taken_for_a_wrong_call(tmp_path: Path) -> None:
    path = tmp_path / "making.py"
    path.write_text("def make(store):\n    return len(5)\n", "utf-8")
    with pytest.raises(TypeError, match="has no len"):
        consumers_of(Shop.connect(":memory:"), [f"{path}:make"])


COUNTED = """
from singletable import Entity, Store, Table, count_of
from singletable.streams.search import Document, SearchIndex

table = Table("counted", stream="NEW_AND_OLD_IMAGES")


class Owner(Entity, table=table, pk="OWNER#{owner}", sk="OWNER"):
    owner: str
    things: int = count_of("Thing", kept_by="stream")


class Thing(Entity, table=table, pk="OWNER#{owner}", sk="THING#{name}"):
    owner: str
    name: str


class Counted(Store, table=table):
    pass


index = SearchIndex("things.search", Document(Thing, text=["name"], scope="owner"))
"""


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A design with a count and an index that nobody has kept."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "counted_design.py"
    path.write_text(COUNTED, "utf-8")
    with load(str(path)).connect("counted.db") as store:
        owner, thing = (_entity(store, name) for name in ("Owner", "Thing"))
        store.put(owner(owner="o"))
        store.put(thing(owner="o", name="a red lamp"))
    return str(path)


def _entity(store: Store, name: str) -> Any:
    return store.table.entities[name].entity


def test_verify_finds_aggregates_that_are_wrong_and_repairs_them(counted: str) -> None:
    arguments = ("verify", counted, "--at", "counted.db", "--settled")
    shown = _run(*arguments)
    assert shown.exit_code == 1, shown.output
    told = json.loads(_run(*arguments, "--format", "json").output)
    fault = "Owner.key(owner='o'): things is 0, and should be 1"
    assert told == {"faults": [fault], "mended": False}
    assert (
        "Owner.key(owner='o'): things is 0, and should be 1\n1 aggregate is wrong" in shown.output
    )
    shown = _run(*arguments, "--repair")
    assert (shown.exit_code, "1 aggregate was wrong" in shown.output) == (0, True), shown.output
    assert _run(*arguments).output == "0 aggregates are wrong\n"


def test_verify_finds_what_an_index_lacks_and_rebuild_makes_it_anew(counted: str) -> None:
    index = ("--at", "counted.db", "--index", f"{counted}:index")
    shown = _run("verify", counted, *index)
    assert shown.exit_code == 1, shown.output
    assert "Thing.key(owner='o', name='a red lamp') is missing\n1 of 1 documents is" in shown.output
    shown = _run("rebuild", counted, *index)
    assert shown.output == "1 document was made of 2 items\n", shown.output
    told = json.loads(_run("rebuild", counted, *index, "--format", "json").output)
    assert told == {"documents": 1, "items": 2}
    assert _run("verify", counted, *index).output == "0 of 1 documents are wrong\n"
