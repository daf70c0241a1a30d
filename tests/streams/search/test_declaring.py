"""What can be declared, and what is refused before anything is indexed."""

from pathlib import Path
from typing import Any

import pytest

from singletable import DesignError, Entity, Table, UsageError
from singletable.engine import Engine
from singletable.errors import DatabaseCorrupt
from singletable.streams.search import Document, SearchIndex, Tantivy
from tests.streams.search.library import BOOKS, NOTES, Library, Note, Secret, table

blind = Table("blind", stream="KEYS_ONLY")


class Thing(Entity, table=blind, pk="THING#{thing_id}", sk="THING"):
    """Something in another table."""

    thing_id: str
    name: str = ""


class Base(Entity, table=table):
    """Something without items of its own."""

    user_id: str


@pytest.mark.parametrize(
    ("entity", "declared", "says"),
    [
        (Note, {"text": []}, "name what is searched"),
        (Note, {"text": ["nme"]}, "no field or property 'nme' to search"),
        (Note, {"text": "name", "filters": ["x"]}, "no field 'x'; it has user_id"),
        (Note, {"text": "name", "filters": "status"}, "give a list of fields"),
        (Note, {"text": "name", "scope": "tenant"}, "no field 'tenant'"),
        (Note, {"text": "name", "when": {"x": 1}}, "no field 'x'"),
        (Base, {"text": "user_id"}, "it has no items of its own"),
    ],
)
def test_a_document_that_cannot_be_made_is_refused(
    entity: type[Entity], declared: Any, says: str
) -> None:
    with pytest.raises(DesignError, match=says):
        Document(entity, **declared)


def test_large_content_is_refused_where_nothing_loads_it() -> None:
    with pytest.raises(DesignError, match=r"load=store\.load"):
        SearchIndex(":memory:", Document(Secret, text="long"))


def test_a_filter_cannot_have_a_name_that_search_has() -> None:
    class Shop(Entity, table=Table("shops"), pk="S#{shop_id}", sk="S"):
        shop_id: str
        limit: int = 0

    with pytest.raises(DesignError, match="a word limit of its own"):
        Document(Shop, text="shop_id", filters=["limit"])


@pytest.mark.parametrize(
    ("documents", "says"),
    [
        ([], "An index needs documents"),
        ([NOTES, NOTES], "one document in an index"),
        ([NOTES, Document(Thing, text="name")], "are in two tables"),
        ([Document(Thing, text="name")], "NEW_AND_OLD_IMAGES"),
    ],
)
def test_documents_that_do_not_go_together_are_refused(documents: Any, says: str) -> None:
    with pytest.raises(DesignError, match=says):
        SearchIndex(":memory:", *documents)


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    Library.connect(tmp_path / "library.db").close()
    with pytest.raises(DatabaseCorrupt, match="another program"):
        SearchIndex(tmp_path / "library.db", NOTES)
    SearchIndex(tmp_path / "search.db", NOTES).close()
    with pytest.raises(DatabaseCorrupt, match="another program"):
        Engine(tmp_path / "search.db")


def test_without_tantivy_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tantivy", None)
    monkeypatch.delitem(
        __import__("sys").modules, "singletable.streams.search.tantivy_words", raising=False
    )
    with pytest.raises(UsageError, match=r"pip install 'singletable\[tantivy\]'"):
        SearchIndex(Tantivy(tmp_path), NOTES)


def test_several_fields_make_a_scope() -> None:
    both = Document(Note, text="name", scope=["user_id", "shelf"])
    with SearchIndex(":memory:", both, BOOKS) as index:
        with pytest.raises(UsageError, match="shelf is missing"):
            index.search("x", scope={"user_id": "ann"})
        assert both.realm({"user_id": "a", "shelf": "bc"}) != both.realm(
            {"user_id": "ab", "shelf": "c"}
        )
