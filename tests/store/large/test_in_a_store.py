"""Every write of a store moves large content with its item."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from obstore.store import MemoryStore

from singletable import F, append, if_missing
from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    UsageError,
    VersionConflict,
)
from singletable.model.large import Large
from singletable.store.large.objects import Objects
from singletable.store.large.sweeping import Swept
from singletable.store.observing.events import RequestEvent
from tests.store.large.shelf import (
    AT_ONCE,
    DRAFT,
    LONG,
    Draft,
    Notes,
    Transcript,
    loaded,
    orphans,
)


def test_every_write_moves_content(store: Notes) -> None:
    made = store.create(Draft(id="1", text=Large("a" * 9000)))
    assert made.text.content is None
    assert store.load(made.text) == "a" * 9000
    made = store.put(made.model_copy(update={"text": Large("b" * 9000)}))
    assert loaded(store, DRAFT) == ("b" * 9000, 0)
    made = store.update(DRAFT, text="c" * 9000, size=1)
    assert loaded(store, DRAFT) == ("c" * 9000, 1)
    made = store.update(made, size=2)
    made = store.edit(DRAFT, lambda one: one.model_copy(update={"text": Large("d" * 9000)}))
    assert loaded(store, DRAFT) == ("d" * 9000, 2)
    made = store.upsert(made.model_copy(update={"text": Large("e" * 9000), "size": 3}))
    assert loaded(store, DRAFT) == ("e" * 9000, 3)
    with store.transaction() as tx:
        tx.update(made, text="f" * 9000)
        tx.create(Draft(id="2", text=made.text))
    assert loaded(store, DRAFT) == ("f" * 9000, 3)
    assert loaded(store, Draft.key(id="2")) == ("e" * 9000, 0)
    assert orphans(store) == 0
    store.delete(DRAFT)
    store.delete_many([Draft.key(id="2")])
    assert store.sweep(AT_ONCE) == Swept(0, 0, 0, 0, 0)


def test_the_same_in_async(store: Notes) -> None:
    async def work() -> None:
        made = await store.acreate(Draft(id="1", text=Large("a" * 9000)))
        made = await store.aupdate(DRAFT, text="b" * 9000)
        assert await store.aload(made.text) == "b" * 9000
        await store.adelete(made)
        assert (await store.asweep(AT_ONCE)).items == 0

    asyncio.run(work())


def test_many_go_one_by_one(store: Notes) -> None:
    store.put_many([Draft(id=str(number), text=Large("x" * 9000)) for number in range(3)])
    assert loaded(store, Draft.key(id="2")) == ("x" * 9000, 0)
    assert orphans(store) == 0


def test_content_of_a_write_that_is_refused_is_deleted(store: Notes) -> None:
    made = store.create(Draft(id="1", text=Large("a" * 9000)))
    with pytest.raises(AlreadyExists):
        store.create(Draft(id="1", text=Large("b" * 9000)))
    with pytest.raises(ConditionFailed):
        store.update(DRAFT, text="b" * 9000, only_if=F("size") == 7)
    with pytest.raises(NotFound):
        store.update(Draft.key(id="2"), text="b" * 9000)
    store.update(DRAFT, size=1)
    with pytest.raises(VersionConflict):
        store.put(made.model_copy(update={"text": Large("b" * 9000)}))
    store.update(DRAFT, text="c" * 9000)
    with pytest.raises(VersionConflict):
        store.put(made)
    assert orphans(store) == 0
    assert loaded(store, DRAFT) == ("c" * 9000, 1)


def test_an_update_that_leaves_content_alone_is_one_request(store: Notes) -> None:
    store.create(Draft(id="1", text=Large("a" * 9000)))
    events: list[RequestEvent] = []
    store = Notes(store.backend, observers=[events.append])
    assert store.update(DRAFT, size=1).size == 1
    assert [event.operation for event in events] == ["UpdateItem"]


@pytest.mark.parametrize("change", [append(["x"]), if_missing("x"), F("id")])
def test_content_cannot_be_changed_in_part(store: Notes, change: Any) -> None:
    with pytest.raises(UsageError, match=r"Draft\.text is large: it can be replaced or removed"):
        store.update(DRAFT, text=change)
    with pytest.raises(UsageError, match="is large"):
        store.update(DRAFT, {"text.preview": "x"})


def test_content_that_was_deleted_with_its_item_is_told(store: Notes) -> None:
    made = store.put(Transcript(id="1", text=Large(LONG)))
    store.delete(made)
    with pytest.raises(ConditionFailed, match="content of text is gone with its item since"):
        store.put(made)
    with pytest.raises(ConditionFailed, match="content of text"):
        store.upsert(made)


def test_content_of_an_expired_item_goes_when_it_is_replaced(store: Notes) -> None:
    now = datetime.now(UTC)
    store.create(Draft(id="1", text=Large("a" * 9000), until=now - timedelta(days=1)))
    store.create(Draft(id="1", text=Large("b" * 9000), until=now - timedelta(days=1)))
    store.upsert(Draft(id="1", text=Large("c" * 9000)))
    assert loaded(store, DRAFT) == ("c" * 9000, 0)
    assert orphans(store) == 0


def test_an_edit_that_is_repeated_stores_its_content_once(store: Notes) -> None:
    store.create(Draft(id="1", text=Large("a" * 9000)))
    times = 0

    def change(one: Draft) -> Draft:
        nonlocal times
        times += 1
        if times == 1:
            store.update(DRAFT, size=5)
        return one.model_copy(update={"text": Large("b" * 9000)})

    assert store.edit(DRAFT, change).size == 5
    assert times == 2
    assert orphans(store) == 0
    assert loaded(store, DRAFT) == ("b" * 9000, 5)


def test_objects_can_be_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    for objects in (folder, str(folder), MemoryStore(), Objects("memory://")):
        with Notes.connect(":memory:", objects=objects) as store:
            made = store.put(Transcript(id="1", audio=Large(b"0" * 9999)))
            assert made.audio is not None
            assert store.load(made.audio) == b"0" * 9999
    assert len(list(folder.rglob("notes/Transcript/audio/*"))) == 2


def test_a_write_with_content_is_shown(store: Notes) -> None:
    calls = store.show(lambda shown: shown.put(Transcript(id="1", text=Large(LONG))))
    stored = [] if store.has_objects else ["BatchWriteItem"]
    assert [call.operation for call in calls] == ["GetItem", *stored, "PutItem"]
    assert orphans(store) == 0
