"""Slips in what a store is given to write: each is told with what was given and what is needed."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import Entity, F, Store, Table, UsageError

table = Table("slips")


class Note(Entity, table=table, pk="NOTE#{name}", sk="NOTE"):
    """Something to write."""

    name: str
    text: str = ""


class Notes(Store, table=table):
    """Only writes."""


class Headless(Entity, table=table, pk="HEADLESS#{name}"):
    """Lacks its sort key."""

    name: str


NOTE, KEY = Note(name="n"), Note.key(name="n")

SLIPS: dict[str, tuple[Any, str]] = {
    "nothing": (lambda store: store.put(None), r"put\(None\): give an entity, not nothing"),
    "a dict": (lambda store: store.put({}), r"put\({}\): give an entity, not a dict"),
    "a class": (lambda store: store.put(Note), r"put\(Note\): .* not the class: Note\(…\)"),
    "a key to create": (lambda store: store.create(KEY), r"create\(Note\.key\(.*give an entity"),
    "a text": (
        lambda store: store.delete("x"),
        r"delete\('x'\): give an entity, or a key, not a str",
    ),
    "an update of a text": (lambda store: store.update("x", text="y"), "an entity, or a key"),
    "an upsert of a text": (lambda store: store.upsert("x", text="y"), "an entity, or a key"),
    "an edit of a text": (lambda store: store.edit("x", lambda one: one), "an entity, or a key"),
    "no sort key": (
        lambda store: store.create(Headless(name="n")),
        r"create\(.*Headless is a base .*, as its key has no sk: give it one, sk=…",
    ),
    "no sort key among many": (
        lambda store: store.put_many([NOTE, Headless(name="n")]),
        r"put_many\(.*Headless is a base .*, as its key has no sk",
    ),
    "one of many": (lambda store: store.put_many(NOTE), r"give several, as in put_many\(\[…\]\)"),
    "one key of many": (lambda store: store.delete_many(KEY), r"as in delete_many\(\[…\]\)"),
    "nothing of many": (lambda store: store.put_many(None), r"as in put_many\(\[…\]\)"),
    "nothing among many": (lambda store: store.put_many([NOTE, None]), r"put_many\(None\): give"),
    "a text to hold": (lambda store: store.put(NOTE, only_if="x"), "only_if='x' is no condition"),
    "a truth to hold": (lambda store: store.delete(KEY, only_if=True), "only_if=True is no"),
    "a field to hold": (lambda store: store.update(KEY, text="x", only_if=F("text")), "is no cond"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_with_what_is_needed_and_nothing_is_written(slip: str) -> None:
    work, told = SLIPS[slip]
    with Notes.connect(":memory:") as store:
        with pytest.raises(UsageError, match=told):
            work(store)
        assert store.bind(Note.scan()).all() == []


def test_a_transaction_tells_the_same() -> None:
    with Notes.connect(":memory:") as store, store.transaction() as tx:
        with pytest.raises(UsageError, match=r"put\(None\): give an entity"):
            tx.put(None)  # type: ignore[arg-type]  # the slip that is tested
        with pytest.raises(UsageError, match=r"check\(None\): give an entity, or a key"):
            tx.check(None)  # type: ignore[arg-type]  # the slip that is tested
