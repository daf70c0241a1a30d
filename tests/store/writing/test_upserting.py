"""An upsert writes what an entity declares, and leaves alone what it does not."""

from __future__ import annotations

from singletable.store.writing.deleting import Deleting
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import NOW, Bench, Event, Invoice, Page, Plain, Task, User

PLAIN = Plain.key(name="a")


def test_an_upsert_is_one_update_item_without_a_condition(bench: Bench) -> None:
    result = bench.do(Upserting(Plain(name="a", size=1)))

    assert result == Plain(name="a", size=1)
    assert bench.operations == ["UpdateItem"]
    assert "ConditionExpression" not in bench.request


def test_an_upsert_makes_the_same_item_as_a_put(bench: Bench) -> None:
    task = Task(list_id="l", task_id="t", owner="ann")
    bench.do(Putting(task))
    put = bench.item(Task.key(list_id="l", task_id="t"))
    bench.do(Deleting(task))
    bench.do(Upserting(task))

    assert bench.item(Task.key(list_id="l", task_id="t")) == put


def test_an_upsert_overwrites_what_is_declared_and_keeps_the_rest(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", note="x", tags={"t"})))
    bench.set(PLAIN, theirs={"S": "kept"})
    result = bench.do(Upserting(Plain(name="a", size=2)))

    assert result == Plain(name="a", size=2)
    assert bench.item(PLAIN) == {
        **PLAIN.item_key,
        "Type": {"S": "Plain"},
        "name": {"S": "a"},
        "size": {"N": "2"},
        "theirs": {"S": "kept"},
    }


def test_an_upsert_keeps_the_time_of_creation_and_counts_the_version(bench: Bench) -> None:
    first = bench.do(Upserting(Page(page_id="p")))
    second = bench.do(Upserting(Page(page_id="p", text="new")))
    assert (first.version, second.version, second.text) == (1, 2, "new")

    bench.do(Upserting(Task(list_id="l", task_id="t", created_at=NOW)))
    bench.later(days=1)
    task = bench.do(Upserting(Task(list_id="l", task_id="t", status="DONE")))
    assert (task.created_at, task.updated_at, task.status) == (NOW, bench.now, "DONE")


def test_an_upsert_keeps_the_key_that_is_made_from_the_time_of_creation(bench: Bench) -> None:
    bench.do(Upserting(Event(name="e", created_at=NOW)))
    before = (bench.item(Event.key(name="e")) or {})["GSI1SK"]
    event = bench.do(Upserting(Event(name="e", text="new")))

    assert (event.created_at, event.text) == (NOW, "new")
    assert (bench.item(Event.key(name="e")) or {})["GSI1SK"] == before


def test_an_upsert_leaves_counts_and_numbers_alone(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u")))
    bench.set(User.key(user_id="u"), posts={"N": "7"})
    assert bench.do(Upserting(User(user_id="u", name="x"))).posts == 7

    invoice = bench.do(Upserting(Invoice(shop="s", total=1)))
    assert invoice.number == 1
    assert bench.do(Upserting(invoice.model_copy(update={"total": 2}))).number == 1
