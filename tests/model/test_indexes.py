"""Indexes of entities: inherited, asked through the class that is wanted, sparse by a condition."""

from __future__ import annotations

import pytest

from singletable.model.entity import Entity
from singletable.model.indexes import EntityIndex, Index
from singletable.model.table import Table

table = Table("indexes", indexes=["GSI1", "GSI2"])


class Owned(Entity, table=table, pk="OWNER#{owner}"):
    """A base in an index."""

    recent = Index("GSI1", pk="OWNER#{owner}", sk="{at}")

    owner: str
    at: str = ""


class Note(Owned, sk="NOTE"):
    """Inherits the index."""

    starred = Index("GSI2", pk="STARS", sk="{at}", when={"stars": (1, 2), "owner": "o"})

    stars: int = 0


def test_an_index_asks_for_the_entities_of_the_class_it_is_reached_by() -> None:
    assert isinstance(Owned.recent, EntityIndex)
    assert Owned.recent.query(owner="o").schema is Owned.__schema__
    assert Note.recent.query(owner="o").schema is Note.__schema__
    assert Note.recent.scan().keys.index.name == "GSI1"
    assert Note(owner="o").recent.query(owner="o") == Note.recent.query(owner="o")


def test_a_condition_takes_one_value_or_several() -> None:
    assert Note.__schema__.index("starred").when == (("stars", (1, 2)), ("owner", ("o",)))


def test_an_index_is_no_field() -> None:
    assert set(Note.model_fields) == {"owner", "at", "stars"}


def test_an_index_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(AttributeError, match="Note has no 'newest'; its indexes: recent, starred"):
        Note.newest  # type: ignore[attr-defined] # noqa: B018 - the fault, and that it is asked for
    assert not hasattr(Note, "newest")
    assert getattr(Note, "newest", None) is None
    assert not hasattr(Entity, "newest")
    assert not hasattr(Note, "_newest")
