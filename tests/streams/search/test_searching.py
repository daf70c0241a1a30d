"""What a search finds, in every kind of index."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any, assert_type

import pytest

from singletable import InvalidCursor, Key, Page, UsageError
from singletable.streams.search import Document, Hit, SearchIndex, between
from tests.streams.search.library import Book, Library, Make, Note, follow, names

ANN = {"user_id": "ann"}


@pytest.fixture
def library(index: SearchIndex, store: Library) -> SearchIndex:
    """An index of some notes of two users, and a book."""
    day = datetime(2026, 3, 1, 12, tzinfo=UTC)
    written = [
        Note(user_id="ann", note_id="1", name="The dragon's tavern", text="Ale", status="DONE"),
        Note(user_id="ann", note_id="2", name="Ale", text="a dragon sleeps", tags={"red", "old"}),
        Note(user_id="ann", note_id="3", name="Café Crème", text="no beasts", stars=5),
        Note(user_id="bob", note_id="4", name="dragon hoard", text="gold", status="DONE"),
    ]
    for number, note in enumerate(written):
        store.put(note.model_copy(update={"at": day + timedelta(days=number)}))
    store.put(Book(book_id="b", title="How to keep a dragon"))
    follow(index, store)
    return index


def found(library: SearchIndex, text: str, **asked: Any) -> list[str]:
    told: dict[str, Any] = {"scope": ANN, "entity": Note} | asked
    return names(library.search(text, **told))


def test_all_words_must_be_found_in_whatever_field(library: SearchIndex) -> None:
    assert sorted(found(library, "dragon ale")) == ["1", "2"]
    assert found(library, "dragon gold") == []


@pytest.mark.parametrize("text", ["CAFE", "café", "creme cafe", "Crème"])
def test_case_and_accents_make_no_difference(library: SearchIndex, text: str) -> None:
    assert found(library, text) == ["3"]


def test_a_star_finds_words_by_their_beginning(library: SearchIndex) -> None:
    assert found(library, "tav*") == ["1"]
    assert found(library, "tav") == []
    assert found(library, "dragon sle*") == ["2"]


def test_quotes_make_a_phrase(library: SearchIndex) -> None:
    assert found(library, '"dragon sleeps"') == ["2"]
    assert found(library, '"sleeps dragon"') == []
    assert found(library, '"a dragon sl"*') == ["2"]


def test_a_heavier_field_counts_for_more(library: SearchIndex) -> None:
    page = library.search("dragon", scope=ANN, entity=Note)
    assert names(page) == ["1", "2"]
    assert page[0].score > page[1].score


ODD = [
    *("", " ", "*", '"', '""', "🎲", "?!", "\0", "(", ")"),
    *("'", "^", "-", "\\", "\ud800", "a\0b", "AND", "OR", "NOT", "NEAR", "NEAR(a b)"),
    *('dragon" OR "gold', 'dragon" AND realm : "x', "realm:x", "w0:dragon", "dragon OR gold"),
    *('"unbalanced', "dragon) OR (realm : x", "dragon -ale", "^dragon", "dragon + ale", "a" * 9000),
    *(
        "word " * 500,
        ".*",
        "[a-z]+",
        '{"match_all": {}}',
        "user_id:bob",
        "%",
        "'; DROP TABLE x; --",
    ),
]


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
def test_no_text_is_an_error_nor_reaches_another_user(library: SearchIndex, text: str) -> None:
    for asked in (text, f"gold {text}", f"{text} hoard"):
        assert "4" not in found(library, asked)


@pytest.mark.parametrize("text", ["", "  ", "🎲", "***", '"" "'])
def test_a_text_without_a_word_finds_nothing(library: SearchIndex, text: str) -> None:
    page = library.search(text, scope=ANN, entity=Note)
    assert page.items == []
    assert page.next is None


def test_what_was_found_is_marked_and_the_rest_is_escaped(
    index: SearchIndex, store: Library
) -> None:
    name = "<b>Dragon</b> & \x02co\x03"
    store.put(Note(user_id="ann", note_id="1", name=name, text="nothing"))
    follow(index, store)
    (hit,) = index.search("dragon", scope=ANN, entity=Note)
    assert hit.highlights == {"name": "&lt;b&gt;<mark>Dragon</mark>&lt;/b&gt; &amp;  co "}
    (hit,) = index.search("dra* noth*", scope=ANN, entity=Note)
    assert hit.highlights["text"] == "<mark>nothing</mark>"


def test_of_a_long_text_a_part_is_shown(index: SearchIndex, store: Library) -> None:
    long = "word " * 2000 + "dragon " + "word " * 2000
    store.put(Note(user_id="ann", note_id="1", name="x", text=long))
    follow(index, store)
    (hit,) = index.search("dragon", scope=ANN, entity=Note)
    assert "<mark>dragon</mark>" in hit.highlights["text"]


def test_a_hit_names_its_item(library: SearchIndex) -> None:
    (hit,) = library.search("tavern", scope=ANN, entity=Note)
    assert hit.key == Note.key(user_id="ann", note_id="1")
    assert hit.entity is Note


def test_hits_have_the_type_of_what_is_searched(library: SearchIndex, store: Library) -> None:
    notes = library.search("dragon", scope=ANN, entity=Note)
    assert_type(notes, Page[Hit[Note]])
    assert_type(notes[0].key, Key[Note])
    assert_type(library.fetch(store, notes), list[Note])
    assert_type(library.search("dragon", scope=ANN), Page[Hit[Any]])


class TestScope:
    """Every search says for whom it is."""

    def test_other_users_items_are_not_found(self, library: SearchIndex) -> None:
        assert found(library, "dragon", scope={"user_id": "bob"}) == ["4"]
        assert found(library, "dragon", scope={"user_id": "eve"}) == []

    @pytest.mark.parametrize("scope", [None, {}])
    def test_a_search_without_a_scope_is_refused(self, library: SearchIndex, scope: Any) -> None:
        with pytest.raises(UsageError, match=r"A search of Note has to say for whom.*user_id"):
            library.search("dragon", scope=scope)

    def test_no_value_is_no_scope(self, library: SearchIndex) -> None:
        with pytest.raises(UsageError, match="user_id=None"):
            library.search("dragon", scope={"user_id": None})

    def test_a_scope_that_nothing_has_is_refused(self, library: SearchIndex) -> None:
        with pytest.raises(UsageError, match=r"'tenant': ….*the index is scoped by user_id"):
            library.search("dragon", scope={**ANN, "tenant": "t"})

    def test_what_has_no_scope_is_found_by_all(self, library: SearchIndex) -> None:
        assert names(library.search("dragon", entity=Book)) == ["b"]
        assert sorted(names(library.search("dragon", scope=ANN))) == ["1", "2", "b"]


class TestFilters:
    """A search may be narrowed by fields."""

    def test_by_a_value_or_one_of_several(self, library: SearchIndex) -> None:
        assert found(library, "dragon", status="DONE") == ["1"]
        assert found(library, "dragon", status=["DONE", "NEW"]) == ["1", "2"]
        assert found(library, "dragon", status=[]) == []
        assert found(library, "dragon", status="done") == []

    def test_by_members_of_a_set(self, library: SearchIndex) -> None:
        assert found(library, "dragon", tags="red") == ["2"]
        assert found(library, "dragon", tags=["blue", "old"], status="NEW") == ["2"]

    def test_by_numbers(self, library: SearchIndex) -> None:
        assert found(library, "cafe", stars=5) == ["3"]
        assert found(library, "cafe", stars="5") == ["3"]
        assert found(library, "cafe", stars=between(2, 5)) == ["3"]
        assert found(library, "cafe", stars=between(6, None)) == []

    def test_by_days_and_moments(self, library: SearchIndex) -> None:
        noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
        assert found(library, "dragon", at=noon) == ["2"]
        assert found(library, "dragon", at=date(2026, 3, 1)) == ["1"]
        assert found(library, "dragon", at=between(date(2026, 3, 2), date(2026, 3, 9))) == ["2"]
        assert found(library, "dragon", at=between(None, noon)) == ["1", "2"]
        assert found(library, "dragon", at=between(noon + timedelta(microseconds=1), None)) == []

    @pytest.mark.parametrize(
        ("asked", "says"),
        [
            ({"name": "x"}, "Note cannot be filtered by name: its filters are status"),
            ({"stars": "many"}, r"Note.stars='many' fits no item"),
            ({"status": between("A", "B")}, r"between\(\) is for numbers and times"),
            ({"status": None}, "status=None finds nothing"),
            ({"limit": 0}, "A limit is a whole number from 1 to 1000, not 0"),
            ({"entity": Library}, "Library is not in the index"),
            ({"entity": []}, "names nothing to search: leave it out"),
        ],
    )
    def test_what_no_item_could_fit_is_refused(
        self, library: SearchIndex, asked: dict[str, Any], says: str
    ) -> None:
        with pytest.raises(UsageError, match=says):
            found(library, "dragon", **asked)

    def test_a_filter_has_to_be_one_of_all_that_is_searched(self, library: SearchIndex) -> None:
        assert sorted(names(library.search("dragon", scope=ANN, status="NEW"))) == ["2", "b"]
        with pytest.raises(UsageError, match="Book cannot be filtered by stars"):
            library.search("dragon", scope=ANN, stars=1)


class TestPages:
    """Pages go on where the one before ended."""

    def test_they_give_every_hit_once_in_one_order(
        self, index: SearchIndex, store: Library
    ) -> None:
        for number in range(23):
            text = "dragon " * (number % 4)
            store.put(Note(user_id="ann", note_id=f"{number:02}", name="dragon", text=text))
        follow(index, store)
        whole = index.search("dragon", scope=ANN, entity=Note, limit=100)
        paged, after = [], None
        while True:
            page = index.search("dragon", scope=ANN, entity=Note, limit=5, after=after)
            paged += page.items
            after = page.next
            if after is None:
                break
        assert names(paged) == names(whole)
        assert len(set(names(paged))) == 23
        assert [(-hit.score) for hit in paged] == sorted(-hit.score for hit in paged)

    def test_a_cursor_is_good_for_its_own_search(self, library: SearchIndex) -> None:
        page = library.search("dragon", scope=ANN, entity=Note, limit=1)
        assert page.next
        assert names(library.search("dragon", scope=ANN, entity=Note, after=page.next)) == ["2"]
        for other in ({"scope": {"user_id": "bob"}}, {"status": "NEW"}, {"entity": Book}):
            with pytest.raises(InvalidCursor):
                found(library, "dragon", after=page.next, **other)
        with pytest.raises(InvalidCursor):
            found(library, "dragons", after=page.next)


class TestFetching:
    """Hits are keys; items come from the table."""

    def test_they_come_in_the_order_of_the_hits(self, library: SearchIndex, store: Library) -> None:
        page = library.search("dragon", scope=ANN, entity=Note)
        assert [note.note_id for note in library.fetch(store, page)] == ["1", "2"]
        assert library.fetch(store, []) == []

    def test_from_async_code_too(self, library: SearchIndex, store: Library) -> None:
        async def look() -> list[Note]:
            page = await library.asearch("dragon", scope=ANN, entity=Note)
            return await library.afetch(store, page)

        assert [note.note_id for note in asyncio.run(look())] == ["1", "2"]

    def test_what_is_gone_or_has_left_is_not_given(
        self, library: SearchIndex, store: Library
    ) -> None:
        page = library.search("dragon", scope=ANN, entity=Note)
        store.delete(Note.key(user_id="ann", note_id="1"))
        store.update(Note.key(user_id="ann", note_id="2"), shelf="cellar")
        assert library.fetch(store, page) == []

    def test_what_has_changed_hands_is_not_given(self, make: Make, store: Library) -> None:
        index = make(Document(Note, text="name", scope="shelf"))
        store.put(Note(user_id="ann", note_id="1", name="dragon"))
        follow(index, store)
        store.update(Note.key(user_id="ann", note_id="1"), shelf="side")
        page = index.search("dragon", scope={"shelf": "main"}, entity=Note)
        assert names(page) == ["1"]
        assert index.fetch(store, page) == []
