"""Many clients at once, and any order of requests: all edits are made once, all see the same."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sync.design import QUICK, Tab, Task, Tasks, TaskSync, User

CLIENTS = 6
EDITS = 25
NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("edit"), st.integers(0, 2), st.sampled_from(["add", "set", "remove"])),
        st.tuples(st.just("push"), st.integers(0, 2), st.integers(0, 5)),
        st.tuples(st.just("again"), st.integers(0, 2), st.integers(0, 30)),
        st.tuples(st.just("pull"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("plain"), st.integers(0, 2), NAMES),
        st.tuples(st.just("erase"), st.integers(0, 2), NAMES),
    ),
    max_size=40,
)


def shown(sync: TaskSync) -> dict[str, Any]:
    """Give what a client that comes now is told."""
    fresh = Tab(sync, user=User("fresh"), group="fresh", name="fresh")
    fresh.pull()
    return fresh.rows


class Courses:
    """Three clients, two of one group, with what they have sent and not sent yet."""

    def __init__(self) -> None:
        self.sync = TaskSync(Tasks.connect(":memory:", retries=QUICK))
        places = [("ann", "g1", "c1"), ("ann", "g1", "c2"), ("bob", "g2", "c3")]
        self.tabs = [Tab(self.sync, User(user), group, name) for user, group, name in places]
        self.made: dict[str, list[dict[str, Any]]] = {tab.name: [] for tab in self.tabs}
        self.expected = 0

    def edit(self, tab: Tab, kind: str) -> None:
        number = tab.last + 1
        if kind == "add":
            self.expected += number
            mutation = tab.mutation("add", {"total": number})
        elif kind == "set":
            mutation = tab.mutation("create", {"task_id": "abc"[number % 3], "title": f"{number}"})
        else:
            mutation = tab.mutation("remove", "abc"[number % 3])
        self.made[tab.name].append(mutation)

    def push(self, tab: Tab, most: int) -> None:
        """Send what is not confirmed, as a client does: from the first that is not."""
        open_ = self.made[tab.name][tab.lasts.get(tab.name, 0) :]
        assert tab.push(*open_[:most]) == {}

    def again(self, tab: Tab, start: int) -> None:
        """Send anything that was made once more, in any place, as a network may."""
        answer = tab.push(*self.made[tab.name][start : start + 3])
        assert answer in ({}, {"error": "ClientStateNotFound"})

    def pull(self, tab: Tab, _: int) -> None:
        tab.pull()

    def plain(self, tab: Tab, task_id: str) -> None:
        self.sync.store.upsert(Task.key(tenant_id="acme", task_id=task_id), title="plain")

    def erase(self, tab: Tab, task_id: str) -> None:
        self.sync.store.delete(Task.key(tenant_id="acme", task_id=task_id))


@settings(max_examples=40)
@given(steps=STEPS)
def test_any_order_of_requests_ends_in_the_table(steps: list[tuple[str, int, Any]]) -> None:
    courses = Courses()
    for step, number, argument in steps:
        getattr(courses, step)(courses.tabs[number], argument)
    for tab in courses.tabs:
        tab.push(*courses.made[tab.name][tab.lasts.get(tab.name, 0) :])
    rows = shown(courses.sync)
    for tab in courses.tabs:
        tab.pull()
        assert tab.rows == rows
        assert tab.lasts.get(tab.name, 0) == tab.last
    assert rows.get("Tally/total", {"total": 0})["total"] == courses.expected
    courses.sync.store.close()


def client(sync: TaskSync, number: int, edits: int = EDITS) -> Tab:
    """Edit, push and pull at random; of what is moved between tallies nothing is ever missing."""
    draw = random.Random(number)  # noqa: S311 - a schedule, no secret
    user, group = f"u{number // 2}", f"g{number // 2}"
    tab = Tab(sync, User(user), group, f"c{number}")
    made: list[dict[str, Any]] = []
    while len(made) < edits:
        amount = draw.randint(1, 9)
        source, target = draw.sample(["a", "m", "z"], 2)
        made.append(tab.mutation("add", {source: -amount, target: amount, f"own{number}": 1}))
        start = tab.lasts.get(tab.name, 0)
        for _ in range(draw.choice([0, 1, 1, 2])):
            assert tab.push(*made[start:]) == {}
        if draw.random() < 0.5:
            tears = sync.tears
            tab.pull()
            moved = sum(tab.rows[f"Tally/{name}"]["total"] for name in "amz" if _has(tab, name))
            assert moved == 0 or sync.tears > tears
            own = tab.rows.get(f"Tally/own{number}", {"total": 0})["total"]
            assert own == tab.lasts.get(tab.name, 0) or sync.tears > tears
    tab.push(*made[tab.lasts.get(tab.name, 0) :])
    return tab


def _has(tab: Tab, name: str) -> bool:
    return f"Tally/{name}" in tab.rows


def check(sync: TaskSync, tabs: list[Tab], edits: int) -> None:
    """All clients have made all edits, and see the same."""
    rows = shown(sync)
    assert sync.skipped == []
    for tab in tabs:
        tab.pull()
        assert tab.rows == rows
        assert tab.lasts[tab.name] == edits
        assert rows[f"Tally/own{tab.name[1:]}"]["total"] == edits
    assert sum(rows[f"Tally/{name}"]["total"] for name in "amz") == 0


@pytest.mark.parametrize("round_", range(2))
def test_many_clients_at_once_see_whole_mutations_and_end_alike(round_: int) -> None:
    sync = TaskSync(Tasks.connect(":memory:", retries=QUICK))
    with ThreadPoolExecutor(CLIENTS) as threads:
        numbers = range(round_ * CLIENTS, (round_ + 1) * CLIENTS)
        tabs = list(threads.map(lambda number: client(sync, number), numbers))
    check(sync, tabs, EDITS)


@pytest.mark.slow
def test_many_clients_at_once_do_so_on_dynamodb_local(dynamodb_local: str) -> None:
    """Where transactions that meet are in conflict, and are sent again."""
    store = Tasks.connect(dynamodb_local, table_name="many-tasks", create=True)
    sync = TaskSync(store, create=True)
    with ThreadPoolExecutor(CLIENTS) as threads:
        tabs = list(threads.map(lambda number: client(sync, number, 8), range(CLIENTS)))
    check(sync, tabs, 8)
