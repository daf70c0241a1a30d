"""A count on a parent is the number of its children, however they come, move and go."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from singletable import Store
from singletable.errors import ConditionFailed, DesignError, NotFound
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.fields import count_of, sum_of
from singletable.model.indexes import Index
from singletable.model.table import Table
from singletable.store.drivers import run
from singletable.store.writing.committing import write
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.effects import rules_of
from singletable.store.writing.transactions import Transaction
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import Bench, Lease, Post, Use, User, Vote, item_key


@pytest.fixture(autouse=True)
def authors(bench: Bench) -> None:
    """Two users who may have posts and votes."""
    bench.do(Creating(User(user_id="ann")))
    bench.do(Creating(User(user_id="bob")))


def posts(bench: Bench) -> tuple[int, int]:
    """Give how many posts ann and bob have, as their items say."""
    users = (bench.get(User.get(user_id=name)) for name in ("ann", "bob"))
    ann, bob = (user.posts for user in users)
    return ann, bob


@pytest.mark.parametrize("action", [Creating, Putting, Upserting])
def test_a_child_that_comes_counts(bench: Bench, action: Any) -> None:
    bench.do(action(Post(post_id="1", author="ann")))

    assert bench.operations[-1] == "TransactWriteItems"
    assert posts(bench) == (1, 0)


def test_a_create_reads_nothing(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))

    assert bench.operations == ["TransactWriteItems"]


def test_a_child_that_is_written_again_counts_once(bench: Bench) -> None:
    bench.do(Putting(Post(post_id="1", author="ann")))
    bench.do(Putting(Post(post_id="1", author="ann", text="new")))
    assert bench.operations == ["GetItem", "PutItem"]

    bench.do(Updating(Post.key(post_id="1"), changes={"text": "newer"}))
    assert bench.operations == ["UpdateItem"]
    assert posts(bench) == (1, 0)


def test_a_child_that_goes_counts_no_more(bench: Bench) -> None:
    bench.do(Putting(Post(post_id="1", author="ann")))
    bench.do(Deleting(Post.key(post_id="1")))
    bench.do(Deleting(Post.key(post_id="1")))

    assert posts(bench) == (0, 0)


@pytest.mark.parametrize(
    "move",
    [
        Putting(Post(post_id="1", author="bob")),
        Upserting(Post(post_id="1", author="bob")),
        Updating(Post.key(post_id="1"), changes={"author": "bob"}),
        Editing(
            Post.key(post_id="1"), change=lambda post: post.model_copy(update={"author": "bob"})
        ),
    ],
    ids=lambda action: action.verb,
)
def test_a_child_that_moves_counts_for_its_new_parent(bench: Bench, move: Any) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    bench.do(move)

    assert posts(bench) == (0, 1)


def test_a_child_without_a_parent_counts_nowhere(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1")))
    bench.do(Updating(Post.key(post_id="1"), changes={"author": "ann"}))
    assert posts(bench) == (1, 0)

    bench.do(Updating(Post.key(post_id="1"), changes={"author": None}))
    assert posts(bench) == (0, 0)


def test_only_children_with_the_right_value_count(bench: Bench) -> None:
    def likes() -> int:
        return int(bench.get(User.get(user_id="ann")).likes)

    vote = Vote(user_id="ann", voter="bob", kind="DOWN")
    bench.do(Creating(vote))
    assert likes() == 0
    bench.do(Updating(vote, changes={"kind": "UP"}))
    assert likes() == 1
    bench.do(Updating(vote, changes={"kind": "DOWN"}))
    assert likes() == 0


def test_a_child_of_a_parent_that_is_not_there_is_refused(bench: Bench) -> None:
    with pytest.raises(NotFound, match=r"no User\(user_id='eve'\), whose posts counts this Post"):
        bench.do(Creating(Post(post_id="1", author="eve")))
    assert bench.item(Post.key(post_id="1")) is None


def test_a_child_of_a_parent_that_is_gone_can_be_deleted(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    bench.do(Deleting(User.key(user_id="ann"), orphans=True))
    bench.do(Deleting(Post.key(post_id="1")))

    assert bench.item(Post.key(post_id="1")) is None
    assert bench.item(User.key(user_id="ann")) is None


def test_a_count_never_falls_below_nothing(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    bench.do(Deleting(User.key(user_id="ann"), orphans=True))
    bench.do(Creating(User(user_id="ann")))
    bench.do(Deleting(Post.key(post_id="1")))

    assert posts(bench) == (0, 0)


def test_what_was_left_out_is_done_if_it_can_be_done_by_then(bench: Bench) -> None:
    post = Post(post_id="1", author="ann")
    bench.do(Creating(post))
    bench.do(Deleting(User.key(user_id="ann"), orphans=True))
    bench.do(Creating(User(user_id="ann")))

    def again(operation: str, _: dict[str, Any]) -> None:
        if operation == "TransactWriteItems" and "TransactWriteItems" in bench.operations:
            bench.before = lambda *_: None
            for action in (Deleting(post), Creating(post)):
                run(write(bench.context, action), bench.backend)

    bench.before = again
    bench.do(Deleting(post))
    assert bench.item(Post.key(post_id="1")) is None
    assert posts(bench) == (0, 0)


def test_a_count_that_rises_before_it_falls_to_nothing_is_kept(bench: Bench) -> None:
    posts_ = [Post(post_id=name, author="ann") for name in "123"]
    bench.do(Creating(posts_[0]))
    bench.do(Deleting(User.key(user_id="ann"), orphans=True))
    bench.do(Creating(User(user_id="ann")))
    bench.do(Creating(posts_[1]))

    def come(operation: str, _: dict[str, Any]) -> None:
        if operation == "TransactWriteItems" and "TransactWriteItems" in bench.operations:
            bench.before = lambda *_: None
            for post in (posts_[2], Post(post_id="4", author="ann")):
                run(write(bench.context, Creating(post)), bench.backend)

    bench.before = come
    bench.commit(*map(Deleting, posts_[:2]))
    assert bench.operations.count("TransactWriteItems") == 3
    assert posts(bench) == (1, 0)


# Writes to the parent.


@pytest.mark.parametrize("action", [Putting, Upserting])
def test_a_write_to_the_parent_keeps_its_counts(bench: Bench, action: Any) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    result = bench.do(action(User(user_id="ann", name="new", posts=99)))

    assert (result.posts, result.name) == (1, "new")
    assert posts(bench) == (1, 0)


def test_a_new_parent_begins_with_nothing(bench: Bench) -> None:
    assert bench.do(Creating(User(user_id="eve", posts=99))).posts == 0
    assert bench.do(Putting(User(user_id="max", posts=99))).posts == 0


def test_a_child_that_comes_while_the_parent_is_put_is_not_lost(bench: Bench) -> None:
    bench.meanwhile(Creating(Post(post_id="1", author="ann")), operation="PutItem")
    result = bench.do(Putting(User(user_id="ann", name="new")))

    assert (result.posts, result.name) == (1, "new")
    assert posts(bench) == (1, 0)


def test_a_child_that_moves_meanwhile_is_counted_where_it_is_then(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    bench.meanwhile(Updating(Post.key(post_id="1"), changes={"author": "bob"}))
    bench.do(Deleting(Post.key(post_id="1")))

    assert posts(bench) == (0, 0)


# A parent that goes.


def test_a_parent_that_has_children_stays(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    with pytest.raises(ConditionFailed, match=r"ann.*posts is 1.* every Post .*orphans=True") as no:
        bench.do(Deleting(User.key(user_id="ann")))
    assert no.value.found.posts == 1
    assert posts(bench) == (1, 0)

    bench.do(Deleting(Post.key(post_id="1")))
    bench.do(Deleting(User.key(user_id="ann")))
    bench.do(Deleting(User.key(user_id="ann")))
    assert bench.item(User.key(user_id="ann")) is None


def test_what_does_not_count_keeps_no_parent(bench: Bench) -> None:
    bench.do(Creating(Vote(user_id="ann", voter="bob", kind="DOWN")))
    bench.do(Deleting(User.key(user_id="ann")))
    assert bench.item(User.key(user_id="ann")) is None


def test_a_parent_from_before_there_was_a_count_can_go(bench: Bench) -> None:
    item = {**item_key(User.key(user_id="old")), "user_id": {"S": "old"}}
    bench.call("PutItem", {"TableName": "writes", "Item": item})
    bench.do(Deleting(User.key(user_id="old")))
    assert bench.item(User.key(user_id="old")) is None


def test_a_parent_whose_time_is_over_can_go(bench: Bench) -> None:
    bench.do(Creating(Lease(name="a", holder="ann", until=bench.clock() + timedelta(hours=1))))
    bench.do(Creating(Use(use_id="1", name="a")))
    with pytest.raises(ConditionFailed, match="uses is 1"):
        bench.do(Deleting(Lease.key(name="a")))
    bench.later(hours=2)
    bench.do(Deleting(Lease.key(name="a")))
    assert bench.item(Lease.key(name="a")) is None


def test_a_child_that_comes_meanwhile_keeps_its_parent(bench: Bench) -> None:
    bench.meanwhile(Creating(Post(post_id="1", author="ann")))
    with pytest.raises(ConditionFailed, match="posts is 1"):
        bench.commit(Deleting(User.key(user_id="ann")), Creating(User(user_id="eve")))
    assert posts(bench) == (1, 0)


def test_the_condition_that_a_caller_asked_for_is_named_first(bench: Bench) -> None:
    bench.do(Creating(Post(post_id="1", author="ann")))
    with pytest.raises(ConditionFailed, match="not as the condition says"):
        bench.do(Deleting(User.key(user_id="ann"), condition=F("name") == "x"))


def test_a_family_can_go_at_once_but_only_the_whole_of_it(bench: Bench) -> None:
    for name in "12":
        bench.do(Creating(Post(post_id=name, author="ann")))
    family: list[Any] = [User.key(user_id="ann"), Post.key(post_id="1"), Post.key(post_id="2")]
    with pytest.raises(ConditionFailed, match="posts is 2"):
        bench.commit(*map(Deleting, family[:2]))
    bench.commit(*map(Deleting, family))
    assert [bench.item(key) for key in family] == [None, None, None]


# Declarations that cannot work.


def test_a_count_whose_children_do_not_tell_the_parent_is_refused() -> None:
    table = Table("astray")

    class Shelf(Entity, table=table, pk="SHELF#{shelf_id}", sk="SHELF"):
        shelf_id: str
        books: int = count_of("Book")

    class Book(Entity, table=table, pk="BOOK#{book_id}", sk="BOOK"):
        book_id: str

    with pytest.raises(DesignError, match=r"Shelf\.books: Book has no field 'shelf_id'"):
        rules_of(Book.__schema__)


def test_a_count_in_a_key_is_refused() -> None:
    table = Table("ranking", indexes=["GSI1"])

    class Team(Entity, table=table, pk="TEAM#{name}", sk="TEAM"):
        ranked = Index("GSI1", pk="TEAMS", sk="{goals:05d}")
        name: str
        goals: int = count_of("Goal")

    class Goal(Entity, table=table, pk="GOAL#{goal_id}", sk="GOAL"):
        goal_id: str
        name: str

    with pytest.raises(DesignError, match=r"Team\.goals stands in a key of GSI1"):
        rules_of(Goal.__schema__)


def test_a_sum_of_counts_is_left_to_the_stream() -> None:
    table = Table("sums")

    class Author(Entity, table=table, pk="AUTHOR#{name}", sk="AUTHOR"):
        name: str
        votes: int = sum_of("Story", "votes")

    class Story(Entity, table=table, pk="AUTHOR#{name}", sk="STORY#{title}"):
        name: str
        title: str
        votes: int = count_of("Vote")

    class Vote(Entity, table=table, pk="AUTHOR#{name}", sk="VOTE#{title}#{reader}"):
        name: str
        title: str
        reader: str

    with pytest.raises(DesignError, match=r"Author\.votes is made of Story\.votes.*stream"):
        rules_of(Story.__schema__)
    assert rules_of(Vote.__schema__)


def test_a_match_that_is_no_key_field_is_refused() -> None:
    table = Table("mismatched")

    class Shelf(Entity, table=table, pk="SHELF#{shelf}", sk="SHELF"):
        shelf: str
        red: int = count_of("Book", colour="RED")

    class Book(Entity, table=table, pk="SHELF#{shelf}", sk="BOOK#{book}"):
        shelf: str
        book: str
        colour: str = ""

    with pytest.raises(
        DesignError, match=r"Shelf\.red: 'colour' is no key .* when=\{'colour': 'RED'\}"
    ):
        rules_of(Book.__schema__)


# Never below 0, whatever became of the parent.


shelves = Table("shelves")


class Shelf(Entity, table=shelves, pk="SHELF#{shelf}", sk="SHELF"):
    """Counts books, and those in two colours."""

    shelf: str
    name: str = ""
    books: int = count_of("Book")
    bright: int = count_of("Book", when={"colour": ("RED", "BLUE")})


class Book(Entity, table=shelves, pk="SHELF#{shelf}", sk="BOOK#{book}"):
    """Stands on a shelf."""

    shelf: str
    book: str
    colour: str = "RED"


class Library(Store, table=shelves):
    """No patterns: shelves are read by key."""


SHELF = Shelf.key(shelf="s")
BOOKS = [Book(shelf="s", book=f"{number}") for number in range(3)]


@pytest.fixture
def library() -> Iterator[Library]:
    """A shelf that was made anew, while its books stayed."""
    with Library.connect(":memory:") as made:
        made.create(Shelf(shelf="s"))
        made.put_many(BOOKS)
        made.delete(SHELF, orphans=True)
        made.create(Shelf(shelf="s"))
        yield made


def counts(library: Library) -> tuple[int, int]:
    shelf = library.bind(Shelf.get(shelf="s")).one()
    return shelf.books, shelf.bright


def test_several_values_can_count() -> None:
    with Library.connect(":memory:") as library:
        library.create(Shelf(shelf="s"))
        for number, colour in enumerate(["RED", "BLUE", "GREY"]):
            library.put(Book(shelf="s", book=f"{number}", colour=colour))
        assert counts(library) == (3, 2)
        library.update(Book.key(shelf="s", book="0"), colour="GREY")
        library.update(Book.key(shelf="s", book="1"), colour="RED")
        assert counts(library) == (3, 1)


def test_what_was_never_counted_takes_nothing_away(library: Library) -> None:
    library.delete(BOOKS[0])
    assert counts(library) == (0, 0)
    library.put(Book(shelf="s", book="new", colour="GREY"))
    library.delete(BOOKS[1])
    assert counts(library) == (0, 0)


def test_a_count_that_can_go_down_does_so_beside_one_that_cannot(library: Library) -> None:
    library.put(Book(shelf="s", book="a", colour="GREY"))
    library.put(Book(shelf="s", book="b", colour="GREY"))
    assert counts(library) == (2, 0)
    library.delete(BOOKS[0])
    assert counts(library) == (1, 0)


def test_one_that_comes_counts_though_one_that_goes_cannot(library: Library) -> None:
    library.put(Book(shelf="s", book="a", colour="GREY"))
    with library.transaction() as tx:
        tx.delete(BOOKS[0])
        tx.create(Book(shelf="s", book="b", colour="GREY"))
        tx.delete(BOOKS[1])
    assert counts(library) == (0, 0)


def test_a_count_too_low_for_all_that_go_at_once_falls_to_nothing(library: Library) -> None:
    library.put(Book(shelf="s", book="a"))
    library.put(Book(shelf="s", book="b", colour="GREY"))
    assert counts(library) == (2, 1)
    with library.transaction() as tx:
        tx.delete(BOOKS[0])
        tx.delete(BOOKS[1])
    assert counts(library) == (0, 0)


def write_shelf(tx: Transaction, how: str) -> None:
    """Write to the shelf, or check it, in one of many ways."""
    match how:
        case "update":
            tx.update(SHELF, name="x")
        case "put":
            tx.put(Shelf(shelf="s", name="x"))
        case "edit":
            tx.edit(SHELF, lambda shelf: shelf.model_copy(update={"name": "x"}))
        case "upsert":
            tx.upsert(SHELF, name="x")
        case "check":
            tx.check(SHELF)
        case _:
            tx.delete(SHELF)


@pytest.mark.parametrize("counted", [0, 1])
@pytest.mark.parametrize("how", ["update", "put", "edit", "upsert", "check", "delete"])
def test_it_holds_for_a_parent_that_the_transaction_writes(
    library: Library, how: str, counted: int
) -> None:
    library.put_many([Book(shelf="s", book=f"new {number}") for number in range(counted)])
    assert counts(library) == (counted, counted)
    with library.transaction() as tx:
        tx.delete(BOOKS[0])
        write_shelf(tx, how)
        tx.delete(BOOKS[1])
    found = library.bind(Shelf.get(shelf="s")).first()
    if how == "delete":
        assert found is None
    else:
        assert counts(library) == (0, 0)
    if found is not None and how != "check":
        assert found.name == "x"
    assert library.bind(Book.get(shelf="s", book="0")).first() is None


@pytest.mark.parametrize("how", ["entity", "key"])
def test_a_parent_that_is_upserted_with_its_first_child_counts_it(how: str) -> None:
    with Library.connect(":memory:") as library:
        for book in ("1", "2"):
            with library.transaction() as tx:
                tx.upsert(Shelf(shelf="s") if how == "entity" else SHELF)
                tx.create(Book(shelf="s", book=book))
        assert counts(library) == (2, 2)
