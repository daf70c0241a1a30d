"""Large content is stored, loaded and deleted; no stop in between loses it or leaks it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from obstore.store import MemoryStore

from singletable import F, Store, append, expires, get_many, if_missing, version
from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import Engine
from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidAddress,
    LargeBroken,
    LargeMissing,
    NotFound,
    ObjectStoreFailed,
    OutOfScope,
    SingletableError,
    Throttled,
    Unreachable,
    UsageError,
    VersionConflict,
)
from singletable.model.entity import Entity
from singletable.model.large import InObjects, InParts, Large, Preview
from singletable.model.table import Table
from singletable.store.context import Context
from singletable.store.creation import create_table
from singletable.store.drivers import _perform, arun, run
from singletable.store.large.contents import PART_SIZE_BYTES_MAX, load
from singletable.store.large.objects import Found, Objects
from singletable.store.large.saving import Contents
from singletable.store.large.sweeping import Swept, sweep
from singletable.store.observing.events import RequestEvent
from singletable.store.retries import Retries
from singletable.store.scopes import Scope
from singletable.store.steps import Call, ObjectCall, Program, Step, Together
from singletable.store.writing.committing import commit, write
from singletable.store.writing.editing import Editing, Upserting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating, Deleting, Putting
from tests import components

E = TypeVar("E", bound=Entity)
R = TypeVar("R")

AT_ONCE = timedelta(0)
LONG = "lång " * 100_000
"""Text that takes two parts, cut inside a character."""
OTHER = "something else " * 50_000
SHORT = "a few words"

notes = Table("notes")
flat = Table("flat", sk=None)


class Transcript(Entity, table=notes, pk="TENANT#{tenant}", sk="T#{id}"):
    """Has large fields: one where the store likes, one in each place."""

    tenant: str = "t1"
    id: str
    text: Large[str] | None = None
    image: Annotated[Large[bytes] | None, InParts()] = None
    audio: Annotated[Large[bytes] | None, InObjects()] = None
    notes: Annotated[Large[str] | None, Preview(5)] = None


class Page(Entity, table=flat, pk="PAGE#{id}"):
    """Is kept in a table without a sort key."""

    id: str
    text: Large[str]


class Hot(Entity, table=notes, pk="HOT#{id}#{copy}", sk="META", copies=3):
    """Is kept in several copies."""

    id: str
    text: Large[str]


KEY = Transcript.key(tenant="t1", id="1")


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    """An engine that has the tables."""
    with Engine() as engine:
        backend = EmbeddedBackend(engine)
        for table in (notes, flat):
            run(create_table(Context(table=table, table_name=table.name)), backend)
        yield backend


@pytest.fixture(params=["parts", "folder", "memory"])
def context(request: pytest.FixtureRequest, tmp_path: Path) -> Context:
    """A context that keeps content in parts, in files, or in memory."""
    addresses = {"folder": str(tmp_path / "files"), "memory": "memory://"}
    address = addresses.get(request.param)
    return _context(objects=Objects(address) if address else None)


def _context(table: Table = notes, **options: Any) -> Context:
    return Context(table=table, table_name=table.name, **options)


def put(context: Context, entity: E) -> Program[E]:
    """Put an entity as a store does."""
    return write(context, Putting(entity))


def delete(context: Context, entity: Entity) -> Program[None]:
    """Delete an item as a store does."""
    return write(context, Deleting(entity))


def abandoned(context: Context, entity: Entity) -> Program[None]:
    """Store the content of an entity, and never write its item."""
    made = Contents(context)
    made.placed(Putting(entity), entity.__dict__, None)
    yield from made.store()


def items(backend: EmbeddedBackend, table: str = "notes") -> list[dict[str, Any]]:
    """Give all items of the table."""
    found: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": table}
    while True:
        answer = backend.call("Scan", request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def entities(backend: EmbeddedBackend) -> list[Transcript]:
    """Give all transcripts as they are stored."""
    read = Transcript.__schema__.items.read
    found = [read(item) for item in items(backend) if item["Type"] == {"S": "Transcript"}]
    return [entity for entity in found if isinstance(entity, Transcript)]


def parts(backend: EmbeddedBackend, table: str = "notes") -> list[dict[str, Any]]:
    """Give all parts in the table."""
    return [item for item in items(backend, table) if item["Type"] == {"S": "Part"}]


def objects(context: Context) -> list[Found]:
    """Give all objects."""
    if context.objects is None:
        return []
    found: list[Found] = context.objects.list("").perform()
    return found


def contents(context: Context, backend: EmbeddedBackend) -> int:
    """Count the contents that are stored outside of items."""
    ids = {item["SK"]["S"].split("#")[1] for item in parts(backend)}
    return len(ids) + len(objects(context))


def failing(program: Program[R], backend: EmbeddedBackend, error: Exception, *calls: str) -> R:
    """Run a program in which some calls fail."""

    class Failing(EmbeddedBackend):
        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            if operation in calls:
                raise error
            return super().call(operation, request)

    return run(program, Failing(backend.engine))


def test_content_is_stored_and_loaded(context: Context, backend: EmbeddedBackend) -> None:
    made = run(put(context, Transcript(id="1", text=Large(LONG), notes=Large(OTHER))), backend)
    (read,) = entities(backend)
    for one in (made, read):
        assert one.text is not None
        assert one.notes is not None
        assert (one.text.content, one.text.length, one.text.preview) == (None, 500_000, LONG[:200])
        assert one.notes.preview == OTHER[:5]
        assert run(load(context, one.text), backend) == LONG
        assert run(load(context, one.notes), backend) == OTHER
    assert contents(context, backend) == 2


def test_content_is_stored_and_loaded_async(context: Context, backend: EmbeddedBackend) -> None:
    async def work() -> str:
        made = await arun(put(context, Transcript(id="1", text=Large(LONG))), backend)
        made = await arun(put(context, made.model_copy(update={"text": OTHER})), backend)
        assert made.text is not None
        swept = await arun(sweep(context, AT_ONCE), backend)
        assert (swept.parts, swept.objects) == (0, 0)
        return await arun(load(context, made.text), backend)

    assert asyncio.run(work()) == OTHER
    assert contents(context, backend) == 1


def test_each_field_goes_where_it_says(backend: EmbeddedBackend, tmp_path: Path) -> None:
    context = _context(objects=Objects(tmp_path / "files"))
    data = bytes(range(256)) * 4096
    made = run(put(context, Transcript(id="1", image=Large(data), audio=Large(data))), backend)
    assert made.image is not None
    assert made.audio is not None
    assert len(parts(backend)) == 3
    (path,) = (one.path for one in objects(context))
    assert path.startswith("notes/Transcript/audio/")
    assert (tmp_path / "files" / path).read_bytes() == data
    assert (
        run(load(context, made.image), backend) == run(load(context, made.audio), backend) == data
    )


def test_short_content_stays_in_the_item(context: Context, backend: EmbeddedBackend) -> None:
    made = run(put(context, Transcript(id="1", text=Large(SHORT))), backend)
    assert made.text is not None
    assert (made.text.content, contents(context, backend)) == (SHORT, 0)
    loading = load(context, made.text)
    with pytest.raises(StopIteration):
        next(loading)  # ends at once, and asks for nothing


def test_parts_lie_in_the_partition_of_their_item(backend: EmbeddedBackend) -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    run(put(_context(clock=lambda: at), Transcript(id="1", text=Large(LONG))), backend)
    first, second = parts(backend)
    assert first["SK"]["S"].endswith("#00001")
    assert {name: value for name, value in first.items() if name not in {"SK", "Data"}} == {
        "PK": {"S": "TENANT#t1"},
        "Type": {"S": "Part"},
        "OwnerPK": {"S": "TENANT#t1"},
        "OwnerSK": {"S": "T#1"},
        "Field": {"S": "Transcript.text"},
        "CreatedAt": {"S": "2026-01-02T00:00:00.000000Z"},
    }
    sizes = [len(part["Data"]["B"]) for part in (first, second)]
    assert sizes == [PART_SIZE_BYTES_MAX, len(LONG.encode()) - PART_SIZE_BYTES_MAX]


def test_content_of_many_batches_is_loaded_whole(backend: EmbeddedBackend) -> None:
    context = _context()
    data = bytes(range(256)) * 50_000  # 37 parts: more than one write, and more than one answer
    made = run(put(context, Transcript(id="1", image=Large(data))), backend)
    assert made.image is not None
    assert run(load(context, made.image), backend) == data


def test_a_table_without_sort_key_has_parts_too(backend: EmbeddedBackend) -> None:
    context = _context(flat)
    made = run(put(context, Page(id="1", text=Large(LONG))), backend)
    assert run(load(context, made.text), backend) == LONG
    made = run(put(context, Page(id="1", text=Large(OTHER))), backend)
    assert run(load(context, made.text), backend) == OTHER
    assert run(sweep(context, AT_ONCE), backend) == Swept(4, 0, 0, 0, 0)


def test_copies_of_an_item_share_its_content(backend: EmbeddedBackend) -> None:
    context = _context()
    made = run(put(context, Hot(id="1", text=Large(LONG))), backend)
    made = run(put(context, made), backend)
    assert {item["PK"]["S"] for item in parts(backend)} == {"HOT#1#0"}
    assert len(items(backend)) == 3 + 2
    assert run(load(context, made.text), backend) == LONG


def test_what_is_replaced_is_deleted(context: Context, backend: EmbeddedBackend) -> None:
    run(put(context, Transcript(id="1", text=Large(LONG), notes=Large(LONG))), backend)
    (read,) = entities(backend)
    made = run(put(context, read.model_copy(update={"text": Large(OTHER)})), backend)
    assert contents(context, backend) == 2
    assert made.notes is not None
    assert read.notes is not None
    assert made.notes.stored == read.notes.stored
    run(put(context, made.model_copy(update={"text": None})), backend)
    assert contents(context, backend) == 1
    run(delete(context, made), backend)
    assert contents(context, backend) == 0


def test_values_of_an_update_are_saved_too(context: Context, backend: EmbeddedBackend) -> None:
    run(put(context, Transcript(id="1", text=Large(OTHER))), backend)
    changes = {"text": LONG, "notes": SHORT}
    made = run(write(context, Updating(KEY, changes=changes)), backend)
    assert made.notes.content == SHORT
    assert run(load(context, made.text), backend) == LONG
    assert contents(context, backend) == 1


def test_no_two_items_and_no_two_fields_share_content(
    context: Context, backend: EmbeddedBackend
) -> None:
    first = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    second = run(put(context, first.model_copy(update={"id": "2", "notes": first.text})), backend)
    run(delete(context, first), backend)
    run(put(context, second.model_copy(update={"text": None})), backend)
    (left,) = entities(backend)
    assert left.notes is not None
    assert run(load(context, left.notes), backend) == LONG
    assert contents(context, backend) == 1


def test_a_pointer_to_another_field_of_the_item_is_copied(
    context: Context, backend: EmbeddedBackend
) -> None:
    one = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    two = run(put(context, one.model_copy(update={"notes": one.text})), backend)
    run(put(context, two.model_copy(update={"text": None})), backend)
    assert two.notes is not None
    assert run(load(context, two.notes), backend) == LONG


def test_for_an_item_that_is_not_there_yet_content_is_stored_anew(
    context: Context, backend: EmbeddedBackend
) -> None:
    one = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    twin = run(write(context, Creating(one.model_copy(update={"id": "2"}))), backend)
    assert twin.text == one.text
    assert twin.text.stored != one.text.stored
    run(delete(context, one), backend)
    assert run(load(context, twin.text), backend) == LONG
    with pytest.raises(LargeMissing):
        run(write(context, Creating(one)), backend)
    assert contents(context, backend) == 1


def test_a_pointer_that_was_replaced_meanwhile_is_not_written_again(
    context: Context, backend: EmbeddedBackend
) -> None:
    mine = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    run(put(context, mine.model_copy(update={"text": Large(OTHER)})), backend)
    with pytest.raises(ConditionFailed, match="content of text was replaced since it was read"):
        run(put(context, mine.model_copy(update={"notes": Large(LONG)})), backend)
    (left,) = entities(backend)
    assert left.text is not None
    assert run(load(context, left.text), backend) == OTHER
    assert contents(context, backend) == 1  # what was stored for the failed write is gone again


def test_content_is_kept_where_a_write_may_have_been_done(
    context: Context, backend: EmbeddedBackend
) -> None:
    program = put(context, Transcript(id="1", text=Large(LONG)))
    with pytest.raises(Unreachable):
        failing(program, backend, Unreachable("no answer"), "PutItem")
    assert contents(context, backend) == 1


def test_content_is_kept_where_a_refused_write_is_done_late(
    context: Context, backend: EmbeddedBackend
) -> None:
    """Sent once, unheard of, and refused when sent again: then the first one arrives after all."""
    sent: list[dict[str, Any]] = []

    class Late(EmbeddedBackend):
        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            if operation == "TransactWriteItems":
                sent.append(request)
                if len(sent) == 1:
                    raise Unreachable("no answer yet")
                run(put(context, Transcript(id="1")), backend)
            return super().call(operation, request)

    writes = [Creating(Transcript(id="1", text=Large(LONG))), Putting(Transcript(id="2"))]
    with pytest.raises(AlreadyExists):
        run(commit(context, writes), Late(backend.engine))
    run(delete(context, Transcript(id="1")), backend)
    backend.call("TransactWriteItems", sent[0])
    first, _ = entities(backend)
    assert first.text is not None
    assert run(load(context, first.text), backend) == LONG


def test_content_is_kept_where_an_earlier_plan_was_done_late(
    context: Context, backend: EmbeddedBackend
) -> None:
    """Sent once, unheard of, refused, and planned again: then the first one arrives after all."""
    run(put(context, Transcript(id="1", text=Large("a"))), backend)
    sent: list[dict[str, Any]] = []

    class Late(EmbeddedBackend):
        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            if operation == "TransactWriteItems":
                sent.append(request)
                if len(sent) == 1:
                    raise Unreachable("no answer yet")
                text = {2: "b", 3: "a"}[len(sent)]
                run(put(context, Transcript(id="1", text=Large(text))), backend)
                if len(sent) == 3:
                    super().call(operation, sent[0])
            return super().call(operation, request)

    writes = [Updating(KEY, changes={"text": Large(LONG)}), Putting(Transcript(id="2"))]
    with pytest.raises(UsageError, match="The token 'order-7' came with other writes"):
        run(commit(context, writes, "order-7"), Late(backend.engine))
    first, _ = entities(backend)
    assert first.text is not None
    assert run(load(context, first.text), backend) == LONG


def test_a_write_is_done_even_if_the_rest_cannot_be_deleted(backend: EmbeddedBackend) -> None:
    context = _context(retries=Retries(attempts=1))
    made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    failing(delete(context, made), backend, Throttled("too fast"), "BatchWriteItem")
    assert not entities(backend)
    assert run(sweep(context, AT_ONCE), backend).parts == 2


# In a store


class Notes(Store, table=notes):
    """Writes and loads."""

    has_objects = False


class Draft(Entity, table=notes, pk="DRAFT#{id}", sk="DRAFT"):
    """Has a version, and a time that may be over."""

    id: str
    text: Large[str]
    size: int = 0
    version: int = version()
    until: datetime | None = expires()


@pytest.fixture(params=["parts", "memory://"])
def store(request: pytest.FixtureRequest) -> Iterator[Notes]:
    """A store with each kind of place."""
    objects = None if request.param == "parts" else request.param
    with Notes.connect(":memory:", objects=objects) as made:
        made.has_objects = objects is not None
        yield made


def orphans(store: Notes) -> int:
    """Count what no item points at."""
    swept = store.sweep(AT_ONCE, dry_run=True)
    return swept.parts + swept.objects


def loaded(store: Notes, key: Any) -> tuple[str, int]:
    """Load what an item points at."""
    (found,) = store.bind(get_many([Draft.get(**key.fields)])).all()
    return store.load(found.text), found.size


DRAFT = Draft.key(id="1")


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


# What is missing or broken


def test_missing_and_broken_parts_are_named(backend: EmbeddedBackend) -> None:
    context = _context()
    made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    assert made.text is not None
    part = parts(backend)[1]
    backend.call("PutItem", {"TableName": "notes", "Item": {**part, "Data": {"B": b"x"}}})
    with pytest.raises(LargeBroken, match=r"Transcript\.text of the item TENANT#t1 / T#1 is not"):
        run(load(context, made.text), backend)
    key = {name: part[name] for name in ("PK", "SK")}
    backend.call("DeleteItem", {"TableName": "notes", "Key": key})
    with pytest.raises(LargeMissing, match=r"Transcript\.text of .* lacks 1 of its 2 parts"):
        run(load(context, made.text), backend)


def test_missing_and_broken_objects_are_named(backend: EmbeddedBackend) -> None:
    store = Objects("memory://")
    context = _context(objects=store)
    made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    assert made.text is not None
    ((path,),) = ([one.path for one in objects(context)],)
    store.put(path, b"other").perform()
    with pytest.raises(LargeBroken, match=r"Transcript\.text"):
        run(load(context, made.text), backend)
    store.delete(path).perform()
    with pytest.raises(LargeMissing, match=rf"Transcript\.text of .* at {path} in memory://"):
        run(load(context, made.text), backend)


def test_parts_that_a_replica_lacks_are_read_strongly(backend: EmbeddedBackend) -> None:
    context = _context()
    made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    assert made.text is not None

    class Lagging(EmbeddedBackend):
        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            answer = super().call(operation, request)
            if not request["RequestItems"]["notes"].get("ConsistentRead"):
                answer["Responses"]["notes"].pop()
            return answer

    assert run(load(context, made.text), Lagging(backend.engine)) == LONG


def test_a_field_in_objects_needs_an_object_store(backend: EmbeddedBackend) -> None:
    with pytest.raises(UsageError, match=r"Transcript\.audio .* objects="):
        run(put(_context(), Transcript(id="1", audio=Large(b"0" * 9999))), backend)
    assert not items(backend)


def test_a_confined_store_stays_with_its_own_content(
    context: Context, backend: EmbeddedBackend
) -> None:
    mine = run(put(context, Transcript(tenant="t1", id="1", text=Large(LONG))), backend)
    other = run(put(context, Transcript(tenant="t2", id="1", text=Large(LONG))), backend)
    confined = replace(context, guard=Scope(notes, {"tenant": "t1"}))
    assert mine.text is not None
    assert other.text is not None
    assert run(load(confined, mine.text), backend) == LONG
    with pytest.raises(OutOfScope):
        run(load(confined, other.text), backend)
    with pytest.raises(OutOfScope):
        run(sweep(confined), backend)


# Object stores


def test_a_failing_object_store_is_an_error_of_the_library(
    backend: EmbeddedBackend, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    context = _context(objects=Objects(folder))
    (folder / "notes").write_text("in the way of a folder")
    with pytest.raises(ObjectStoreFailed, match=f"The object store {folder} failed"):
        run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    with pytest.raises(ObjectStoreFailed):
        asyncio.run(arun(put(context, Transcript(id="1", text=Large(LONG))), backend))


def test_a_file_is_on_the_disk_before_an_item_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(
        "singletable.store.large.objects._flush",
        lambda path: flushed.append(path.relative_to(tmp_path).as_posix()),
    )
    Objects(tmp_path).put("a/b/file", b"1").perform()
    asyncio.run(Objects(tmp_path).put("c", b"1").aperform())  # type: ignore[arg-type]  # it is one
    assert flushed == ["a/b/file", "a/b", "a", ".", "c", "."]


def test_objects_that_are_not_there_are_none_and_deleted_twice() -> None:
    store = Objects("memory://")
    assert store.get("none").perform() is None
    store.delete("none").perform()

    async def work() -> None:
        assert await store.get("none").aperform() is None
        await store.delete("none").aperform()

    asyncio.run(work())


def test_an_address_that_names_no_object_store_is_refused() -> None:
    with pytest.raises(InvalidAddress, match="'nonsense://x' is no address of an object store"):
        Objects("nonsense://x")


def test_the_extra_is_named_to_who_lacks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(UsageError, match=r'pip install "singletable\[objects\]"'):
        Objects("memory://")


def test_content_is_kept_in_s3(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    program = components.script("moto_server", "moto[server]")
    port = components.free_port()
    with components.server([program, "-H", "127.0.0.1", "-p", str(port)], port) as url:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": url,
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1")
        client.create_bucket(Bucket="files")
        context = _context(objects=Objects("s3://files/some/prefix"))
        made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
        assert made.text is not None
        assert run(load(context, made.text), backend) == LONG
        made = asyncio.run(arun(put(context, Transcript(id="1", text=Large(OTHER))), backend))
        run(abandoned(context, Transcript(id="2", text=Large(LONG))), backend)
        swept = run(sweep(context, timedelta(seconds=-5)), backend)
        assert (swept.objects, swept.size_bytes) == (1, len(LONG.encode()))
        (left,) = client.list_objects_v2(Bucket="files")["Contents"]
        assert made.text is not None
        assert made.text.stored is not None
        assert left["Key"] == f"some/prefix/{made.text.stored.path}"
        client.close()


# The sweep


def test_a_sweep_leaves_alone_what_is_young(context: Context, backend: EmbeddedBackend) -> None:
    run(abandoned(context, Transcript(id="1", text=Large(LONG))), backend)
    young = run(sweep(context), backend)
    assert (young.parts + young.objects, contents(context, backend)) == (0, 1)
    assert young.young == len(parts(backend)) + len(objects(context))
    tomorrow = replace(context, clock=lambda: datetime.now(UTC) + timedelta(days=2))
    swept = run(sweep(tomorrow), backend)
    assert (swept.size_bytes, swept.young) == (len(LONG.encode()), 0)
    assert contents(context, backend) == 0


def test_a_dry_sweep_only_reports(context: Context, backend: EmbeddedBackend) -> None:
    run(abandoned(context, Transcript(id="1", text=Large(LONG))), backend)
    found = run(sweep(context, AT_ONCE, dry_run=True), backend)
    assert contents(context, backend) == 1
    assert run(sweep(context, AT_ONCE), backend) == found
    assert contents(context, backend) == 0


@pytest.mark.parametrize(
    ("kind", "key"), [("Part", "PART#wheel#1"), ("Wheel", f"PART#{'0' * 32}#00001")]
)
def test_a_sweep_leaves_alone_what_only_looks_like_a_part(
    context: Context, backend: EmbeddedBackend, kind: str, key: str
) -> None:
    """A design may have an entity named Part, or keys like those of parts."""
    item = {"PK": {"S": "CAR#1"}, "SK": {"S": key}, "Type": {"S": kind}, "Data": {"S": "round"}}
    backend.call("PutItem", {"TableName": "notes", "Item": item})
    assert run(sweep(context, AT_ONCE), backend) == Swept(1, 0, 0, 0, 0)
    assert len(items(backend)) == 1


def test_a_sweep_believes_items_that_the_design_no_longer_knows(
    context: Context, backend: EmbeddedBackend
) -> None:
    run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    (item,) = (item for item in items(backend) if item["Type"] == {"S": "Transcript"})
    item = {**item, "Type": {"S": "Gone"}, "words": item.pop("text")}
    backend.call("PutItem", {"TableName": "notes", "Item": item})
    run(sweep(context, AT_ONCE), backend)
    assert contents(context, backend) == 1


def stopped(program: Program[Any], backend: EmbeddedBackend, steps: int, *, halfway: bool) -> bool:
    """Run a program for some steps and drop it, as when a process is killed; tell if it ended.

    ``halfway`` does the last step, of which the program never learns.
    """
    with suppress(StopIteration):
        step = next(program)
        for _ in range(steps):
            step = program.send(_perform(step, backend))
        if halfway:
            _perform(step, backend)
        return False
    return True


def _replaced(context: Context, one: Transcript) -> Program[Any]:
    return put(context, one.model_copy(update={"text": Large(OTHER), "image": None}))


def _copied(context: Context, one: Transcript) -> Program[Any]:
    return put(context, one.model_copy(update={"id": "2"}))


def _created(context: Context, _: Transcript) -> Program[Any]:
    return put(context, Transcript(id="3", text=Large(OTHER), image=Large(b"0" * 400_000)))


def _updated(context: Context, _: Transcript) -> Program[Any]:
    return write(context, Updating(KEY, changes={"text": Large(OTHER), "image": None}))


def _edited(context: Context, _: Transcript) -> Program[Any]:
    def change(one: Transcript) -> Transcript:
        return one.model_copy(update={"text": Large(OTHER), "image": one.image})

    return write(context, Editing(KEY, change=change))


def _upserted(context: Context, one: Transcript) -> Program[Any]:
    return write(context, Upserting(one.model_copy(update={"text": Large(OTHER)})))


def _all_at_once(context: Context, one: Transcript) -> Program[Any]:
    swapped = {"id": "2", "text": Large(OTHER)}
    return commit(context, [Deleting(one), Creating(one.model_copy(update=swapped))])


@pytest.mark.parametrize("halfway", [False, True])
@pytest.mark.parametrize(
    "work",
    [_created, _replaced, _copied, _updated, _edited, _upserted, _all_at_once, delete],
)
def test_a_stop_at_any_step_leaves_nothing_that_a_sweep_does_not_find(
    context: Context,
    backend: EmbeddedBackend,
    work: Callable[[Context, Transcript], Program[Any]],
    halfway: bool,
) -> None:
    """After the stop everything loads; after the sweep there is what items point at, no more."""
    ended, steps, orphans = False, 0, 0
    while not ended:
        for left in entities(backend):
            run(delete(context, left), backend)
        made = Transcript(id="1", text=Large(LONG), image=Large(b"1" * 400_000))
        first = run(put(context, made), backend)
        ended = stopped(work(context, first), backend, steps, halfway=halfway)
        swept = run(sweep(context, AT_ONCE), backend)
        orphans += swept.parts + swept.objects
        kept = [large for one in entities(backend) for large in (one.text, one.image) if large]
        assert {run(load(context, large), backend) for large in kept} <= {
            LONG,
            OTHER,
            b"0" * 400_000,
            b"1" * 400_000,
        }
        assert contents(context, backend) == len(kept)
        steps += 1
    assert steps > 2
    assert orphans > 0


def _writer(context: Context, number: int, kind: str) -> Program[Any]:
    """Read the item, then delete it or write it with other content in one field."""
    key = {"PK": {"S": "TENANT#t1"}, "SK": {"S": "T#1"}}
    answer = yield from context.send("GetItem", {"TableName": "notes", "Key": key})
    fresh = f"{number}" * 5000
    read: Any = Transcript(id="1", text=Large(fresh), notes=Large(fresh))
    if "Item" in answer:
        read = Transcript.__schema__.items.read(answer["Item"])
    if kind == "delete":
        yield from delete(context, read)
    else:
        with suppress(ConditionFailed):
            yield from put(context, read.model_copy(update={kind: Large(fresh)}))


@given(
    kinds=st.lists(st.sampled_from(["text", "notes", "delete"]), min_size=2, max_size=6),
    turns=st.lists(st.integers(0, 5), max_size=40),
    in_objects=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_writers_at_the_same_time_never_leave_a_pointer_to_nothing(
    kinds: list[str], turns: list[int], in_objects: bool
) -> None:
    """Several writers take turns, request by request; those that get no more turns are dropped."""
    with Engine() as engine:
        backend = EmbeddedBackend(engine)
        context = _context(objects=Objects("memory://") if in_objects else None)
        run(create_table(context), backend)
        writers = [_writer(context, number, kind) for number, kind in enumerate(kinds)]
        waiting = dict(enumerate(map(next, writers)))
        for turn in turns:
            number = turn % len(writers)
            if number in waiting:
                _advance(writers[number], number, waiting, backend)
        run(sweep(context, AT_ONCE), backend)
        kept = [large for one in entities(backend) for large in (one.text, one.notes) if large]
        assert all(run(load(context, large), backend) for large in kept)
        assert contents(context, backend) == len(kept)


def _advance(
    writer: Program[Any], number: int, waiting: dict[int, Step], backend: EmbeddedBackend
) -> None:
    try:
        answer = _perform(waiting.pop(number), backend)
    except SingletableError as error:
        resume = partial(writer.throw, error)
    else:
        resume = partial(writer.send, answer)
    with suppress(StopIteration):
        waiting[number] = resume()


def test_the_stops_come_between_all_requests(context: Context, backend: EmbeddedBackend) -> None:
    """The order is what makes it safe: content, then the item, then what it replaces."""
    one = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    program, seen = put(context, one.model_copy(update={"text": Large(OTHER)})), []
    with suppress(StopIteration):
        step = next(program)
        while True:
            seen.append(step.operation if isinstance(step, Call) else type(step))
            step = program.send(_perform(step, backend))
    content = ObjectCall if context.objects else "BatchWriteItem"
    assert seen == [Together, content, "PutItem", content]
