"""No stop in between leaves content that a sweep does not find."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import Engine
from singletable.errors import (
    ConditionFailed,
    SingletableError,
)
from singletable.model.large import Large
from singletable.store.context import Context
from singletable.store.creation import create_table
from singletable.store.drivers import _perform, run
from singletable.store.large.contents import load
from singletable.store.large.objects import Objects
from singletable.store.large.sweeping import Swept, sweep
from singletable.store.steps import Call, ObjectCall, Program, Step, Together
from singletable.store.writing.committing import commit, write
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating
from tests.store.large.shelf import (
    AT_ONCE,
    KEY,
    LONG,
    OTHER,
    Transcript,
    abandoned,
    contents,
    context_of,
    delete,
    entities,
    items,
    objects,
    parts,
    put,
)


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
        context = context_of(objects=Objects("memory://") if in_objects else None)
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
