"""Entities are pydantic models, and stay so: what the table knows does not show in them."""

from __future__ import annotations

import copy
import pickle

import pytest
from pydantic import ValidationError, model_validator

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity, rest_of
from singletable.model.indexes import EntityIndex, Index
from singletable.model.table import Table

table = Table("entities", indexes=["GSI1"])


class Note(Entity, table=table, pk="NOTE#{name}", sk="NOTE"):
    """Something short."""

    by_text = Index("GSI1", pk="TEXT#{text}", sk="{name}")

    name: str
    text: str = ""


FOREIGN = {"x": {"N": "1"}}


def read() -> Entity:
    item = Note.__schema__.items.write({"name": "n", "text": "t"})
    return Note.__schema__.items.read(item | FOREIGN)


def test_an_entity_dumps_its_fields_alone() -> None:
    note = Note(name="n", text="t")
    assert note.model_dump() == {"name": "n", "text": "t"}
    assert Note.model_validate_json(note.model_dump_json()) == note
    assert set(Note.model_json_schema()["properties"]) == {"name", "text"}


def test_what_stands_beside_the_fields_is_no_part_of_the_value() -> None:
    assert read() == Note(name="n", text="t")
    assert rest_of(Note(name="n")) is None


def test_copies_keep_what_stands_beside_the_fields() -> None:
    for other in (
        copy.copy(read()),
        copy.deepcopy(read()),
        read().model_copy(update={"text": "u"}),
    ):
        assert rest_of(other) == FOREIGN


def test_an_entity_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Note(name="n"))) == Note(name="n")  # noqa: S301 - our own


def test_an_index_is_asked_through_the_class() -> None:
    index = Note.by_text
    assert isinstance(index, EntityIndex)
    query = index.query(text="t")
    assert (query.keys.index.name, query.known) == ("GSI1", {"text": "t"})
    assert index.scan().keys.index.name == "GSI1"


def test_a_misspelt_keyword_is_named() -> None:
    with pytest.raises(DesignError, match=r"class Thing\(Entity, tabel=…\): there is no such"):

        class Thing(Entity, tabel=Table("things"), pk="T#{id}", sk="T"):
            id: str


def test_a_table_is_a_table() -> None:
    with pytest.raises(DesignError, match=r"Thing: table='things' is no Table: table=Table"):

        class Thing(Entity, table="things", pk="T#{id}", sk="T"):
            id: str


def test_settings_of_pydantic_may_stand_among_the_keywords() -> None:
    class Thing(Entity, table=Table("things"), pk="T#{id}", sk="T", extra="ignore"):
        id: str

    assert Thing.model_validate({"id": "1", "name": "x"}) == Thing(id="1")


def test_a_misspelt_field_is_refused_where_an_entity_is_made() -> None:
    with pytest.raises(ValidationError, match="txet"):
        Note.model_validate({"name": "n", "txet": "t"})


def test_a_misspelt_field_is_refused_by_entities_with_validators_and_references_too() -> None:
    class Tree(Entity, table=Table("trees"), pk="TREE#{name}", sk="TREE"):
        name: str
        above: Tree | None = None

        @model_validator(mode="after")
        def _check(self) -> Tree:
            return self

    Tree.model_rebuild(_types_namespace={"Tree": Tree})
    assert Tree(name="a", above=Tree(name="b")).above == Tree(name="b")
    for wrong in ({"nmae": "x"}, {"above": {"name": "b", "nmae": "x"}}):
        with pytest.raises(ValidationError, match="nmae"):
            Tree.model_validate({"name": "a", **wrong})


def test_an_unknown_index_is_told_with_those_that_there_are() -> None:
    class Thing(Entity, table=Table("things", indexes=["GSI1"]), pk="T#{id}", sk="T"):
        by_id = Index("GSI1", pk="{id}", sk="T")
        id: str

    with pytest.raises(UsageError, match="Thing has no index 'by_name'; it has: by_id"):
        Thing.__schema__.index("by_name")
