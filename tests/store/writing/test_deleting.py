"""Delete: one plain request, unless something has to be kept true."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ConditionFailed, VersionConflict
from singletable.model.conditions import F
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Putting
from tests.store.bench import Banner, Bench, Page, Plain

KEY = {"PK": {"S": "PLAIN#a"}, "SK": {"S": "ITEM"}}


def test_a_delete_is_one_delete_item_and_may_find_nothing(bench: Bench) -> None:
    bench.do(Deleting(Plain.key(name="a")))

    assert bench.sent == [("DeleteItem", {"TableName": "writes", "Key": KEY})]


@pytest.mark.parametrize("target", [Plain.key(name="a"), Plain(name="a")], ids=["key", "entity"])
def test_a_delete_takes_a_key_or_an_entity(bench: Bench, target: Any) -> None:
    bench.do(Putting(Plain(name="a")))
    bench.do(Deleting(target))

    assert bench.item(Plain.key(name="a")) is None


def test_a_delete_under_a_condition_fails_where_there_is_nothing(bench: Bench) -> None:
    with pytest.raises(ConditionFailed, match="there is no such item") as failed:
        bench.do(Deleting(Plain.key(name="a"), condition=F("size") == 1))
    assert failed.value.found is None


def test_a_delete_of_an_entity_fails_if_it_was_changed(bench: Bench) -> None:
    first = bench.do(Putting(Page(page_id="p")))
    second = bench.do(Updating(Page.key(page_id="p"), changes={"text": "new"}))

    with pytest.raises(VersionConflict):
        bench.do(Deleting(first))
    bench.do(Deleting(second))
    with pytest.raises(VersionConflict):
        bench.do(Deleting(second))


def test_a_delete_by_key_asks_for_no_version(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p")))
    bench.do(Deleting(Page.key(page_id="p")))

    assert bench.item(Page.key(page_id="p")) is None


def test_a_delete_takes_all_copies(bench: Bench) -> None:
    bench.do(Putting(Banner(name="b", text="x")))
    bench.do(Deleting(Banner.key(name="b")))

    assert list(bench.items()) == []
