"""Updates change what they say, in one request, and never leave an index key stale."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import (
    ConditionFailed,
    NotFound,
    UnknownKeyParts,
    UsageError,
    VersionConflict,
)
from singletable.model.changes import REMOVE, add, append, if_missing
from singletable.model.conditions import F
from singletable.model.reads import Key
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import (
    NOW,
    Bench,
    Desk,
    Doc,
    Hold,
    Invoice,
    Lease,
    Loan,
    Page,
    Plain,
    Stats,
    Task,
    User,
    item_key,
)

TASK = Task.key(list_id="l", task_id="t")
LOAN = Loan.key(card="c", loan_id="1")
HOLD = Hold.key(hold_id="h")


@pytest.fixture
def task(bench: Bench) -> Task:
    """A task that is there."""
    stored: Task = bench.do(
        Putting(Task(list_id="l", task_id="t", owner="ann", priority=5, due="may", created_at=NOW))
    )
    return stored


def update(bench: Bench, target: Any, condition: Any = None, /, **changes: Any) -> Any:
    return bench.do(Updating(target, changes=changes, condition=condition))


def keys(bench: Bench, key: Key[Any] = TASK) -> dict[str, str]:
    item = bench.item(key) or {}
    return {name: item[name]["S"] for name in sorted(item) if name.startswith("GSI")}


def test_an_update_is_one_update_item_that_gives_the_new_item(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a")))
    result = update(bench, Plain.key(name="a"), size=3)

    assert result == Plain(name="a", size=3)
    assert bench.sent == [
        (
            "UpdateItem",
            {
                "TableName": "writes",
                "Key": {"PK": {"S": "PLAIN#a"}, "SK": {"S": "ITEM"}},
                "UpdateExpression": "SET #n0 = :v0",
                "ConditionExpression": "attribute_exists(#n1)",
                "ExpressionAttributeNames": {"#n0": "size", "#n1": "PK"},
                "ExpressionAttributeValues": {":v0": {"N": "3"}},
                "ReturnValues": "ALL_NEW",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            },
        )
    ]


def test_an_update_of_nothing_is_not_found_and_makes_nothing(bench: Bench) -> None:
    with pytest.raises(NotFound, match=r"update Plain\(name='a'\)"):
        update(bench, Plain.key(name="a"), size=3)
    with pytest.raises(NotFound):
        update(bench, Plain.key(name="a"), F("size") == 1, size=3)
    assert list(bench.items()) == []


def test_a_false_condition_is_told_from_a_missing_item(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", size=1)))

    with pytest.raises(ConditionFailed) as failed:
        update(bench, Plain.key(name="a"), F("size") == 7, size=3)
    assert failed.value.found == Plain(name="a", size=1)


def test_changes_are_made_where_the_item_is(bench: Bench, task: Task) -> None:
    bench.do(Putting(Page(page_id="p", reads=1)))

    assert update(bench, Page.key(page_id="p"), reads=add(2)).reads == 3
    assert update(bench, Page.key(page_id="p"), text=if_missing("x")).text == ""


@pytest.mark.parametrize("nothing", [None, REMOVE])
def test_none_and_remove_take_the_attribute_away(bench: Bench, nothing: Any) -> None:
    bench.do(Putting(Plain(name="a", note="x")))
    result = update(bench, Plain.key(name="a"), note=nothing)

    assert result.note is None
    assert "note" not in (bench.item(Plain.key(name="a")) or {})


def test_an_empty_set_takes_the_attribute_away(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", tags={"x"})))
    result = update(bench, Plain.key(name="a"), tags=set())

    assert result.tags == set()
    assert "tags" not in (bench.item(Plain.key(name="a")) or {})


# What cannot be right is refused before anything is sent.


@pytest.mark.parametrize(
    ("target", "changes", "complaint"),
    [
        (Plain.key(name="a"), {}, "at least one change"),
        (Plain.key(name="a"), {"size": "many"}, "Plain.size cannot be 'many'"),
        (Plain.key(name="a"), {"size": None}, "Plain.size cannot be None"),
        (Plain.key(name="a"), {"colour": "red"}, "no field 'colour'"),
        (Plain.key(name="a"), {"name": "b"}, "Plain.name is part of the key"),
        (Plain.key(name="a"), {"name": REMOVE}, "Plain.name is part of the key"),
        (TASK, {"status": "LOST"}, "Task.status cannot be 'LOST'"),
        (TASK, {"created_at": NOW}, r"Task.created_at is kept by the store \(created\)"),
        (TASK, {"updated_at": NOW}, r"Task.updated_at is kept by the store \(updated\)"),
        (Page.key(page_id="p"), {"version": 7}, r"Page.version is kept .* \(version\)"),
        (User.key(user_id="u"), {"posts": add(1)}, r"User.posts is kept .* \(countof\)"),
        (Invoice.key(shop="s", number=1), {"number": 2}, "Invoice.number is part of the key"),
    ],
)
def test_refusal_it_names_entity_and_field(
    bench: Bench, target: Any, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        update(bench, target, **changes)
    assert bench.sent == []


def test_refusal_a_field_without_which_an_item_is_no_entity_cannot_be_removed(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"Lease\.until cannot be removed"):
        update(bench, Lease.key(name="l"), until=REMOVE)


# Every index key that is made from a changed field is written in the same request.


def test_keys_a_changed_field_changes_its_keys(bench: Bench, task: Task) -> None:
    moment = bench.later(hours=1)
    update(bench, TASK, status="DONE")

    assert keys(bench)["GSI1PK"] == "LIST#l#DONE"
    assert keys(bench)["GSI1SK"] == f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z#t"
    assert bench.operations == ["UpdateItem"]


def test_keys_the_time_of_the_update_moves_the_key_it_is_part_of(bench: Bench, task: Task) -> None:
    before = keys(bench)
    bench.later(hours=1)
    result = update(bench, TASK, open=True, owner="ann")

    assert keys(bench)["GSI1SK"] > before["GSI1SK"]
    assert result.updated_at == bench.now


def test_keys_only_the_part_whose_fields_change_is_written(bench: Bench, task: Task) -> None:
    update(bench, TASK, priority=7, due="june")

    assert keys(bench)["GSI2SK"] == "007#june"
    assert "GSI2PK" not in bench.request["ExpressionAttributeNames"].values()


def test_keys_a_field_that_becomes_none_takes_the_item_out_of_the_index(
    bench: Bench, task: Task
) -> None:
    update(bench, TASK, owner=None, open=True)

    assert "GSI2PK" not in keys(bench)


def test_keys_what_must_hold_for_an_index_decides_too(bench: Bench, task: Task) -> None:
    update(bench, TASK, open=False, owner="ann")
    assert "GSI2PK" not in keys(bench)

    update(bench, TASK, open=True, owner="bob")
    assert keys(bench)["GSI2PK"] == "OWNER#bob"


def test_keys_an_update_that_does_not_know_all_fields_of_a_key_is_refused(
    bench: Bench, task: Task
) -> None:
    with pytest.raises(UnknownKeyParts, match=r"Task.by_owner: .*GSI2SK.* made from due") as no:
        update(bench, TASK, priority=7)
    for fix in ("set due to plain values", "update an entity that you have read", "edit()"):
        assert fix in str(no.value)
    assert bench.sent == []


def test_keys_a_field_whose_new_value_only_the_item_tells_is_unknown(
    bench: Bench, task: Task
) -> None:
    with pytest.raises(
        UnknownKeyParts, match=r"GSI2SK is made from priority, .* be known before: use edit\(\)"
    ):
        update(bench, task, priority=add(1))


def test_keys_an_entity_that_was_read_knows_its_fields(bench: Bench, task: Task) -> None:
    update(bench, task, priority=7)

    assert keys(bench)["GSI2SK"] == "007#may"


def test_keys_what_is_taken_from_an_entity_must_still_be_so(bench: Bench, task: Task) -> None:
    update(bench, task, due="june")

    with pytest.raises(ConditionFailed) as failed:
        update(bench, task, priority=7)
    assert failed.value.found.due == "june"
    assert keys(bench)["GSI2SK"] == "005#june"


def test_keys_what_no_key_needs_may_have_changed(bench: Bench, task: Task) -> None:
    update(bench, TASK, status="DONE")
    update(bench, task, priority=7)

    assert keys(bench)["GSI2SK"] == "007#may"


# To leave an index no key has to be made, so nothing of it has to be known.


@pytest.mark.parametrize("changes", [{"state": "BACK"}, {"branch": None}])
def test_leaving_an_index_needs_no_other_field(bench: Bench, changes: dict[str, Any]) -> None:
    bench.do(Putting(Loan(card="c", loan_id="1")))
    assert keys(bench, LOAN) == {"GSI2PK": "DUE#north", "GSI2SK": "may#1"}

    bench.do(Updating(LOAN, changes=changes))

    assert "GSI2PK" not in keys(bench, LOAN)
    assert bench.operations == ["UpdateItem"]


def test_leaving_an_index_a_field_that_only_the_item_tells_does_not_matter(bench: Bench) -> None:
    bench.do(Putting(Loan(card="c", loan_id="1")))
    update(bench, LOAN, state="BACK", branch=if_missing("south"))

    assert "GSI2PK" not in keys(bench, LOAN)


def test_leaving_an_index_what_stays_in_it_or_enters_it_needs_its_whole_key(bench: Bench) -> None:
    bench.do(Putting(Loan(card="c", loan_id="1", state="BACK")))

    with pytest.raises(UnknownKeyParts, match=r"Loan.due_at: .*GSI2PK.* made from branch too"):
        update(bench, LOAN, state="OUT")
    with pytest.raises(UnknownKeyParts, match=r"GSI2PK.* made from state too"):
        update(bench, LOAN, branch="south")
    update(bench, LOAN, state="OUT", branch="south")
    assert keys(bench, LOAN)["GSI2PK"] == "DUE#south"


def test_an_item_that_is_read_first_tells_the_other_fields_of_its_keys(bench: Bench) -> None:
    bench.do(Putting(Desk(desk="d")))
    bench.do(Putting(Hold(hold_id="h", state="FETCHED")))
    assert "GSI2PK" not in keys(bench, HOLD)

    update(bench, HOLD, state="WAITING")

    assert keys(bench, HOLD)["GSI2PK"] == "FETCH#first"
    assert bench.get(Desk.get(desk="d")).holds == 1


def test_a_field_of_a_key_that_changes_meanwhile_is_read_again(bench: Bench) -> None:
    bench.do(Putting(Desk(desk="d")))
    hold = bench.do(Putting(Hold(hold_id="h")))
    bench.meanwhile(Updating(hold, changes={"floor": "second"}))

    update(bench, HOLD, state="WAITING")

    assert keys(bench, HOLD)["GSI2PK"] == "FETCH#second"
    assert bench.get(Desk.get(desk="d")).holds == 1


# An update counts the version up; that of an entity is refused if somebody was faster.


def test_versions_by_key_it_is_not_compared(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p")))

    assert update(bench, Page.key(page_id="p"), text="x").version == 2
    assert update(bench, Page.key(page_id="p"), text="y").version == 3


def test_versions_by_entity_it_is(bench: Bench) -> None:
    page = bench.do(Creating(Page(page_id="p")))

    assert update(bench, page, text="x").version == 2
    with pytest.raises(VersionConflict) as failed:
        update(bench, page, text="y")
    assert (failed.value.mine, failed.value.theirs) == (1, 2)
    assert failed.value.found.text == "x"


def test_versions_of_an_entity_that_is_gone_there_is_nothing(bench: Bench) -> None:
    page = bench.do(Creating(Page(page_id="p")))
    bench.do(Deleting(page))

    with pytest.raises(NotFound):
        update(bench, page, text="y")


def test_a_condition_takes_what_an_update_takes_and_refuses_the_rest(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", size=5)))

    assert update(bench, Plain.key(name="a"), F("size") == "5", size="6").size == 6
    with pytest.raises(UsageError, match=r"Plain\.size cannot be compared with 'six': .* int"):
        update(bench, Plain.key(name="a"), F("size") == "six", size=7)
    assert bench.sent == []


def test_a_nested_path_changes_what_it_leads_to(bench: Bench) -> None:
    bench.do(Putting(Doc(name="d")))
    changes = {"stats.reads": add(1), "stats.days": append(["mon"])}
    result = bench.do(Updating(Doc.key(name="d"), changes=changes))

    assert result.stats == Stats(reads=1, days=["mon"])


def test_to_remove_a_field_removes_it_under_its_older_name_too(bench: Bench) -> None:
    item = {**item_key(Doc.key(name="d")), "Type": {"S": "Doc"}, "name": {"S": "d"}}
    bench.call("PutItem", {"TableName": "writes", "Item": {**item, "heading": {"S": "old"}}})

    assert update(bench, Doc.key(name="d"), title=REMOVE).title == ""
    assert bench.item(Doc.key(name="d")) == item


def test_an_attribute_of_an_older_name_is_not_left_to_be_read_again(bench: Bench) -> None:
    item = {**Doc.key(name="d").item_key, "Type": {"S": "Doc"}, "name": {"S": "d"}}
    bench.call("PutItem", {"TableName": "writes", "Item": {**item, "heading": {"S": "old"}}})
    assert bench.get(Doc.get(name="d")).title == "old"

    assert update(bench, Doc.key(name="d"), title="new").title == "new"
    assert bench.item(Doc.key(name="d")) == {**item, "title": {"S": "new"}}


def test_a_field_may_take_the_value_of_another(bench: Bench) -> None:
    bench.do(Putting(Doc(name="d")))

    assert update(bench, Doc.key(name="d"), title=F("name")).title == "d"


def test_validators_of_the_field_are_asked_and_those_of_the_model_are_not(bench: Bench) -> None:
    bench.do(Putting(Doc(name="d")))

    assert update(bench, Doc.key(name="d"), code=" ab ").code == "AB"
    with pytest.raises(UsageError, match=r"Doc\.code cannot be 'long'.*three"):
        update(bench, Doc.key(name="d"), code="long")
