"""Content that is missing, broken or out of reach is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import (
    LargeBroken,
    LargeMissing,
    OutOfScope,
    UsageError,
)
from singletable.model.large import Large
from singletable.store.context import Context
from singletable.store.drivers import run
from singletable.store.large.contents import load
from singletable.store.large.objects import Objects
from singletable.store.large.sweeping import sweep
from singletable.store.scopes import Scope
from tests.store.large.shelf import (
    LONG,
    Transcript,
    context_of,
    items,
    notes,
    objects,
    parts,
    put,
)


def test_missing_and_broken_parts_are_named(backend: EmbeddedBackend) -> None:
    context = context_of()
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
    context = context_of(objects=store)
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
    context = context_of()
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
        run(put(context_of(), Transcript(id="1", audio=Large(b"0" * 9999))), backend)
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
