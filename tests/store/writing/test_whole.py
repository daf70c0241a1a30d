"""Put and create: one plain request each, unless something has to be kept true."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    UsageError,
    ValidationException,
    VersionConflict,
)
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.table import Table
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import NOW, Banner, Bench, Lease, Page, Plain, Task, Use

PLAIN = {
    "PK": {"S": "PLAIN#a"},
    "SK": {"S": "ITEM"},
    "Type": {"S": "Plain"},
    "name": {"S": "a"},
    "size": {"N": "1"},
}


def test_a_put_is_one_put_item_without_a_condition(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", size=1)))

    assert bench.sent == [("PutItem", {"TableName": "writes", "Item": PLAIN})]


def test_a_put_gives_back_the_same_object_where_nothing_was_filled_in(bench: Bench) -> None:
    entity = Plain(name="a")

    assert bench.do(Putting(entity)) is entity


def test_a_put_replaces_the_whole_item(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", note="old")))
    bench.do(Putting(Plain(name="a", size=1)))

    assert bench.item(Plain.key(name="a")) == PLAIN


def test_a_put_keeps_the_attributes_that_were_read_and_are_not_declared(bench: Bench) -> None:
    bench.call("PutItem", {"TableName": "writes", "Item": {**PLAIN, "theirs": {"S": "x"}}})
    read = bench.get(Plain.get(name="a"))
    bench.do(Putting(read.model_copy(update={"size": 2})))

    assert bench.item(Plain.key(name="a")) == {**PLAIN, "size": {"N": "2"}, "theirs": {"S": "x"}}


def test_a_put_under_a_condition_tells_what_is_there(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", size=1)))

    with pytest.raises(ConditionFailed) as failed:
        bench.do(Putting(Plain(name="a", size=2), F("size") == 5))
    assert failed.value.found == Plain(name="a", size=1)
    assert "put Plain(name='a')" in str(failed.value)


def test_the_time_of_the_last_write_is_the_clocks_and_the_argument_stays_as_it_is(
    bench: Bench,
) -> None:
    task = Task(list_id="l", task_id="t")
    before = task.model_copy()
    stored = bench.do(Putting(task))

    assert stored.updated_at == NOW
    assert stored.created_at == task.created_at
    assert task == before


def test_a_create_is_one_put_item_where_there_is_none(bench: Bench) -> None:
    bench.do(Creating(Plain(name="a", size=1)))

    assert bench.sent == [
        (
            "PutItem",
            {
                "TableName": "writes",
                "Item": PLAIN,
                "ConditionExpression": "attribute_not_exists(#n0)",
                "ExpressionAttributeNames": {"#n0": "PK"},
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            },
        )
    ]


def test_a_create_fails_where_there_is_one_and_tells_it(bench: Bench) -> None:
    bench.do(Creating(Plain(name="a", size=1)))

    with pytest.raises(AlreadyExists, match=r"create Plain\(name='a'\)") as failed:
        bench.do(Creating(Plain(name="a", size=2)))
    assert failed.value.found == Plain(name="a", size=1)
    assert bench.get(Plain.get(name="a")).size == 1


def test_an_item_that_cannot_be_read_is_in_the_way_all_the_same(bench: Bench) -> None:
    bench.call("PutItem", {"TableName": "writes", "Item": {**PLAIN, "size": {"S": "broken"}}})

    with pytest.raises(AlreadyExists) as failed:
        bench.do(Creating(Plain(name="a")))
    assert failed.value.found is None


def test_a_create_takes_the_place_of_an_item_whose_time_is_over(bench: Bench) -> None:
    bench.do(Creating(Lease(name="l", holder="a", until=NOW + timedelta(hours=1))))
    with pytest.raises(AlreadyExists):
        bench.do(Creating(Lease(name="l", holder="b", until=NOW + timedelta(hours=9))))
    bench.later(hours=1)
    bench.do(Creating(Lease(name="l", holder="b", until=NOW + timedelta(hours=9))))

    assert bench.get(Lease.get(name="l")).holder == "b"


def test_what_takes_the_place_of_an_expired_item_counts_anew(bench: Bench) -> None:
    bench.do(Creating(Lease(name="l", holder="a", until=NOW + timedelta(hours=1))))
    bench.do(Creating(Use(use_id="1", name="l")))
    assert bench.get(Lease.get(name="l")).uses == 1
    bench.later(hours=1)

    assert bench.do(Creating(Lease(name="l", holder="a", until=bench.now + timedelta(1)))).uses == 0


# A version() field counts the writes, and a write made from an older one is refused.


def test_versions_they_begin_with_one(bench: Bench) -> None:
    assert bench.do(Putting(Page(page_id="p"))).version == 1
    assert bench.do(Creating(Page(page_id="q"))).version == 1


def test_versions_each_put_adds_one(bench: Bench) -> None:
    first = bench.do(Putting(Page(page_id="p")))
    second = bench.do(Putting(first))

    assert second.version == 2
    assert bench.get(Page.get(page_id="p")).version == 2
    assert bench.operations == ["PutItem"]


def test_versions_a_put_of_something_new_fails_where_there_is_one(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p", text="theirs")))

    with pytest.raises(VersionConflict) as failed:
        bench.do(Putting(Page(page_id="p")))
    assert (failed.value.mine, failed.value.theirs) == (0, 1)
    assert failed.value.found == Page(page_id="p", text="theirs", version=1)


def test_versions_a_put_from_an_older_version_fails(bench: Bench) -> None:
    first = bench.do(Putting(Page(page_id="p")))
    bench.do(Putting(first))

    with pytest.raises(VersionConflict, match="made from version 1") as failed:
        bench.do(Putting(first))
    assert (failed.value.mine, failed.value.theirs) == (1, 2)


def test_versions_a_put_of_what_was_deleted_meanwhile_fails(bench: Bench) -> None:
    first = bench.do(Putting(Page(page_id="p")))
    bench.do(Deleting(Page.key(page_id="p")))

    with pytest.raises(VersionConflict, match="there is no such item") as failed:
        bench.do(Putting(first))
    assert failed.value.theirs is None


def test_versions_a_false_condition_is_not_taken_for_a_conflict(bench: Bench) -> None:
    first = bench.do(Putting(Page(page_id="p")))

    with pytest.raises(ConditionFailed) as failed:
        bench.do(Putting(first, F("reads") > 0))
    assert type(failed.value) is ConditionFailed


def test_versions_an_item_without_one_has_the_version_of_something_new(bench: Bench) -> None:
    item = Page.__schema__.items.write(Page(page_id="p").__dict__)
    del item["version"]
    bench.call("PutItem", {"TableName": "writes", "Item": item})

    with pytest.raises(ConditionFailed) as failed:
        bench.do(Putting(Page(page_id="p"), F("reads") > 0))
    assert type(failed.value) is ConditionFailed
    assert bench.do(Putting(Page(page_id="p"))).version == 1


# A hot item is written to all its copies at once.


def test_copies_a_put_writes_all_copies_in_one_transaction(bench: Bench) -> None:
    bench.do(Putting(Banner(name="b", text="x")))

    assert bench.operations == ["TransactWriteItems"]
    assert texts(bench) == {"BANNER#b#0": "x", "BANNER#b#1": "x", "BANNER#b#2": "x"}


def test_copies_a_create_fails_where_there_are_any(bench: Bench) -> None:
    bench.do(Creating(Banner(name="b", text="x")))

    with pytest.raises(AlreadyExists):
        bench.do(Creating(Banner(name="b", text="y")))


def test_copies_an_update_changes_all_copies_and_gives_the_item(bench: Bench) -> None:
    bench.do(Putting(Banner(name="b", text="x")))
    result = bench.do(Updating(Banner.key(name="b"), changes={"text": "y"}))

    assert result == Banner(name="b", text="y")
    assert set(texts(bench).values()) == {"y"}


def test_an_entity_of_another_table_is_refused(bench: Bench) -> None:
    class Stranger(Entity, table=Table("elsewhere"), pk="S#{name}", sk="S"):
        name: str

    with pytest.raises(UsageError, match="Stranger is in Table"):
        bench.do(Putting(Stranger(name="s")))
    assert bench.sent == []


def test_what_the_service_refuses_is_raised_as_it_is(bench: Bench) -> None:
    with pytest.raises(ValidationException, match="Item size"):
        bench.do(Putting(Plain(name="a", note="x" * 500_000)))


def texts(bench: Bench) -> dict[str, str]:
    return {item["PK"]["S"]: item["text"]["S"] for item in bench.items()}
