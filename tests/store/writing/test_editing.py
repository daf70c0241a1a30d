"""An edit writes what a function changed, and leaves alone what the entity does not declare."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ConditionFailed, NotFound, StoreError, UsageError
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import (
    Banner,
    Bench,
    Doc,
    Page,
    Plain,
    Task,
    User,
)

PLAIN = Plain.key(name="a")


def test_an_edit_writes_what_the_function_changed(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", note="x")))
    bench.set(PLAIN, theirs={"S": "kept"})
    edited = bench.do(Editing(PLAIN, change=lambda it: it.model_copy(update={"size": 9})))

    assert edited == Plain(name="a", size=9, note="x")
    assert bench.operations == ["GetItem", "UpdateItem"]
    assert bench.request["UpdateExpression"] == "SET #n0 = :v0"
    assert (bench.item(PLAIN) or {})["theirs"] == {"S": "kept"}


def test_the_function_of_an_edit_may_change_the_copy_that_it_is_given(bench: Bench) -> None:
    def change(plain: Plain) -> None:
        plain.tags.add("new")
        plain.note = None

    bench.do(Putting(Plain(name="a", note="x")))
    assert bench.do(Editing(PLAIN, change=change)) == Plain(name="a", tags={"new"})
    assert bench.get(Plain.get(name="a")) == Plain(name="a", tags={"new"})


def test_an_edit_that_changes_nothing_writes_nothing(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p")))
    page = bench.do(Editing(Page.key(page_id="p"), change=lambda page: page))

    assert page.version == 1
    assert bench.operations == ["GetItem"]


def test_an_edit_rewrites_the_keys_that_depend_on_it(bench: Bench) -> None:
    key = Task.key(list_id="l", task_id="t")
    bench.do(Putting(Task(list_id="l", task_id="t", owner="ann", priority=1)))
    bench.do(Editing(key, change=lambda task: task.model_copy(update={"priority": 2})))
    assert (bench.item(key) or {})["GSI2SK"] == {"S": "002#never"}

    bench.do(Editing(key, change=lambda task: task.model_copy(update={"owner": None})))
    assert "GSI2PK" not in (bench.item(key) or {})


def test_an_edit_begins_again_when_somebody_else_has_written(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a", size=1)))
    bench.meanwhile(Updating(PLAIN, changes={"size": 10}), operation="UpdateItem")
    edited = bench.do(Editing(PLAIN, change=lambda it: it.model_copy(update={"size": it.size + 1})))

    assert edited.size == 11
    assert bench.operations == ["GetItem", "UpdateItem", "GetItem", "UpdateItem"]


def test_an_edit_of_an_entity_with_a_version_looks_at_the_version_alone(bench: Bench) -> None:
    key = Page.key(page_id="p")
    bench.do(Putting(Page(page_id="p", text="x")))
    bench.meanwhile(Updating(key, changes={"reads": 5}), operation="UpdateItem")
    edited = bench.do(Editing(key, change=lambda page: page.model_copy(update={"text": "y"})))

    assert (edited.text, edited.reads, edited.version) == ("y", 5, 3)
    names = bench.request["ExpressionAttributeNames"]
    assert sorted(names.values()) == ["PK", "text", "version"]


def test_an_edit_that_never_wins_gives_up(bench: Bench) -> None:
    def always(operation: str, _: dict[str, Any]) -> None:
        if operation == "UpdateItem":
            bench.set(PLAIN, size={"N": str(len(bench.sent) + 100)})

    bench.do(Putting(Plain(name="a")))
    bench.before = always
    with pytest.raises(ConditionFailed, match="others wrote meanwhile, 4 times"):
        bench.do(Editing(PLAIN, change=lambda it: it.model_copy(update={"note": "x"})))


def test_an_edit_of_nothing_is_not_found(bench: Bench) -> None:
    with pytest.raises(NotFound, match=r"edit Plain\(name='a'\)"):
        bench.do(Editing(PLAIN, change=lambda it: it))


def test_an_edit_of_what_is_deleted_meanwhile_is_not_found(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a")))
    bench.meanwhile(Deleting(PLAIN), operation="UpdateItem")

    with pytest.raises(NotFound):
        bench.do(Editing(PLAIN, change=lambda it: it.model_copy(update={"size": 1})))
    assert bench.item(PLAIN) is None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda it: it.model_copy(update={"name": "b"}), "name is part of the key"),
        (lambda _: "what?", "the function gave 'what\\?'"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused(bench: Bench, change: Any, complaint: str) -> None:
    bench.do(Putting(Plain(name="a")))

    with pytest.raises(UsageError, match=complaint):
        bench.do(Editing(PLAIN, change=change))
    assert bench.operations == ["GetItem"]


def test_an_edit_cannot_change_what_the_store_keeps(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u")))
    key = User.key(user_id="u")
    change = {"posts": 99, "name": "new"}
    edited = bench.do(Editing(key, change=lambda user: user.model_copy(update=change)))

    assert (edited.posts, edited.name) == (0, "new")
    assert bench.get(User.get(user_id="u")).posts == 0


def test_an_edit_leaves_a_count_alone_that_is_not_there_yet(bench: Bench) -> None:
    bench.do(Upserting(User(user_id="u")))
    key = User.key(user_id="u")
    bench.do(Editing(key, change=lambda user: user.model_copy(update={"name": "x"})))

    assert "posts" not in (bench.item(key) or {})


@pytest.mark.parametrize(
    "write",
    [
        Upserting(Doc(name="d", title="new")),
        Editing(
            Doc.key(name="d"), change=lambda doc: doc.model_copy(update={"title": doc.title + "er"})
        ),
    ],
    ids=lambda action: action.verb,
)
def test_an_attribute_of_an_older_name_goes(bench: Bench, write: Any) -> None:
    item = {**Doc.key(name="d").item_key, "Type": {"S": "Doc"}, "name": {"S": "d"}}
    bench.call("PutItem", {"TableName": "writes", "Item": {**item, "heading": {"S": "old"}}})
    written = bench.do(write)

    assert written.title in {"new", "older"}
    assert bench.get(Doc.get(name="d")) == written
    assert "heading" not in (bench.item(Doc.key(name="d")) or {})


def test_what_cannot_be_read_cannot_be_edited(bench: Bench) -> None:
    item = {**PLAIN.item_key, "Type": {"S": "Plain"}, "size": {"S": "broken"}}
    bench.call("PutItem", {"TableName": "writes", "Item": item})

    with pytest.raises(StoreError, match=r"PLAIN#a.* cannot be read as Plain"):
        bench.do(Editing(PLAIN, change=lambda plain: plain))


def test_copies_are_upserted_and_edited_together(bench: Bench) -> None:
    bench.do(Upserting(Banner(name="b", text="x")))
    change = {"text": "y"}
    edit = Editing(Banner.key(name="b"), change=lambda it: it.model_copy(update=change))

    assert bench.do(edit) == Banner(name="b", text="y")
    assert [item["text"]["S"] for item in bench.items()] == ["y", "y", "y"]
