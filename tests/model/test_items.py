"""Entities become items and come back as they were, with what others put beside their fields."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SecretStr,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from singletable import Engine
from singletable.errors import UsageError
from singletable.model.entity import Entity, rest_of
from singletable.model.fields import Attribute, expires
from singletable.model.indexes import Index
from singletable.model.table import GlobalIndex, Table, camel_case
from singletable.model.upgrades import upgrade
from singletable.store.creation import create_request
from singletable.values import Item

table = Table(
    "items",
    attribute_names=camel_case,
    indexes=["GSI1", GlobalIndex("places", pk=["country"], sk=["zip"])],
)


class Colour(Enum):
    """Text."""

    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    """A number."""

    LOW = 1
    HIGH = 2


class Deep(BaseModel):
    """Inside another, under other names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    first_name: str = ""
    maybe: int | None = 7
    must: int | None
    tags: set[str] = {"x"}
    at: datetime | None = None


class Odd(BaseModel):
    """Written under one name and read under another."""

    one: int = Field(default=0, serialization_alias="eins", validation_alias="uno")
    two: int = Field(default=0, serialization_alias="zwei")
    three: int = Field(default=0, validation_alias=AliasChoices("tre", "drei"))


class Open(BaseModel):
    """Takes what it does not know."""

    model_config = ConfigDict(extra="allow")


class Words(RootModel[list[str]]):
    """A list with a name."""


class Wide(Entity, table=table, pk="WIDE#{name}", sk="WIDE"):
    """Has a field of every type."""

    by_colour = Index("GSI1", pk="COLOUR#{colour}", sk="{moment}")
    places = Index("places", pk=["country"], sk=["zip"])

    name: str
    text: str = ""
    number: int = 0
    real: float = 0.0
    exact: Decimal = Decimal(0)
    yes: bool = False
    raw: bytes = b""
    colour: Colour | None = None
    level: Level = Level.LOW
    id: UUID = UUID(int=0)
    day: date = date(2026, 1, 1)
    hour: time = time(0)
    span: timedelta = timedelta()
    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    naive: datetime | None = None
    words: list[str] = Field(default_factory=list)
    pair: tuple[int, str] = (0, "")
    texts: set[str] = Field(default_factory=set)
    numbers: frozenset[int] = frozenset({1})
    ids: set[UUID] | None = None
    blobs: Annotated[set[bytes], Field()] = Field(default_factory=set)
    levels: set[Level] = Field(default_factory=set)
    mapped: dict[str, Decimal] = Field(default_factory=dict)
    by_number: dict[int, bool] = Field(default_factory=dict)
    maybe: int | None = 7
    must: str | None
    deep: Deep | None = None
    deeps: list[Deep] = Field(default_factory=list)
    odd: Odd = Odd()
    open: Open = Open()
    named: Words = Words([])
    secret: SecretStr = SecretStr("")
    anything: Any = None
    country: str | None = None
    zip: int | None = 5


class Ending(Wide, pk="ENDING#{name}", sk="ENDING"):
    """Expires, too."""

    ends: datetime | None = expires(days=1)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBER = st.integers(-(10**30), 10**30)
