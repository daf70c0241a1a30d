"""An item whose time is over counts as not there, though nobody has deleted it yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from singletable import (
    ConditionFailed,
    Entity,
    F,
    NotFound,
    Store,
    Table,
    VersionConflict,
    count_of,
    created,
    expires,
    version,
)
from tests.store.bench import NOW

table = Table("expiring")


class Session(Entity, table=table, pk="SESSION#{token}", sk="SESSION"):
    """Over in an hour."""

    token: str
    user: str = ""
    hits: int = 0
    pages: int = count_of("Page")
    created_at: datetime = created()
    until: datetime | None = expires()


class Locked(Entity, table=table, pk="LOCKED#{name}", sk="LOCKED"):
    """Has a version too."""

    name: str
    owner: str = ""
    version: int = version()
    until: datetime | None = expires()


class Page(Entity, table=table, pk="SESSION#{token}", sk="PAGE#{page}"):
    """Counts for a session."""

    token: str
    page: str


class Sessions(Store, table=table):
    """No patterns: items are read by key."""

    now = NOW


KEY = Session.key(token="t")
LOCKED = Locked.key(name="l")


@pytest.fixture
def store() -> Iterator[Sessions]:
    """A store in which a session and a lock are over, and their items are still there."""
    made: Sessions
    with Sessions.connect(":memory:", clock=lambda: made.now) as made:
        hour = NOW + timedelta(hours=1)
        made.put(Session(token="t", user="old", hits=5, until=hour, created_at=NOW))
        made.put(Locked(name="l", owner="old", until=hour))
        made.now = NOW + timedelta(hours=2)
        yield made


def raw(store: Sessions, key: Any) -> dict[str, Any] | None:
    """Read an item as it is stored."""
    answer = store.backend.call("GetItem", {"TableName": "expiring", "Key": key.item_key})
    item: dict[str, Any] | None = answer.get("Item")
    return item


def test_there_is_nothing_to_update(store: Sessions) -> None:
    with pytest.raises(NotFound):
        store.update(KEY, hits=6)
    with pytest.raises(NotFound), store.transaction() as tx:
        tx.update(KEY, hits=6)
    with pytest.raises(NotFound):
        store.update(LOCKED, owner="new")
    assert (raw(store, KEY) or {})["hits"] == {"N": "5"}


def test_there_is_nothing_to_edit(store: Sessions) -> None:
    with pytest.raises(NotFound):
        store.edit(KEY, lambda one: one.model_copy(update={"hits": 6}))


def test_an_upsert_starts_anew(store: Sessions) -> None:
    later = store.now + timedelta(hours=1)
    made = store.upsert(Session(token="t", hits=1, until=later, created_at=store.now))
    assert (made.user, made.hits, made.created_at) == ("", 1, store.now)
    assert store.bind(Session.get(token="t")).one() == made
    lock = store.upsert(Locked(name="l", owner="new"))
    assert (lock.version, lock.owner) == (1, "new")


def test_attributes_of_others_do_not_outlive_it(store: Sessions) -> None:
    item = {**(raw(store, LOCKED) or {}), "foreign": {"S": "x"}}
    store.backend.call("PutItem", {"TableName": "expiring", "Item": item})
    store.upsert(Locked(name="l"))
    assert "foreign" not in (raw(store, LOCKED) or {})


def test_a_condition_is_not_true_of_it(store: Sessions) -> None:
    with pytest.raises(ConditionFailed, match="there is no such item"):
        store.delete(KEY, only_if=F("user") == "old")
    with pytest.raises(ConditionFailed, match="there is no such item"):
        store.put(Session(token="t"), only_if=F("user") == "old")
    with pytest.raises(NotFound), store.transaction() as tx:
        tx.check(KEY)
    with pytest.raises(ConditionFailed), store.transaction() as tx:
        tx.check(KEY, F("user") == "old")
    store.delete(KEY)
    assert raw(store, KEY) is None


def test_its_version_is_that_of_nothing(store: Sessions) -> None:
    old = Locked(name="l", owner="old", version=1)
    for work in (store.put, store.delete):
        with pytest.raises(VersionConflict, match="there is no such item") as conflict:
            work(old)
        assert conflict.value.theirs is None
    assert store.put(Locked(name="l", owner="new")).version == 1


def test_what_it_counted_starts_anew(store: Sessions) -> None:
    with pytest.raises(NotFound, match="There is no Session"):
        store.put(Page(token="t", page="p"))
    store.put(Session(token="t"))
    store.put(Page(token="t", page="p"))
    assert store.bind(Session.get(token="t")).one().pages == 1


def test_a_child_of_it_can_go(store: Sessions) -> None:
    store.now = NOW
    store.put(Page(token="t", page="p"))
    store.now += timedelta(hours=2)
    store.delete(Page.key(token="t", page="p"))
    assert raw(store, Page.key(token="t", page="p")) is None
    assert store.put(Session(token="t")).pages == 0


def test_what_never_ends_is_there(store: Sessions) -> None:
    store.put(Session(token="u", until=None))
    assert store.update(Session.key(token="u"), hits=1).hits == 1
    assert store.upsert(Session(token="u", user="x")).user == "x"
