"""A pull tells how what clients see has changed, as of one moment, whoever changed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from singletable import Entity, Index, OutOfScope, Query, Store, Table, UsageError, collect
from singletable.errors import NoStrongRead
from singletable.sync import Outrun, Sync, ViewTooLarge
from singletable.sync.bookkeeping import Chunk
from tests.sync.design import ANN, Tab, Tally, Task, Tasks, TaskSync, Tenant, User, spied


def task(task_id: str, title: str = "x", tenant_id: str = "acme") -> Task:
    return Task(tenant_id=tenant_id, task_id=task_id, title=title)


def told(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["op"], one.get("key", "")) for one in answer["patch"]]


def test_a_new_client_is_told_everything(sync: TaskSync, tab: Tab) -> None:
    sync.store.put(Tenant(tenant_id="acme", name="Acme"))
    sync.store.put(task("t1", "Paint"))
    tab.do("add", {"k": 1})
    assert tab.pull()["patch"] == [
        {"op": "clear"},
        {"op": "put", "key": "Tally/k", "value": {"tenant_id": "acme", "name": "k", "total": 1}},
        {
            "op": "put",
            "key": "Task/t1",
            "value": {"tenant_id": "acme", "task_id": "t1", "title": "Paint", "version": 1},
        },
        {"op": "put", "key": "Tenant", "value": {"tenant_id": "acme", "name": "Acme"}},
    ]
    assert (tab.cookie, tab.lasts) == (1, {"c1": 1})


def test_where_nothing_changed_the_cookie_stays_and_nothing_is_written(sync: TaskSync) -> None:
    seen, between = spied(sync)
    tab = Tab(seen)
    tab.do("create", {"task_id": "t1", "title": "x"})
    tab.pull()
    between.calls.clear()
    assert tab.pull() == {"cookie": 1, "lastMutationIDChanges": {}, "patch": []}
    assert {operation for operation, _ in between.calls} <= {"GetItem", "Query", "TransactGetItems"}


def test_what_other_code_writes_reaches_clients(sync: TaskSync, tab: Tab) -> None:
    sync.store.put_many([task("t1"), task("t2"), task("t3")])
    tab.pull()
    sync.store.update(Task.key(tenant_id="acme", task_id="t1"), title="other")
    sync.store.delete(Task.key(tenant_id="acme", task_id="t2"))
    sync.store.put(task("t4"))
    expected = [("del", "Task/t2"), ("put", "Task/t1"), ("put", "Task/t4")]
    assert told(tab.pull()) == expected
    assert tab.rows.keys() == {"Task/t1", "Task/t3", "Task/t4"}


def test_clients_of_a_group_hear_of_each_other(sync: TaskSync, tab: Tab) -> None:
    other, stranger = Tab(sync, name="c2"), Tab(sync, user=User("bob"), group="g2", name="c3")
    tab.do("add", {"k": 1})
    other.do("add", {"k": 1})
    stranger.do("add", {"k": 1})
    assert tab.pull()["lastMutationIDChanges"] == {"c1": 1, "c2": 1}
    other.do("add", {"k": 1})
    assert tab.pull()["lastMutationIDChanges"] == {"c2": 2}
    assert stranger.pull()["lastMutationIDChanges"] == {"c3": 1}


@pytest.mark.parametrize("cookie", [7, {"order": 7, "more": 1}, 0, True, "made elsewhere", -3, 1.5])
def test_a_cookie_of_no_known_view_gets_everything_anew(
    sync: TaskSync, tab: Tab, cookie: Any
) -> None:
    sync.store.put(task("t1"))
    tab.pull()
    answer = sync.pull(ANN, {**tab.pulled(), "cookie": cookie})
    assert told(answer) == [("clear", ""), ("put", "Task/t1")]
    order = cookie["order"] if isinstance(cookie, dict) else cookie
    assert answer["cookie"] > (order if type(order) is int else 0)


def test_a_cookie_may_be_an_object(sync: TaskSync, tab: Tab) -> None:
    tab.pull()
    sync.store.put(task("t1"))
    answer = sync.pull(ANN, {**tab.pulled(), "cookie": {"order": tab.cookie}})
    assert told(answer) == [("put", "Task/t1")]


def test_a_group_that_is_not_known_any_more_starts_anew(tab: Tab) -> None:
    tab.cookie = 3
    assert tab.sync.pull(ANN, tab.pulled()) == {"error": "ClientStateNotFound"}


def test_a_part_of_a_view_that_is_gone_makes_it_unusable(sync: TaskSync, tab: Tab) -> None:
    sync.store.put(task("t1"))
    tab.pull()
    view = sync._books.view("g1", 1).one()
    sync._books.delete_many([Chunk.key(digest=digest) for digest in view.chunks])
    sync.store.put(task("t2"))
    assert told(tab.pull()) == [("clear", ""), ("put", "Task/t1"), ("put", "Task/t2")]
    sync.store.put(task("t3"))
    assert told(tab.pull()) == [("put", "Task/t3")]


def test_a_view_that_is_old_is_forgotten_and_told_anew() -> None:
    now = [datetime.now(UTC)]
    sync = TaskSync(Tasks.connect(":memory:", clock=lambda: now[0]))
    tab = Tab(sync)
    sync.store.put(task("t1"))
    tab.pull()
    now[0] += timedelta(days=15)
    assert told(tab.pull()) == [("clear", ""), ("put", "Task/t1")]
    assert tab.cookie == 2


def test_chunks_are_written_again_before_views_that_name_them_lose_them() -> None:
    now = [datetime.now(UTC)]
    sync = TaskSync(Tasks.connect(":memory:", clock=lambda: now[0]))
    tab = Tab(sync)
    sync.store.put_many([task(f"t{number:03d}") for number in range(300)])
    tab.pull()
    days = {}
    for day in range(1, 9):
        now[0] += timedelta(days=1)
        sync.store.update(Task.key(tenant_id="acme", task_id="t000"), title=f"day {day}")
        assert told(tab.pull()) == [("put", "Task/t000")]
        view = sync._books.view("g1", tab.cookie).one()
        days[day] = len(set(view.chunks.values()))
    assert days == {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 1, 8: 2}


def test_a_small_change_of_a_large_view_is_kept_in_few_items(sync: TaskSync) -> None:
    seen, between = spied(sync)
    sync.store.put_many([task(f"t{number:04d}") for number in range(2_000)])
    tab, other = Tab(seen), Tab(seen, user=User("bob"), group="g2", name="c2")
    assert len(tab.pull()["patch"]) == 2_001
    tab.do("remove", "t0007")
    tab.do("create", {"task_id": "new", "title": "x"})
    between.calls.clear()
    assert told(tab.pull()) == [("del", "Task/t0007"), ("put", "Task/new")]
    [batch] = between.sent("BatchWriteItem")
    assert len(batch["RequestItems"]["tasks-sync"]) <= 3  # two chunks of rows, one of clients
    other.pull()
    shared = [seen._books.view(group, 2 if group == "g1" else 1).one() for group in ("g1", "g2")]
    assert len(shared[0].chunks.keys() & shared[1].chunks.keys()) >= 16


def test_a_change_of_the_code_that_shows_rows_reaches_clients(sync: TaskSync, tab: Tab) -> None:
    class Shouting(TaskSync):
        def value(self, entity: Entity, user: User) -> Any:
            shown = super().value(entity, user)
            return {"title": shown["title"].upper()} if isinstance(entity, Task) else shown

    sync.store.put(task("t1", "paint"))
    tab.do("add", {"k": 1})
    tab.pull()
    tab.sync = Shouting(sync.store)
    assert tab.pull()["patch"] == [{"op": "put", "key": "Task/t1", "value": {"title": "PAINT"}}]


class Disturbed(TaskSync):
    """Calls what a test gives it in the middle of reading a view."""

    disturbances: list[Any]

    def view(self, user: User) -> Iterable[Any]:
        first, *others = super().view(user)
        yield first
        if self.disturbances:
            self.disturbances.pop(0)()
        yield from others


def disturbed(sync: TaskSync, *disturbances: Any) -> Disturbed:
    made = Disturbed(sync.store)
    made.disturbances = list(disturbances)
    return made


def test_a_view_is_read_again_while_mutations_are_made(sync: TaskSync, tab: Tab) -> None:
    """Else a client would be told of an effect whose mutation it takes for pending."""
    writer = Tab(sync, name="c1")
    tab.sync = disturbed(sync, *[lambda: writer.do("add", {"k": 1})] * 3)
    tab.pull()
    assert (tab.rows["Tally/k"]["total"], tab.lasts["c1"]) == (3, 3)
    assert (tab.sync.disturbances, tab.sync.tears) == ([], 0)


def test_a_view_that_never_rests_is_told_with_what_is_done_for_certain(
    sync: TaskSync, tab: Tab
) -> None:
    writer = Tab(sync, name="c1")
    tab.sync = disturbed(sync, *[lambda: writer.do("add", {"k": 1})] * 8)
    tab.pull()
    assert tab.sync.tears == 1
    assert tab.lasts["c1"] <= tab.rows["Tally/k"]["total"] == 8
    tab.pull()
    assert tab.lasts["c1"] == tab.rows["Tally/k"]["total"] == 8


def test_a_view_that_never_rests_can_be_refused(
    sync: TaskSync, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(user: User, attempts: int) -> None:
        raise TimeoutError(f"{user.user_id}, {attempts}")

    writer = Tab(sync, name="c1")
    tab.sync = disturbed(sync, *[lambda: writer.do("add", {"k": 1})] * 8)
    monkeypatch.setattr(tab.sync, "torn", torn)
    with pytest.raises(TimeoutError, match="ann, 8"):
        tab.pull()
    tab.pull()
    assert tab.lasts["c1"] == tab.rows["Tally/k"]["total"] == 8


def test_the_views_of_a_group_are_numbered_as_they_were_read(sync: TaskSync, tab: Tab) -> None:
    """A slow pull that began earlier must not look newer than a quick one that began later."""
    quick = Tab(sync, name="c2")

    def between() -> None:
        sync.store.put(task("t1"))
        quick.pull()

    tab.sync = disturbed(sync, between)
    tab.pull()
    assert (quick.cookie, tab.cookie) == (1, 2)
    assert tab.rows.keys() == {"Task/t1"}


def test_a_pull_that_others_are_always_faster_than_gives_up(sync: TaskSync, tab: Tab) -> None:
    numbers = iter(range(100))

    def between() -> None:
        sync.store.put(task(f"t{next(numbers)}"))
        Tab(sync, name="c2").pull()

    tab.sync = disturbed(sync, *[between] * 16)
    with pytest.raises(Outrun, match="'g1' were faster, at each of 16 attempts"):
        tab.pull()


def test_tenants_see_their_own_rows_alone(sync: TaskSync) -> None:
    for tenant_id in ("acme", "initech"):
        sync.store.put(task("t1", tenant_id, tenant_id))
    tabs = [Tab(sync, User("ann", name), name) for name in ("acme", "initech")]
    for tab in tabs:
        tab.do("create", {"task_id": "t2", "title": f"new in {tab.group}"})
        tab.pull()
        assert {row["tenant_id"] for row in tab.rows.values()} == {tab.user.tenant_id}
        assert len(tab.rows) == 2


def test_a_user_may_see_nothing(sync: TaskSync) -> None:
    class Blind(TaskSync):
        def view(self, user: User) -> Iterable[Any]:
            return []

    seen, _ = spied(Blind(sync.store))
    sync.store.put(task("t1"))
    assert told(Tab(seen).pull()) == [("clear", "")]


def test_a_view_cannot_leave_its_scope(sync: TaskSync, tab: Tab) -> None:
    class Prying(TaskSync):
        def view(self, user: User) -> Iterable[Any]:
            return [Task.query(tenant_id="initech")]

    tab.sync = Prying(sync.store)
    with pytest.raises(OutOfScope):
        tab.pull()


class Title(BaseModel):
    title: str


@dataclass
class Work:
    tasks: list[Task]
    tallies: list[Tally]


class Together(TaskSync):
    """Reads what stands together by one query, and nothing beside it."""

    rows_max = 3

    def view(self, user: User) -> Iterable[Any]:
        return [collect(Work, tenant_id=user.tenant_id)]


def test_what_stands_together_is_read_by_one_query(sync: TaskSync) -> None:
    """Clients get what it is made of, and what is not in it counts for nothing."""
    seen, between = spied(Together(sync.store))
    tab = Tab(seen)
    sync.store.put(Tenant(tenant_id="acme", name="Acme"))
    sync.store.put_many([task("t1"), task("t2", tenant_id="acme2")])
    tab.do("add", {"k": 1, "l": 1})
    between.calls.clear()

    assert told(tab.pull())[1:] == [("put", "Tally/k"), ("put", "Tally/l"), ("put", "Task/t1")]
    reads = [one for one in between.sent("Query") if one["TableName"] == "tasks"]
    assert [one["ConsistentRead"] for one in reads] == [True]
    sync.store.put(task("t3"))
    with pytest.raises(ViewTooLarge):
        tab.pull()


@pytest.mark.parametrize(
    "read",
    [
        Task.query(tenant_id="acme").only(Title),
        collect(Work, tenant_id="acme").limit(2),
        Task.scan(),
        "Task",
    ],
    ids=["part", "some", "scan", "text"],
)
def test_a_view_is_of_whole_entities(sync: TaskSync, tab: Tab, read: Any) -> None:
    class Odd(TaskSync):
        def view(self, user: User) -> Iterable[Any]:
            return [read]

    tab.sync = Odd(sync.store)
    with pytest.raises(UsageError, match="queries, gets and collections of whole entities, not of"):
        tab.pull()


def test_a_view_has_a_bound(sync: TaskSync, tab: Tab) -> None:
    class Short(TaskSync):
        rows_max = 3

    sync.store.put_many([task(f"t{number}") for number in range(3)])
    tab.sync = Short(sync.store)
    tab.pull()
    sync.store.put(task("t3"))
    with pytest.raises(ViewTooLarge, match=r"has more than 3 rows: narrow it, or raise rows_max"):
        tab.pull()


lagging = Table("lagging", indexes=["GSI1"])


class Item(Entity, table=lagging, pk="ITEM#{item_id}", sk="ITEM"):
    everything = Index("GSI1", pk="ITEMS", sk="{item_id}")
    item_id: str


class Items(Store, table=lagging):
    pass


class Lagging(Sync[Items, str]):
    def view(self, user: str) -> Iterable[Query[Any]]:
        return [Item.everything.query()]


def test_a_view_of_a_global_index_is_refused(sync: TaskSync) -> None:
    """It may lack what a client was told to be done."""
    with pytest.raises(NoStrongRead, match="GSI1 is a global index"):
        Tab(Lagging(Items.connect(":memory:")), user="ann").pull()


def test_a_key_says_what_the_scope_does_not(sync: TaskSync) -> None:
    class Everywhere(TaskSync):
        def scope(self, user: User) -> Mapping[str, Any]:
            return {}

    entity = task("t/1?", tenant_id="a/c me")
    assert sync.key(entity, ANN) == "Task/t%2F1%3F"
    assert Everywhere(sync.store).key(entity, ANN) == "Task/a%2Fc me/t%2F1%3F"


def test_what_has_no_value_is_not_seen(sync: TaskSync, tab: Tab) -> None:
    class Discreet(TaskSync):
        def value(self, entity: Entity, user: User) -> Any:
            hidden = isinstance(entity, Task) and not entity.title.startswith(user.user_id)
            return None if hidden else super().value(entity, user)

    tab.sync = Discreet(sync.store)
    sync.store.put_many([task("t1", "ann's"), task("t2", "bob's")])
    tab.pull()
    assert tab.rows.keys() == {"Task/t1"}
    sync.store.update(Task.key(tenant_id="acme", task_id="t1"), title="bob's now")
    assert told(tab.pull()) == [("del", "Task/t1")]