MOMENT = st.datetimes(min_value=datetime(1970, 1, 2), timezones=st.just(UTC))  # noqa: DTZ001
EXACT = st.decimals(-(10**12), 10**12, places=4)
DEEP = st.builds(
    Deep,
    first_name=TEXT,
    maybe=st.none() | NUMBER,
    must=st.none() | NUMBER,
    tags=st.sets(TEXT.filter(bool), max_size=2),
    at=st.none() | MOMENT,
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "number": NUMBER,
    "real": st.floats(-1e100, 1e100).filter(lambda one: one == 0 or abs(one) > 1e-100),
    "exact": EXACT,
    "yes": st.booleans(),
    "raw": st.binary(max_size=4),
    "colour": st.none() | st.sampled_from(Colour),
    "level": st.sampled_from(Level),
    "id": st.uuids(),
    "day": st.dates(),
    "hour": st.times(),
    "span": st.timedeltas(timedelta(-9), timedelta(9)),
    "moment": MOMENT,
    "naive": st.none() | st.datetimes(),
    "words": st.lists(TEXT, max_size=3),
    "pair": st.tuples(NUMBER, TEXT),
    "texts": st.sets(TEXT.filter(bool), max_size=3),
    "numbers": st.frozensets(NUMBER, max_size=3),
    "ids": st.none() | st.sets(st.uuids(), min_size=1, max_size=2),
    "blobs": st.sets(st.binary(min_size=1, max_size=3), max_size=2),
    "levels": st.sets(st.sampled_from(Level)),
    "mapped": st.dictionaries(TEXT.filter(bool), EXACT, max_size=2),
    "by_number": st.dictionaries(st.integers(0, 9), st.booleans(), max_size=2),
    "maybe": st.none() | NUMBER,
    "deep": st.none() | DEEP,
    "deeps": st.lists(DEEP, max_size=2),
    "odd": st.builds(
        lambda one, two: Odd.model_validate({"uno": one, "two": two, "drei": two}),
        st.integers(),
        st.integers(),
    ),
    "open": st.builds(lambda one: Open.model_validate({"more": one}), TEXT),
    "named": st.builds(Words, st.lists(TEXT, max_size=2)),
    "secret": st.builds(SecretStr, TEXT),
    "anything": st.none() | TEXT | st.lists(st.booleans(), max_size=2),
    "country": st.none() | TEXT.filter(bool),
    "zip": st.none() | st.integers(0, 9999),
    "ends": st.none() | MOMENT.map(lambda one: one.replace(microsecond=0)),
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """A table for all examples."""
    with Engine(":memory:") as made:
        made.call("CreateTable", create_request(table, table.name))
        yield made


def stored(engine: Engine, item: Item) -> Item:
    engine.call("PutItem", {"TableName": table.name, "Item": item})
    key = {name: item[name] for name in table.primary.attributes}
    found: Item = engine.call("GetItem", {"TableName": table.name, "Key": key})["Item"]
    return found


def written(entity: Entity) -> Item:
    return entity.__schema__.items.write(entity.__dict__, rest_of(entity))


@given(fields=st.fixed_dictionaries({"must": st.none() | TEXT}, optional=FIELDS))
@settings(max_examples=300)
def test_a_wide_entity_comes_back_as_it_was(engine: Engine, fields: dict[str, Any]) -> None:
    for kind in (Wide, Ending):
        known = {name: value for name, value in fields.items() if name in kind.model_fields}
        entity = kind(name="w", **known)
        again = kind.__schema__.items.read(stored(engine, written(entity)))
        assert again == entity
        assert rest_of(again) is None


def test_none_and_empty_come_back_whatever_the_default_is(engine: Engine) -> None:
    fields: dict[str, Any] = {"maybe": None, "must": None, "zip": None, "ends": None, "numbers": ()}
    entity = Ending(name="n", deep=Deep(maybe=None, must=None, tags=set()), **fields)
    item = written(entity)
    assert Ending.__schema__.items.read(stored(engine, item)) == entity
    assert item["maybe"] == {"NULL": True}
    assert not {"must", "zip", "country", "numbers", "texts", "naive"} & item.keys()


def test_what_is_not_declared_is_kept_and_written_back() -> None:
    entity = Wide(name="w", must="x")
    foreign: Item = {"color": {"S": "x"}, "Score": {"NS": ["1", "2"]}, "nested": {"M": {}}}
    again = Wide.__schema__.items.read(written(entity) | foreign)
    assert rest_of(again) == foreign
    assert written(again.model_copy(update={"text": "new"}))["Score"] == foreign["Score"]
    assert rest_of(again.model_copy(deep=True)) == foreign


def test_index_keys_that_the_entity_no_longer_has_are_not_kept() -> None:
    item = written(Wide(name="w", must="x")) | {"GSI1PK": {"S": "old"}, "GSI1SK": {"S": "old"}}
    again = Wide.__schema__.items.read(item)
    assert "GSI1PK" not in written(again)


def test_attributes_of_other_entities_keys_are_kept() -> None:
    class Plain(Entity, table=table, pk="PLAIN#{name}", sk="PLAIN"):
        name: str

    item = written(Plain(name="p")) | {"country": {"S": "ch"}, "zip": {"N": "1"}}
    assert rest_of(Plain.__schema__.items.read(item)) == {
        "country": {"S": "ch"},
        "zip": {"N": "1"},
    }


def test_a_time_is_written_in_utc_in_one_width() -> None:
    item = written(
        Wide(name="w", must="x", moment=datetime.fromisoformat("2026-03-01T01:00+02:00"))
    )
    assert item["moment"] == {"S": "2026-02-28T23:00:00.000000Z"}


def test_nested_models_have_the_names_by_which_they_are_read() -> None:
    item = written(
        Wide(
            name="w",
            must="x",
            deep=Deep(first_name="f", must=1),
            odd=Odd.model_validate({"uno": 1}),
        )
    )
    assert set(item["deep"]["M"]) == {"firstName", "maybe", "must", "tags"}
    assert set(item["odd"]["M"]) == {"uno", "two", "tre"}


@pytest.mark.parametrize(
    ("field", "value"), [("real", float("nan")), ("exact", Decimal("inf")), ("anything", {1, "a"})]
)
def test_a_value_that_dynamodb_cannot_hold_is_refused_by_name(field: str, value: Any) -> None:
    entity = Wide(name="w", must="x").model_copy(update={field: value})
    with pytest.raises(UsageError, match=rf"Wide\.{field}: "):
        written(entity)


class Renamed(Entity, table=table, pk="RENAMED#{user}", sk="RENAMED"):
    """Has fields whose attributes were named otherwise."""

    user: Annotated[str, Attribute("u", "Username", "user_name")]
    other: str = "none"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"u": "new"}, "new"),
        ({"Username": "older"}, "older"),
        ({"user_name": "oldest", "Username": "older"}, "older"),
        ({"u": "new", "Username": "older", "user_name": "oldest"}, "new"),
        ({"Username": "older", "u": "new"}, "new"),
    ],
)
def test_an_attribute_is_read_under_older_names_and_written_under_the_newest(
    item: dict[str, str], expected: str
) -> None:
    entity = Renamed.__schema__.items.read({name: {"S": text} for name, text in item.items()})
    assert entity == Renamed(user=expected)
    assert rest_of(entity) is None
    assert set(written(entity)) == {"PK", "SK", "Type", "u", "other"}


