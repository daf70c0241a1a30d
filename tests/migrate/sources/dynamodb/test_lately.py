"""Which items an index may not find yet is remembered for a while, and then forgotten."""

from __future__ import annotations

from singletable.backends import Backend
from singletable.migrate.sources.dynamodb import item_of
from singletable.migrate.sources.dynamodb.lately import KEPT_S, Lately
from singletable.migrate.sources.dynamodb.tables import SourceTable
from singletable.store.retries import Retries

from .support import create


def test_keys_are_given_by_what_an_index_is_asked_for_until_it_has_them(memory: Backend) -> None:
    create(memory, "notes", "id", indexes={"by-user": "user:N"})
    table, time = SourceTable.find(memory, "notes", Retries()), [0.0]
    lately = Lately(lambda: time[0])
    lately.note(table, item_of({"id": "a", "user": 1}))
    lately.note(table, item_of({"id": "b", "user": 2}))
    lately.note(table, item_of({"id": "c"}))
    lately.note(table, item_of({"id": "d", "user": "of another type, so in no index"}))
    assert lately.keys(table, "user", {"N": "1.0"}) == [item_of({"id": "a"})]
    time[0] = KEPT_S + 1
    lately.note(table, item_of({"id": "e", "user": 2}))
    assert lately.keys(table, "user", {"N": "1"}) == []
    assert lately.keys(table, "user", {"N": "2"}) == [item_of({"id": "e"})]
