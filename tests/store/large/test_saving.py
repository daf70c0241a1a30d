"""Large content is stored first, then pointed at; what is replaced is deleted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    LargeMissing,
    Throttled,
    Unreachable,
    UsageError,
)
from singletable.model.large import Large
from singletable.store.context import Context
from singletable.store.drivers import arun, run
from singletable.store.large.contents import PART_SIZE_BYTES_MAX, load
from singletable.store.large.objects import Objects
from singletable.store.large.sweeping import Swept, sweep
from singletable.store.retries import Retries
from singletable.store.writing.committing import commit, write
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating, Putting
from tests.store.large.shelf import (
    AT_ONCE,
    KEY,
    LONG,
    OTHER,
    SHORT,
    Hot,
    Page,
    Transcript,
    contents,
    context_of,
    delete,
    entities,
    failing,
    flat,
    items,
    objects,
    parts,
    put,
)


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
    context = context_of(objects=Objects(tmp_path / "files"))
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
    run(put(context_of(clock=lambda: at), Transcript(id="1", text=Large(LONG))), backend)
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
    context = context_of()
    data = bytes(range(256)) * 50_000  # 37 parts: more than one write, and more than one answer
    made = run(put(context, Transcript(id="1", image=Large(data))), backend)
    assert made.image is not None
    assert run(load(context, made.image), backend) == data


def test_a_table_without_sort_key_has_parts_too(backend: EmbeddedBackend) -> None:
    context = context_of(flat)
    made = run(put(context, Page(id="1", text=Large(LONG))), backend)
    assert run(load(context, made.text), backend) == LONG
    made = run(put(context, Page(id="1", text=Large(OTHER))), backend)
    assert run(load(context, made.text), backend) == OTHER
    assert run(sweep(context, AT_ONCE), backend) == Swept(4, 0, 0, 0, 0)


def test_copies_of_an_item_share_its_content(backend: EmbeddedBackend) -> None:
    context = context_of()
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
    context = context_of(retries=Retries(attempts=1))
    made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    failing(delete(context, made), backend, Throttled("too fast"), "BatchWriteItem")
    assert not entities(backend)
    assert run(sweep(context, AT_ONCE), backend).parts == 2