class Strict(Entity, table=table, pk="STRICT#{name}", sk="STRICT", strict=True):
    """Strict with its users, not with the table."""

    name: str
    at: datetime
    id: UUID


def test_a_strict_model_is_read_from_what_the_table_holds() -> None:
    entity = Strict(name="s", at=datetime(2026, 1, 1, tzinfo=UTC), id=UUID(int=1))
    assert Strict.__schema__.items.read(written(entity)) == entity
    with pytest.raises(ValidationError):
        Strict(name="s", at="2026-01-01", id=UUID(int=1))  # type: ignore[arg-type] # the point


class Grown(Entity, table=table, pk="GROWN#{name}", sk="GROWN", schema=2):
    """Has kept one attribute and renamed another."""

    name: str
    size: int

    @upgrade(1)
    def renamed(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        """Was in other units."""
        size = values.pop("length") * 2
        return {**values, "size": size, "since": 1}


def test_upgrades_are_given_all_values_and_what_is_no_field_is_kept() -> None:
    item: Item = {"name": {"S": "g"}, "length": {"N": "4"}, "note": {"S": "n"}}
    entity = Grown.__schema__.items.read(item)
    assert entity == Grown(name="g", size=8)
    assert rest_of(entity) == {"note": {"S": "n"}, "since": {"N": "1"}}
    again = written(entity)
    assert again["SchemaVersion"] == {"N": "2"}
    assert Grown.__schema__.items.read(again) == entity


def test_part_gives_some_fields_with_their_defaults() -> None:
    items = Wide.__schema__.items
    item: Item = {"name": {"S": "w"}, "numbers": {"NS": ["3"]}}
    fields = ("name", "numbers", "texts", "maybe", "must", "country", "level")
    assert items.part(item, fields) == {
        "name": "w",
        "numbers": {3},
        "texts": set(),
        "maybe": 7,
        "must": None,
        "country": None,
        "level": Level.LOW,
    }
    assert items.part({}, ["name"]) == {}
