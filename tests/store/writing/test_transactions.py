"""A transaction does all of what its block asks for, or nothing, and says what was in the way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    TransactionCanceledException,
    TransactionCancelled,
    UniqueViolation,
    Unreachable,
    UsageError,
    ValidationException,
    VersionConflict,
)
from singletable.model.changes import add
from singletable.model.conditions import F
from singletable.store.writing.deleting import Checking, Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import Banner, Bench, Doc, Invoice, Page, Plain, Post, Task, User, Vote

ANN = User.key(user_id="ann")


def names(bench: Bench) -> list[str]:
    return sorted(item["name"]["S"] for item in bench.items() if item["Type"] == {"S": "Plain"})


def kinds(bench: Bench) -> list[str]:
    """Name the writes of the transaction that was sent last."""
    return [kind for action in bench.request["TransactItems"] for kind in action]


def test_what_a_block_asks_for_is_sent_when_it_ends(bench: Bench) -> None:
    bench.do(Putting(Plain(name="old")))
    bench.do(Putting(Page(page_id="p")))
    bench.sent.clear()
    with bench.transaction() as tx:
        tx.create(Plain(name="a"))
        tx.put(Plain(name="b"))
        tx.upsert(Plain(name="c"))
        tx.delete(Plain.key(name="old"))
        tx.update(Page.key(page_id="p"), {"reads": add(1)}, text="x")
        tx.check(ANN, F("user_id").missing())
        assert bench.sent == []

    assert bench.operations == ["TransactWriteItems"]
    assert kinds(bench) == ["Put", "Put", "Update", "Delete", "Update", "ConditionCheck"]
    assert names(bench) == ["a", "b", "c"]
    page = bench.get(Page.get(page_id="p"))
    assert (page.reads, page.text, page.version) == (1, "x", 2)


def test_it_tells_the_items_that_it_has_written(bench: Bench) -> None:
    with bench.transaction() as tx:
        tx.create(Page(page_id="p"))
        tx.delete(Plain.key(name="a"))

    assert tx.results == [Page(page_id="p", version=1), None]


def test_an_async_block_does_the_same(bench: Bench) -> None:
    async def work() -> None:
        async with bench.transaction() as tx:
            tx.create(Plain(name="a"))
            tx.create(Plain(name="b"))

    asyncio.run(work())
    assert names(bench) == ["a", "b"]


def test_a_block_that_raises_sends_nothing(bench: Bench) -> None:
    def block() -> None:
        with bench.transaction() as tx:
            tx.create(Plain(name="a"))
            raise LookupError

    async def ablock() -> None:
        async with bench.transaction() as tx:
            tx.create(Plain(name="a"))
            raise LookupError

    with pytest.raises(LookupError):
        block()
    with pytest.raises(LookupError):
        asyncio.run(ablock())
    assert bench.sent == []


def test_an_empty_block_sends_nothing(bench: Bench) -> None:
    with bench.transaction() as tx:
        pass

    assert bench.sent == []
    with pytest.raises(UsageError, match="has ended"):
        tx.create(Plain(name="a"))


def test_an_edit_may_be_part_of_a_transaction(bench: Bench) -> None:
    bench.do(Creating(Page(page_id="p", reads=1)))
    with bench.transaction() as tx:
        tx.edit(Page.key(page_id="p"), lambda page: page.model_copy(update={"reads": 2}))
        tx.create(Plain(name="a"))

    assert bench.get(Page.get(page_id="p")).reads == 2


# Tokens.


def test_every_transaction_has_a_token_of_its_own(bench: Bench) -> None:
    tokens = set()
    for name in ("a", "b"):
        bench.commit(Creating(Plain(name=name)))
        tokens.add(bench.request["ClientRequestToken"])

    assert len(tokens) == 2


def test_a_transaction_whose_answer_was_lost_is_done_once(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p")))

    def lose_answer(*_: object) -> None:
        bench.after = lambda *_: None
        raise Unreachable("cut off")

    bench.after = lose_answer
    bench.commit(Updating(Page.key(page_id="p"), changes={"reads": add(1)}))

    assert bench.operations == ["TransactWriteItems"] * 2
    assert bench.get(Page.get(page_id="p")).reads == 1


def test_a_token_makes_a_repeated_transaction_one(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p")))
    for _ in range(2):
        with bench.transaction(token="order-7") as tx:
            tx.update(Page.key(page_id="p"), reads=add(1))

    assert bench.get(Page.get(page_id="p")).reads == 1
    assert bench.request["ClientRequestToken"] == "order-7"
    other = pytest.raises(UsageError, match="The token 'order-7' came with other")
    with other, bench.transaction("order-7") as tx:
        tx.update(Page.key(page_id="p"), reads=add(2))
    assert bench.get(Page.get(page_id="p")).reads == 1


def test_a_token_does_not_forgive_other_times(bench: Bench) -> None:
    bench.do(Putting(Task(list_id="l", task_id="t")))
    for _ in range(2):  # at the same moment, to the microsecond
        with bench.transaction(token="order-8") as tx:
            tx.update(Task.key(list_id="l", task_id="t"), status="DONE")
    bench.later(seconds=1)
    other = pytest.raises(UsageError, match="the times that the store fills in")
    with other, bench.transaction("order-8") as tx:
        tx.update(Task.key(list_id="l", task_id="t"), status="DONE")


def test_a_token_stays_when_all_is_planned_again(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="one")))
    bench.meanwhile(Updating(ANN, changes={"email": "two"}))
    bench.commit(Updating(ANN, changes={"email": "three"}), token="order-7")

    tokens = [sent["ClientRequestToken"] for name, sent in bench.sent if name != "GetItem"]
    assert tokens == ["order-7"] * 2


def test_without_a_token_each_plan_has_one_of_its_own(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="one")))
    bench.meanwhile(Updating(ANN, changes={"email": "two"}))
    bench.commit(Updating(ANN, changes={"email": "three"}))

    tokens = [sent["ClientRequestToken"] for name, sent in bench.sent if name != "GetItem"]
    assert len(set(tokens)) == 2


def test_what_was_planned_again_is_not_done_once_more(bench: Bench) -> None:
    """The repetition is planned from what the first left, so it asks for something else."""
    bench.do(Creating(Page(page_id="p")))
    bench.do(Creating(User(user_id="ann", email="a")))

    def send() -> None:
        with bench.transaction("order-7") as tx:
            tx.update(Page.key(page_id="p"), reads=add(1))
            tx.update(ANN, team="blue")

    bench.meanwhile(Updating(ANN, changes={"team": "green"}))
    send()
    assert bench.operations.count("TransactWriteItems") == 2
    with pytest.raises(UsageError, match="The token 'order-7' came with other"):
        send()
    assert bench.get(Page.get(page_id="p")).reads == 1


# What one transaction does to one item is one write.


def test_two_actions_on_one_item_are_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"put Plain\(name='a'\) and delete Plain\(name='a'\)"):
        bench.commit(Putting(Plain(name="a")), Deleting(Plain.key(name="a")))
    assert bench.sent == []


def test_an_edit_that_changes_nothing_is_an_action_all_the_same(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="a")))

    with pytest.raises(UsageError, match="write the same item"):
        bench.commit(Editing(ANN, change=lambda user: user), Deleting(ANN))
    bench.commit(Editing(ANN, change=lambda user: user), Putting(Plain(name="a")))
    assert kinds(bench) == ["Put"]


def test_several_children_are_one_change_of_their_parent(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann")))
    bench.do(Creating(Post(post_id="old", author="ann")))
    bench.commit(
        Creating(Post(post_id="1", author="ann")),
        Creating(Post(post_id="2", author="ann")),
        Deleting(Post.key(post_id="old")),
    )

    assert kinds(bench) == ["Put", "Put", "Delete", "Update"]
    assert bench.get(User.get(user_id="ann")).posts == 2


def test_two_counts_of_one_parent_are_one_change(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann")))
    bench.commit(
        Creating(Post(post_id="1", author="ann")), Creating(Vote(user_id="ann", voter="v"))
    )

    assert kinds(bench) == ["Put", "Put", "Update"]
    ann = bench.get(User.get(user_id="ann"))
    assert (ann.posts, ann.likes) == (1, 1)


def test_what_comes_and_goes_at_once_changes_no_count(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann")))
    bench.do(Creating(Post(post_id="old", author="ann")))
    bench.commit(Creating(Post(post_id="1", author="ann")), Deleting(Post.key(post_id="old")))

    assert kinds(bench) == ["Put", "Delete"]


def test_a_child_counts_in_a_parent_that_is_created_with_it(bench: Bench) -> None:
    user, _ = bench.commit(Creating(User(user_id="ann")), Creating(Post(post_id="1", author="ann")))

    assert kinds(bench) == ["Put", "Put"]
    assert user.posts == 1
    assert bench.get(User.get(user_id="ann")) == user


@pytest.mark.parametrize(
    "write",
    [
        Putting(User(user_id="ann", name="new")),
        Updating(ANN, changes={"name": "new"}),
        Checking(ANN, condition=F("name") == "new"),
    ],
    ids=lambda action: action.verb,
)
def test_a_child_counts_in_a_parent_that_is_written_or_checked_with_it(
    bench: Bench, write: Any
) -> None:
    bench.do(Creating(User(user_id="ann", name="new")))
    bench.do(Creating(Post(post_id="0", author="ann")))
    bench.commit(write, Creating(Post(post_id="1", author="ann")))

    ann = bench.get(User.get(user_id="ann"))
    assert (ann.posts, ann.name) == (2, "new")
    assert len(kinds(bench)) == 2


def test_a_check_that_became_a_count_still_checks(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", name="old")))

    with pytest.raises(ConditionFailed, match=r"check User\(user_id='ann'\)"):
        bench.commit(
            Checking(ANN, condition=F("name") == "new"), Creating(Post(post_id="1", author="ann"))
        )
    assert bench.get(User.get(user_id="ann")).posts == 0


def test_a_parent_and_its_children_can_be_deleted_at_once(bench: Bench) -> None:
    bench.commit(Creating(User(user_id="ann")), Creating(Post(post_id="1", author="ann")))
    bench.commit(Deleting(ANN), Deleting(Post.key(post_id="1")))

    assert list(bench.items()) == []


def test_a_child_cannot_come_as_its_parent_goes(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann")))

    with pytest.raises(UsageError, match="this transaction deletes it"):
        bench.commit(Deleting(ANN), Creating(Post(post_id="1", author="ann")))


def test_a_value_can_be_handed_over(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="a")))
    bench.commit(Deleting(ANN), Creating(User(user_id="bob", email="a")))

    assert kinds(bench) == ["Delete", "Put", "Put"]
    with pytest.raises(UniqueViolation):
        bench.do(Creating(User(user_id="eve", email="a")))
    bench.do(Deleting(User.key(user_id="bob")))
    assert list(bench.items()) == []


def test_values_can_be_swapped(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="a")))
    bench.do(Creating(User(user_id="bob", email="b")))
    bench.commit(
        Updating(ANN, changes={"email": "b"}),
        Updating(User.key(user_id="bob"), changes={"email": "a"}),
    )

    assert bench.get(User.get(user_id="ann")).email == "b"
    guard = bench.raw("UNIQUE#User#email#b", "UNIQUE#User#email#b")
    assert guard is not None
    assert guard["OwnerPK"] == {"S": "USER#ann"}


def test_two_items_of_one_value_are_refused_before_anything_is_sent(bench: Bench) -> None:
    with pytest.raises(UniqueViolation):
        bench.commit(
            Creating(User(user_id="ann", email="a")), Creating(User(user_id="bob", email="a"))
        )
    assert bench.sent == []


def test_more_writes_than_a_transaction_has_are_refused(bench: Bench) -> None:
    users = [User(user_id=str(number), email=str(number)) for number in range(51)]

    with pytest.raises(UsageError, match=r"100 writes at most, and this one 102: 51 to .* 51 to"):
        bench.commit(*map(Creating, users))
    bench.commit(*map(Creating, users[:50]))
    assert len(kinds(bench)) == 100


def test_copies_are_written_in_the_transaction(bench: Bench) -> None:
    bench.commit(Putting(Banner(name="b")), Putting(Plain(name="a")))

    assert len(kinds(bench)) == 4


# Failures.


def test_the_one_action_that_failed_raises_its_own_error(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a")))
    page = bench.do(Putting(Page(page_id="p")))
    bench.do(Putting(page))
    bench.do(Creating(User(user_id="ann", email="a")))
    other = Putting(Plain(name="b"))

    with pytest.raises(AlreadyExists) as exists:
        bench.commit(other, Creating(Plain(name="a")))
    assert exists.value.found == Plain(name="a")
    assert isinstance(exists.value.__cause__, TransactionCanceledException)
    with pytest.raises(VersionConflict):
        bench.commit(other, Updating(page, changes={"text": "x"}))
    with pytest.raises(NotFound):
        bench.commit(other, Updating(Page.key(page_id="q"), changes={"text": "x"}))
    with pytest.raises(NotFound):
        bench.commit(other, Checking(Page.key(page_id="q")))
    with pytest.raises(VersionConflict):
        bench.commit(other, Checking(page))
    with pytest.raises(UniqueViolation):
        bench.commit(other, Creating(User(user_id="bob", email="a")))
    with pytest.raises(ConditionFailed):
        bench.commit(other, Deleting(Plain.key(name="a"), condition=F("size") == 9))
    assert names(bench) == ["a"]


def test_several_actions_that_failed_are_told_together(bench: Bench) -> None:
    bench.do(Putting(Plain(name="a")))
    bench.do(Creating(User(user_id="ann", email="a")))

    with pytest.raises(TransactionCancelled, match=r"2 actions .* failed") as cancelled:
        bench.commit(
            Putting(Plain(name="b")),
            Creating(Plain(name="a")),
            Creating(User(user_id="bob", email="a")),
        )
    plain, user = cancelled.value.failures
    assert (plain.action, type(plain.error)) == ("create Plain", AlreadyExists)
    assert plain.key == Plain.key(name="a").item_key
    assert (user.action, type(user.error)) == ("create User", UniqueViolation)
    assert names(bench) == ["a"]


def test_actions_whose_keys_hang_on_numbers_are_told_apart(bench: Bench) -> None:
    for number in (1, 2):
        bench.do(Creating(Invoice(shop="s", number=number)))

    with pytest.raises(TransactionCancelled) as cancelled:
        bench.commit(Creating(Invoice(shop="s")), Creating(Invoice(shop="s", total=1)))
    keys = [failure.key["SK"]["S"] for failure in cancelled.value.failures]
    assert keys == ["INVOICE#000001", "INVOICE#000002"]


def test_a_conflict_that_lasts_is_raised_as_it_is(bench: Bench) -> None:
    def busy(*_: object) -> None:
        reasons = [{"Code": "TransactionConflict", "Message": "busy"}]
        raise TransactionCanceledException("busy", CancellationReasons=reasons)

    bench.before = busy
    with pytest.raises(TransactionCanceledException) as raised:
        bench.commit(Creating(Plain(name="a")))
    assert raised.value.__cause__ is None


def test_an_action_that_failed_in_two_ways_is_one_failure(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="a")))
    bench.do(Creating(User(user_id="bob", email="b")))

    with pytest.raises(AlreadyExists):
        bench.commit(Creating(User(user_id="bob", email="a")))


def test_a_fault_that_the_service_finds_in_one_write_is_that_actions_error(bench: Bench) -> None:
    bench.do(Creating(Page(page_id="p")))
    item = {**Doc.key(name="d").item_key, "Type": {"S": "Doc"}, "name": {"S": "d"}}
    bench.call("PutItem", {"TableName": "writes", "Item": item})
    nowhere = Updating(Doc.key(name="d"), changes={"stats.reads": 1})

    with pytest.raises(ValidationException, match="document path"):
        bench.commit(Putting(Plain(name="b")), nowhere)
    with pytest.raises(TransactionCancelled) as cancelled:
        bench.commit(Creating(Page(page_id="p")), nowhere)
    assert [failure.action for failure in cancelled.value.failures] == ["create Page", "update Doc"]
    assert names(bench) == []


def test_what_changed_meanwhile_is_planned_again(bench: Bench) -> None:
    bench.do(Creating(User(user_id="ann", email="one")))
    bench.meanwhile(Updating(ANN, changes={"email": "two"}))
    bench.commit(Updating(ANN, changes={"email": "three"}), Putting(Plain(name="a")))

    assert bench.operations == ["GetItem", "TransactWriteItems"] * 2
    assert bench.raw("UNIQUE#User#email#two", "UNIQUE#User#email#two") is None


def test_a_transaction_is_sent_once_however_often_it_is_entered(bench: Bench) -> None:
    with bench.transaction() as tx:
        tx.create(Plain(name="a"))
        with pytest.raises(UsageError, match="is one block"), tx:
            tx.create(Plain(name="b"))
    with pytest.raises(UsageError, match=r"begin another one, with store\.transaction"), tx:
        tx.create(Plain(name="c"))
    assert names(bench) == ["a"]


def test_an_async_block_cannot_be_entered_again(bench: Bench) -> None:
    async def again() -> None:
        async with bench.transaction() as tx:
            tx.create(Plain(name="a"))
        async with tx:
            tx.create(Plain(name="b"))

    with pytest.raises(UsageError, match="is sent once"):
        asyncio.run(again())
    assert names(bench) == ["a"]


def test_what_is_asked_of_a_transaction_that_has_not_begun_is_refused(bench: Bench) -> None:
    tx = bench.transaction()
    with pytest.raises(UsageError, match=r"with store\.transaction\(\) as tx:"):
        tx.put(Plain(name="a"))
    with tx:
        tx.put(Plain(name="b"))
    assert names(bench) == ["b"]


def test_a_check_takes_its_condition_in_either_place_or_in_both(bench: Bench) -> None:
    bench.do(Putting(Page(page_id="p", text="x")))
    key, right, wrong = Page.key(page_id="p"), F("text") == "x", F("text") == "y"
    with bench.transaction() as tx:
        tx.check(key, only_if=right)
    for first, second in ((None, wrong), (right, wrong), (wrong, right), (wrong, None)):
        with pytest.raises(ConditionFailed), bench.transaction() as tx:
            tx.check(key, first, only_if=second)
