"""What a schema finds in a class, and which declarations it refuses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from types import new_class
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity
from singletable.model.fields import Attribute, Unique, created, expires, updated, version
from singletable.model.indexes import Index
from singletable.model.table import GlobalIndex, LocalIndex, Table, camel_case

table = Table(
    "schemas",
    attribute_names=camel_case,
    indexes=["GSI1", LocalIndex("LSI1"), GlobalIndex("places", pk=["country"], sk=["city"])],
)


class Inner(BaseModel):
    """Inside."""

    value: int = 0
    worth: int = Field(default=0, alias="w")


class Owned(Entity, table=table, pk="TENANT#{tenant_id}"):
    """A base."""

    recent = Index("GSI1", pk="TENANT#{tenant_id}", sk="{updated_at}")

    tenant_id: str
    updated_at: datetime = updated()


class Doc(Owned, sk="DOC#{doc_id}", type="DOCUMENT"):
    """A whole entity."""

    doc_id: str
    short: Annotated[str, Attribute("s", "Short")] = ""
    inner_part: Inner = Inner()
    parts: list[Inner] = []
    email: Annotated[str | None, Unique()] = None
    made_at: datetime = created()
    number: int = version()
    ends: datetime | None = expires()


def test_fields_are_known_by_what_they_are() -> None:
    schema = Doc.__schema__
    assert schema.attributes == {
        "tenant_id": "tenantId",
        "updated_at": "updatedAt",
        "doc_id": "docId",
        "short": "s",
        "inner_part": "innerPart",
        "parts": "parts",
        "email": "email",
        "made_at": "madeAt",
        "number": "number",
        "ends": "ttl",
    }
    assert schema.version_field == "number"
    assert schema.created_fields == ("made_at",)
    assert schema.updated_fields == ("updated_at",)
    assert schema.expiry_field == "ends"
    assert list(schema.unique) == ["email"]


def test_a_base_has_no_items_of_its_own_and_knows_its_family() -> None:
    assert not Owned.__schema__.is_whole
    assert Owned.__schema__.family == {"DOCUMENT": Doc.__schema__}

    class Later(Owned, sk="LATER"):
        """Comes later."""

    assert set(Owned.__schema__.family) == {"DOCUMENT", "Later"}
    assert Doc.__schema__.key_fields == ("tenant_id", "doc_id")
    assert list(Later.__schema__.indexes) == ["recent"]


def test_an_entity_that_is_declared_again_takes_its_own_place() -> None:
    again = Table("again")

    def declared() -> type[Entity]:
        class Twice(Entity, table=again, pk="T#{name}", sk="T"):
            name: str

        return Twice

    first = declared()
    assert first.__schema__.family == {"Twice": first.__schema__}
    second = declared()
    assert second.__schema__.family == {"Twice": second.__schema__}
    assert first.__schema__.family == {}


def test_paths_follow_the_names_of_attributes() -> None:
    assert Doc.__schema__.path("inner_part.value").elements == ("innerPart", "value")
    assert Doc.__schema__.path("parts[1].value").elements == ("parts", 1, "value")
    assert Doc.__schema__.path("parts[1].worth").elements == ("parts", 1, "w")
    with pytest.raises(UsageError, match="Doc has no field 'colour'; it has tenant_id"):
        Doc.__schema__.path("colour")


def declare(keywords: dict[str, Any], members: dict[str, Any], **annotations: Any) -> Any:
    """Make an entity as a class statement would."""
    body = {"__annotations__": {"name": str, **annotations}, "__module__": __name__, **members}
    whole = {"table": table, "pk": "X#{name}", "sk": "X", **keywords}
    return new_class("Wrong", (Entity,), whole, lambda space: space.update(body))


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "an unknown field": (lambda: declare({"pk": "X#{nome}"}, {}), "no field 'nome'"),
    "an unknown index": (
        lambda: declare({}, {"i": Index("GSI9", pk="A", sk="B")}),
        "has no index 'GSI9'; it has: GSI1",
    ),
    "two ways into one index": (
        lambda: declare(
            {}, {"i": Index("GSI1", pk="A", sk="B"), "j": Index("GSI1", pk="C", sk="D")}
        ),
        "both fill 'GSI1'",
    ),
    "an index without its sort key": (
        lambda: declare({}, {"i": Index("GSI1", pk="A")}),
        r"has the key attributes \['GSI1SK'\]",
    ),
    "a partition key of a local index": (
        lambda: declare({}, {"i": Index("LSI1", pk="A", sk="B")}),
        "is a local index",
    ),
    "a condition that no template could heed": (
        lambda: declare(
            {},
            {"i": Index("places", pk=["country"], sk=["city"], when={"name": "a"})},
            country=str,
            city=str,
        ),
        "when needs a key that a template makes",
    ),
    "a condition on an unknown field": (
        lambda: declare({}, {"i": Index("GSI1", pk="A", sk="B", when={"colour": 1})}),
        "no field 'colour'",
    ),
    "fields in another order": (
        lambda: declare(
            {}, {"i": Index("places", pk=["city"], sk=["country"])}, country=str, city=str
        ),
        r"\['country'\], but \['city'\]",
    ),
    "a field that can be no key": (
        lambda: declare(
            {}, {"i": Index("places", pk=["country"], sk=["city"])}, country=bool, city=str
        ),
        "country cannot be a key attribute",
    ),
    "a field of two types in a key": (
        lambda: declare(
            {}, {"i": Index("places", pk=["country"], sk=["city"])}, country=int | str, city=str
        ),
        "country cannot be a key attribute",
    ),
    "a field with the name of a key": (
        lambda: declare({}, {}, PK=str),
        "'PK' would hold the field PK and a key made by 'X#{name}'",
    ),
    "a field with the name of the type": (
        lambda: declare({}, {}, Type=str),
        "'Type' would hold the field Type and the type",
    ),
    "two fields of one attribute": (
        lambda: declare(
            {}, {}, one=Annotated[str, Attribute("x")], two=Annotated[str, Attribute("x")]
        ),
        "'x' would hold the field two and the field one",
    ),
    "the type of another": (lambda: declare({"type": "DOCUMENT"}, {}), "both have the type"),
    "an empty partition key": (lambda: declare({"pk": ""}, {}), "a key cannot be empty"),
    "an empty sort key": (lambda: declare({"sk": ""}, {}), "a key cannot be empty"),
    "a key that may be None": (
        lambda: declare({"pk": "X#{maybe}"}, {}, maybe=str | None),
        "maybe can be None, and an item without a whole key cannot be written",
    ),
    "a key of a guard": (lambda: declare({"pk": "UNIQUE#{name}"}, {}), "begin with UNIQUE#"),
    "a sort key of a counter": (lambda: declare({"sk": "SEQUENCE#X"}, {}), "begin with SEQUENCE#"),
    "a sort key of a part": (lambda: declare({"sk": "PART#{name}"}, {}), "begin with PART#"),
    "fields that nobody declared": (
        lambda: declare({}, {"model_config": ConfigDict(extra="allow")}),
        'extra="allow" would make fields',
    ),
    "the name of an argument": (lambda: declare({}, {}, only_if=str), "argument of this name"),
    "no table": (lambda: declare({"table": None}, {}), "has no table"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_declaration_that_cannot_be_is_refused(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises((DesignError, UsageError), match=message):
        make()


def test_a_sort_key_needs_a_table_with_one() -> None:
    plain = Table("plain", sk=None)
    with pytest.raises(DesignError, match="has no sort key"):
        declare({"table": plain}, {})


def test_a_key_attribute_may_be_the_field_it_is_made_of() -> None:
    other = Table("other", pk="userId", sk="at", attribute_names=camel_case)

    class User(Entity, table=other, pk="{user_id}", sk="{at}"):
        user_id: str
        at: str

    item = User.__schema__.items.write({"user_id": "u", "at": "x"})
    assert item == {"userId": {"S": "u"}, "at": {"S": "x"}, "Type": {"S": "User"}}
    assert User.__schema__.items.read(item) == User(user_id="u", at="x")


def test_words_of_the_store_may_begin_what_is_no_key_of_its_own() -> None:
    other = Table("other", indexes=["GSI1"], delimiter="|")

    class Fine(Entity, table=other, pk="UNIQUE#{name}", sk="PARTY|{name}"):
        by_name = Index("GSI1", pk="PART|{name}", sk="UNIQUE|{name}")
        name: str

    assert Fine.__schema__.item_key({"name": "a"}) == {
        "PK": {"S": "UNIQUE#a"},
        "SK": {"S": "PARTY|a"},
    }


def test_a_derived_entity_is_unique_as_its_base_is() -> None:
    class Named(Entity, table=Table("named"), pk="N#{tag}", sk="N"):
        tag: str
        name: Annotated[str, Unique()]

    with pytest.raises(DesignError, match=r"Elsewhere.name: it is unique among all Nameds"):

        class Elsewhere(Named):
            name: Annotated[str, Unique(within="K#{tag}")]

    with pytest.raises(DesignError, match=r"Nowhere.name: it is unique among all Nameds"):

        class Nowhere(Named):
            name: str
