"""Copies follow their source, wherever they stand, and whatever order changes come in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from random import Random
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import (
    Copied,
    DesignError,
    Entity,
    GlobalIndex,
    Index,
    Store,
    Table,
    updated,
    version,
)
from singletable.streams.consumers import Batch
from singletable.streams.duplicates import Duplicates
from singletable.streams.failing import Report
from tests.streams.aggregates.sales import Feed, batch

table = Table(
    "press",
    indexes=["GSI1", GlobalIndex("GSI2", projection="KEYS_ONLY")],
    stream="NEW_AND_OLD_IMAGES",
)


class Author(Entity, table=table, pk="AUTHOR#{author_id}", sk="PROFILE"):
    author_id: str
    name: str
    bio: str = ""


class Article(Entity, table=table, pk="ARTICLE#{article_id}", sk="ARTICLE"):
    """Its author may change; an index is sorted by the copy."""

    by_author = Index("GSI1", pk="AUTHOR#{author_id}", sk="{section}#{author_name}#{article_id}")

    article_id: str
    section: str = "arts"
    author_id: str
    author_name: Annotated[str, Copied(Author, "name")]
    version: int = version()
    updated_at: datetime = updated()


class Note(Entity, table=table, pk="NOTE#{note_id}", sk="NOTE"):
    """It is found by an index that holds keys alone."""

    by_writer = Index("GSI2", pk="WRITER#{writer}", sk="{note_id}")

    note_id: str
    writer: str | None = None
    writer_name: Annotated[str, Copied(Author, "name", author_id="writer")] = ""


class Press(Store, table=table):
    """The press."""


@pytest.fixture
def store() -> Iterator[Press]:
    with Press.connect(":memory:") as store:
        yield store


@pytest.fixture
def feed(store: Press) -> Feed:
    return Feed(store)


def article(number: int, name: str = "Ann", author: str = "a1") -> Article:
    return Article(article_id=str(number), author_id=author, author_name=name)


def names(store: Press) -> list[str]:
    """Give the names that articles show, as the index has them."""
    return [one.author_name for one in store.bind(Article.by_author.query(author_id="a1"))]


def test_all_copies_follow_page_by_page(store: Press, feed: Feed) -> None:
    store.create(Author(author_id="a1", name="Ann"))
    store.put_many([article(number) for number in range(7)])
    store.put(Note(note_id="n1", writer="a1", writer_name="Ann"))
    feed.deliver(Duplicates(store, page=2))
    store.update(Author.key(author_id="a1"), name="Anna")
    feed.deliver(Duplicates(store, page=2))
    assert names(store) == ["Anna"] * 7
    assert store.bind(Note.get(note_id="n1")).one().writer_name == "Anna"


def test_the_keys_of_indexes_follow(store: Press, feed: Feed) -> None:
    store.create(Author(author_id="a1", name="Ann"))
    store.create(article(1))
    store.update(Author.key(author_id="a1"), name="Zoe")
    feed.deliver(Duplicates(store))
    query = Article.by_author.query(author_id="a1", section="arts", author_name="Zoe")
    assert [one.article_id for one in store.bind(query)] == ["1"]


def test_a_refreshed_copy_is_no_edit(store: Press, feed: Feed) -> None:
    store.create(Author(author_id="a1", name="Ann"))
    made = store.create(article(1))
    store.update(Author.key(author_id="a1"), name="Anna")
    feed.deliver(Duplicates(store))
    found = store.bind(Article.get(article_id="1")).one()
    assert (found.author_name, found.version, found.updated_at) == ("Anna", 1, made.updated_at)
    store.put(found)


def test_an_edit_of_what_was_read_before_leaves_no_key_stale(store: Press, feed: Feed) -> None:
    """The version says nothing of the copy: the key that has both is compared."""
    store.create(Author(author_id="a1", name="Ann"))
    made = store.create(article(1))
    store.update(Author.key(author_id="a1"), name="Anna")
    feed.deliver(Duplicates(store))
    with pytest.raises(Exception, match="not as the condition says"):
        store.update(made, section="news")
    store.edit(Article.key(article_id="1"), lambda one: setattr(one, "section", "news"))
    query = Article.by_author.query(author_id="a1", section="news", author_name="Anna")
    assert store.bind(query).count() == 1


def test_what_was_written_with_an_old_name_is_corrected(store: Press, feed: Feed) -> None:
    store.create(Author(author_id="a1", name="Anna"))
    store.create(Author(author_id="a2", name="Bob"))
    store.create(article(1, "Ann"))
    store.create(article(2, "Ann"))
    feed.deliver(Duplicates(store))
    assert names(store) == ["Anna", "Anna"]
    store.edit(Article.key(article_id="2"), lambda one: setattr(one, "author_id", "a2"))
    feed.deliver(Duplicates(store))
    assert store.bind(Article.get(article_id="2")).one().author_name == "Bob"


def test_what_is_right_costs_no_write(store: Press, feed: Feed) -> None:
    store.create(Author(author_id="a1", name="Ann"))
    store.create(article(1))
    feed.deliver(Duplicates(store))
    store.update(Author.key(author_id="a1"), bio="Writes.")
    assert sum(len(one.changes) for one in feed.deliver(Duplicates(store))) == 1


def test_a_source_that_is_deleted_leaves_its_copies(store: Press, feed: Feed) -> None:
    store.create(Author(author_id="a1", name="Ann"))
    store.create(article(1))
    store.delete(Author.key(author_id="a1"))
    feed.deliver(Duplicates(store))
    assert names(store) == ["Ann"]
    store.create(Author(author_id="a1", name="Anna"))
    feed.deliver(Duplicates(store))
    assert names(store) == ["Anna"]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("name"), st.sampled_from("12"), st.sampled_from("xyz")),
        st.tuples(st.just("write"), st.sampled_from("345"), st.sampled_from("12")),
        st.tuples(st.just("drop"), st.sampled_from("345"), st.just("")),
        st.tuples(st.just("deliver"), st.just(""), st.just("")),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.randoms(use_true_random=False))
def test_copies_agree_in_the_end_whatever_happens(steps: list[Any], random: Random) -> None:
    """Every record twice, and those of different items in any order."""
    with Press.connect(":memory:") as store:
        feed, duplicates = Feed(store), Duplicates(store, page=1)
        for kind, one, other in steps:
            match kind:
                case "name":
                    store.put(Author(author_id=one, name=other))
                case "write":
                    store.upsert(Article(article_id=one, author_id=other, author_name="?"))
                    store.put(Note(note_id=one, writer=other, writer_name="?"))
                case "drop":
                    store.delete(Article.key(article_id=one))
                case _:
                    _deliver(store, feed, duplicates, random)
        while _deliver(store, feed, duplicates, random):
            pass
        authors = {one.author_id: one.name for one in store.bind(Author.scan())}
        for found in store.bind(Article.scan()):
            assert found.author_name == authors.get(found.author_id, found.author_name)
        for note in store.bind(Note.scan()):
            assert note.writer_name == authors.get(note.writer or "", note.writer_name)


def _deliver(store: Press, feed: Feed, duplicates: Duplicates, random: Random) -> int:
    records = [record for _, record in feed.records()]
    random.shuffle(records)
    for record in [*records, *records[::-1]]:
        one: Batch = batch(store, [record])
        duplicates.deliver(one, Report())
    return len(records)


def test_copies_that_cannot_be_found_are_refused() -> None:
    other = Table("other", stream="NEW_AND_OLD_IMAGES")

    class Source(Entity, table=other, pk="S#{s}", sk="S"):
        s: str
        name: str

    class Copy(Entity, table=other, pk="C#{c}", sk="C"):
        c: str
        s: str
        name: Annotated[str, Copied(Source, "name")]

    class Others(Store, table=other):
        """Them."""

    with pytest.raises(DesignError, match=r"Copy.name: no key finds .* Index\(…, pk=…\{s\}…\)"):
        Duplicates(Others.connect(":memory:"))


def test_a_source_is_an_entity_and_not_its_name() -> None:
    other = Table("other", stream="NEW_AND_OLD_IMAGES")

    class Copy(Entity, table=other, pk="S#{s}", sk="COPY"):
        s: str
        name: Annotated[str, Copied("Source", "name")]  # the mistake, which checkers do not see

    class Others(Store, table=other):
        """Them."""

    with pytest.raises(DesignError, match=r"Copy\.name is copied from 'Source': give the entity"):
        Duplicates(Others.connect(":memory:"))
