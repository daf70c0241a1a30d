"""What is made of an entity before anybody has to wait for the table."""

from __future__ import annotations

from datetime import UTC, datetime

from singletable import Entity, Store, Table
from singletable.migrate.items import draft
from singletable.values import CanonicalItem, dumps, item_size

AT = datetime(2026, 1, 1, tzinfo=UTC)
table = Table("notes")


class Note(Entity, table=table, pk="NOTE#{name}", sk="NOTE"):
    name: str
    tags: set[str] = set()


class Notes(Store, table=table):
    """Every access pattern."""


def test_an_item_comes_with_its_size_and_the_bytes_that_are_stored() -> None:
    with Notes.connect(":memory:") as store:
        made = draft(store.context, Note(name="a"), AT)
        [item] = made.items
        assert isinstance(item, CanonicalItem)
        assert item.data == dumps(dict(item))
        assert made.size_bytes == item.size == item_size(dict(item))


def test_an_unusual_item_is_measured_all_the_same() -> None:
    with Notes.connect(":memory:") as store:
        made = draft(store.context, Note(name="a", tags={"x", "y"}), AT)
        [item] = made.items
        assert not isinstance(item, CanonicalItem)
        assert made.size_bytes == item_size(item)
