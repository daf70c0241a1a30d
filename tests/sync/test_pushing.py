"""Mutations are made in order and once, each together with the note that it was made."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from singletable import ConditionFailed, OutOfScope, Throttled, UsageError, VersionConflict
from singletable.errors import (
    Contended,
    InternalServerError,
    ProvisionedThroughputExceededException,
    TransactionCanceledException,
)
from singletable.sync import ForeignGroup
from singletable.sync.bookkeeping import Client
from tests.sync.design import ANN, Tab, Task, TaskSync, User, spied

NOT_FOUND = {"error": "ClientStateNotFound"}


def titles(sync: TaskSync, tenant_id: str = "acme") -> dict[str, str]:
    return {task.task_id: task.title for task in sync.store.tasks(tenant_id)}


def total(sync: TaskSync, name: str) -> int:
    return sync.store.tally("acme", name).one().total


def last(sync: TaskSync, client: str = "c1", group: str = "g1") -> int:
    found = sync._books.client(group, client).first()
    return found.last if found else 0


def reasons(*codes: str) -> TransactionCanceledException:
    told = [{"Code": code} for code in codes]
    return TransactionCanceledException("cancelled", CancellationReasons=told)


def test_effects_and_the_last_mutation_id_are_one_transaction(sync: TaskSync) -> None:
    seen, between = spied(sync)
    Tab(seen).do("create", {"task_id": "t1", "title": "Paint"})
    [request] = between.sent("TransactWriteItems")
    written = [next(iter(action.values()))["TableName"] for action in request["TransactItems"]]
    assert written == ["tasks", "tasks-sync", "tasks-sync"]
    assert (titles(sync), last(sync)) == ({"t1": "Paint"}, 1)


def test_a_mutation_that_comes_again_has_no_second_effect(sync: TaskSync, tab: Tab) -> None:
    one, two = tab.mutation("add", {"k": 1}), tab.mutation("add", {"k": 10})
    for mutations in ([one], [one, two], [two], [one], [one, two]):
        assert tab.push(*mutations) == {}
    assert (total(sync, "k"), last(sync)) == (11, 2)


def test_what_comes_too_early_ends_the_push(sync: TaskSync, tab: Tab) -> None:
    first, second, third = (tab.mutation("add", {"k": 10**n}) for n in range(3))
    other = Tab(sync, name="c2").mutation("add", {"k": 1000})
    tab.push(first)
    assert tab.push(third, other) == {}
    assert (total(sync, "k"), last(sync), last(sync, "c2")) == (1, 1, 0)
    tab.push(second, third, other)
    assert total(sync, "k") == 1111


def test_a_client_that_is_not_known_any_more_starts_anew(sync: TaskSync, tab: Tab) -> None:
    tab.last = 6
    assert tab.push(tab.mutation("add", {"k": 1})) == NOT_FOUND
    assert last(sync) == 0
    assert sync._books.group("g1").first() is None


@pytest.mark.parametrize(
    ("name", "args", "error", "told"),
    [
        ("fail", "not yours", PermissionError, "not yours"),
        ("create", {"task_id": "t1", "title": ""}, UsageError, "create.title cannot be ''"),
        ("unheard", None, UsageError, "TaskSync has no mutator 'unheard'"),
        ("create", {"task_id": "a#b", "title": "x"}, UsageError, "task_id='a#b' is refused"),
        ("takeOver", "initech", OutOfScope, "not of tenant_id='acme'"),
        ("create", {"task_id": "there", "title": "x"}, ConditionFailed, "already"),
        ("fill", 99, UsageError, "99 items are written, and a transaction has room for 98"),
    ],
)
def test_what_can_never_be_made_is_skipped_and_told(
    sync: TaskSync, tab: Tab, name: str, args: Any, error: type[Exception], told: str
) -> None:
    sync.store.put(Task(tenant_id="acme", task_id="there", title="as it was"))
    tab.push(tab.mutation(name, args), tab.mutation("add", {"k": 1}))
    [(mutation, why)] = sync.skipped
    assert (mutation.id, mutation.name, mutation.client_id) == (1, name, "c1")
    assert isinstance(why, error)
    assert told in str(why)
    assert (titles(sync), titles(sync, "initech")) == ({"there": "as it was"}, {})
    assert (total(sync, "k"), last(sync)) == (1, 2)


def test_a_mutation_that_is_skipped_is_told_once(sync: TaskSync, tab: Tab) -> None:
    failing = tab.mutation("fail", "no")
    tab.push(failing)
    tab.push(failing)
    assert len(sync.skipped) == 1


def test_a_transaction_may_be_full(sync: TaskSync, tab: Tab) -> None:
    tab.do("fill", 98)
    assert (len(tab.pull()["patch"]), sync.skipped) == (98 + 1, [])


def test_a_mutation_that_writes_nothing_is_done(sync: TaskSync, tab: Tab) -> None:
    tab.do("nothing")
    tab.do("remove_all")
    assert (last(sync), sync.skipped) == (2, [])


def test_a_mutator_is_given_what_it_reads(sync: TaskSync, tab: Tab) -> None:
    for number in range(3):
        tab.do("create", {"task_id": f"t{number}", "title": "x"})
    tab.do("rename", {"task_id": "t1", "title": "y"})
    assert titles(sync)["t1"] == "y"
    tab.do("remove_all")
    assert titles(sync) == {}


def test_a_mutator_that_others_were_faster_than_is_run_again(
    sync: TaskSync, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.do("create", {"task_id": "t1", "title": "x"})
    others = iter(["theirs"])

    def between() -> None:
        for title in others:
            sync.store.update(Task.key(tenant_id="acme", task_id="t1"), title=title)

    monkeypatch.setattr(sync, "between", between)
    tab.do("rename", {"task_id": "t1", "title": "mine"})
    assert (titles(sync), sync.skipped) == ({"t1": "mine"}, [])


def test_a_mutator_that_others_are_always_faster_than_is_skipped(
    sync: TaskSync, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.do("create", {"task_id": "t1", "title": "x"})
    key = Task.key(tenant_id="acme", task_id="t1")
    monkeypatch.setattr(sync, "between", lambda: sync.store.update(key, title="theirs"))
    tab.do("rename", {"task_id": "t1", "title": "mine"})
    [(_, why)] = sync.skipped
    assert isinstance(why, VersionConflict)


def test_a_mutation_in_contention_is_never_skipped(
    sync: TaskSync, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.do("create", {"task_id": "t1", "title": "x"})
    key = Task.key(tenant_id="acme", task_id="t1")
    shout = tab.mutation("shout", "t1")
    with monkeypatch.context() as contended:
        contended.setattr(sync, "between", lambda: sync.store.update(key, title="theirs"))
        with pytest.raises(Contended, match="8 times in a row"):
            tab.push(shout)
    assert (last(sync), sync.skipped) == (1, [])
    tab.push(shout)
    assert (titles(sync), last(sync)) == ({"t1": "THEIRS"}, 2)


@pytest.mark.parametrize(
    "error",
    [
        ProvisionedThroughputExceededException("slower"),
        reasons("None", "None", "TransactionConflict"),
        reasons("TransactionConflict", "None", "None"),
        reasons("None", "ThrottlingError", "None"),
    ],
)
def test_a_throttle_or_conflict_is_no_reason_to_skip(sync: TaskSync, error: Exception) -> None:
    seen, between = spied(sync)
    between.before = [error] * 3
    Tab(seen).do("add", {"k": 5})
    assert (total(sync, "k"), last(sync), seen.skipped) == (5, 1, [])


def test_a_push_that_is_throttled_for_long_fails_and_can_be_sent_again(sync: TaskSync) -> None:
    seen, between = spied(sync)
    tab = Tab(seen)
    tab.do("add", {"k": 1})
    next_two = tab.mutation("add", {"k": 10}), tab.mutation("add", {"k": 100})
    between.before = [ProvisionedThroughputExceededException("slower")] * 8
    with pytest.raises(Throttled):
        tab.push(*next_two)
    assert (total(sync, "k"), last(sync), seen.skipped) == (1, 1, [])
    tab.push(*next_two)
    assert (total(sync, "k"), last(sync)) == (111, 3)


def test_an_answer_that_is_lost_makes_nothing_twice(sync: TaskSync) -> None:
    seen, between = spied(sync)
    between.after = [InternalServerError("who knows")]
    tab = Tab(seen)
    tab.do("add", {"k": 5})
    tab.do("add", {"k": 50})
    assert (total(sync, "k"), last(sync)) == (55, 2)


def test_a_group_belongs_to_who_came_first(sync: TaskSync, tab: Tab) -> None:
    tab.do("add", {"k": 1})
    for user in (User("bob", "acme"), User("ann", "initech")):
        stranger = Tab(sync, user=user, name="c9")
        with pytest.raises(ForeignGroup, match="'g1' is not of"):
            stranger.do("add", {"k": 1})
        with pytest.raises(ForeignGroup):
            stranger.pull()
    assert total(sync, "k") == 1


def test_a_client_counts_in_its_own_group_alone(sync: TaskSync, tab: Tab) -> None:
    """Who knows the id of another's client cannot move it on."""
    tab.do("add", {"k": 1})
    Tab(sync, user=User("bob", "acme"), group="g2").do("add", {"k": 10})
    tab.do("add", {"k": 100})
    assert (total(sync, "k"), last(sync, group="g1"), last(sync, group="g2")) == (111, 2, 1)


def test_the_same_push_from_many_sides_at_once_is_made_once(sync: TaskSync, tab: Tab) -> None:
    mutations = [tab.mutation("add", {"k": 1}) for _ in range(20)]
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: tab.push(*mutations), range(6)))
    assert answers == [{}] * 6
    assert (total(sync, "k"), last(sync), sync.skipped) == (20, 20, [])


def test_push_and_pull_have_async_twins(sync: TaskSync, tab: Tab) -> None:
    async def work() -> dict[str, Any]:
        created = tab.mutation("create", {"task_id": "t1", "title": "x"})
        renamed = tab.mutation("rename", {"task_id": "t1", "title": "y"})
        assert await sync.apush(ANN, tab.pushed(created, renamed)) == {}
        return await sync.apull(ANN, tab.pulled())

    tab.apply(asyncio.run(work()))
    assert tab.rows["Task/t1"]["title"] == "y"


def test_a_client_is_forgotten_after_a_time(sync: TaskSync, tab: Tab) -> None:
    tab.do("add", {"k": 1})
    sync._books.delete(Client.key(group="g1", client="c1"))  # as TTL does
    assert tab.push(tab.mutation("add", {"k": 1})) == NOT_FOUND
