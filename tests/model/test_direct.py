"""What is read directly is what would have been read in the plain way, and is read faster."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from singletable import Attribute, Entity, Table, expires
from singletable.model.entity import rest_of
from singletable.model.items import ItemCodec
from singletable.values import Item


class Place(BaseModel):
    """A model that can be looked up."""

    name: str = "nowhere"
    x: float = 0.0


class Tags(BaseModel):
    """A model that has to be decoded."""

    names: list[str] = []


class Colour(Enum):
    """Of one member."""

    RED = "red"


table = Table("direct")


class Thing(Entity, table=table, pk="T#{thing_id}", sk="T"):
    """An entity with a field of every kind."""

    thing_id: str
    count: int = 7
    ratio: float = 0.5
    price: Decimal = Decimal(1)
    open: bool = True
    day: date | None = None
    at: datetime = datetime(2025, 1, 1, tzinfo=UTC)
    token: UUID | None = None
    status: Literal["NEW", "DONE"] = "NEW"
    colour: Colour = Colour.RED
    names: list[str] = Field(default=[])
    sizes: list[int] = []
    prices: list[Decimal] | None = None
    places: list[Place] = [Place()]
    gaps: list[str | None] = []
    rows: list[list[int]] = []
    pair: tuple[int, str] | None = None
    members: list[Any] = []
    kinds: set[str] = Field(default=set())
    place: Place = Place()
    elsewhere: Place | None = None
    tags: Tags | None = None
    note: str | None
    anything: Any = None


def codec() -> ItemCodec:
    assert Thing.__schema__.items._direct is not None
    return Thing.__schema__.items


def directly(items: ItemCodec, item: Item) -> Entity | None:
    """Read an item directly, if that can be done."""
    assert items._direct is not None
    return items._direct.reading(frozenset(items._fields), lambda _: None)(item)


def plain(item: Item) -> Any:
    try:
        return codec()._read_decoded(item)
    except ValidationError as error:
        return str(error)


def read(item: Item) -> Any:
    try:
        return codec().read(item)
    except ValidationError as error:
        return str(error)


WHOLE = Thing(
    thing_id="1",
    count=-3,
    ratio=1.5,
    price=Decimal("9.99"),
    open=False,
    day=date(2025, 2, 3),
    token=UUID(int=5),
    status="DONE",
    names=["a", "b"],
    sizes=[1, -2],
    prices=[Decimal("0.50"), Decimal(3)],
    places=[Place(name="there"), Place(x=1.5)],
    gaps=["a", None],
    rows=[[1], [], [2, 3]],
    pair=(1, "b"),
    members=[1, "b", None],
    kinds={"x"},
    place=Place(name="here", x=-7.25),
    elsewhere=Place(),
    tags=Tags(names=["t"]),
    note="n",
    anything={"k": [1, None]},
)


@pytest.mark.parametrize("entity", [WHOLE, Thing(thing_id="1", note=None)], ids=["full", "bare"])
def test_an_item_that_was_written_is_read_directly(entity: Thing) -> None:
    item = codec().write(entity.__dict__)
    found = directly(codec(), item)
    assert found == plain(item)
    assert found is not None
    assert found.model_fields_set == plain(item).model_fields_set


STRANGE: list[dict[str, Any]] = [
    {"S": "text"},
    {"S": "5"},
    {"S": ""},
    {"N": "5"},
    {"N": "5.0"},
    {"N": "-1.25"},
    {"N": "1E+2"},
    {"N": "12345678901234567890123456789012345678"},
    {"BOOL": True},
    {"NULL": True},
    {"B": b"x"},
    {"L": []},
    {"L": [{"S": "a"}, {"N": "1"}]},
    {"L": [{"N": "1"}, {"N": "2.50"}]},
    {"L": [{"N": "1E+2"}]},
    {"L": [{"NULL": True}]},
    {"L": [{"M": {"name": {"S": "a"}, "x": {"N": "1"}}}, {"M": {}}]},
    {"L": [{"M": {"name": {"N": "1"}}}]},
    {"L": [{"L": [{"N": "1"}]}]},
    {"M": {}},
    {"M": {"name": {"N": "1"}}},
    {"M": {"name": {"S": "a"}, "other": {"S": "b"}}},
    {"M": {"names": {"L": [{"S": "a"}]}}},
    {"SS": ["a"]},
    {"NS": ["1"]},
]


@pytest.mark.parametrize("value", STRANGE, ids=str)
@pytest.mark.parametrize("field", sorted(set(Thing.model_fields) - {"thing_id"}))
def test_an_attribute_of_any_other_type_is_read_as_before(field: str, value: Any) -> None:
    attribute = Thing.__schema__.attributes[field]
    item = {**codec().write(WHOLE.__dict__), attribute: value}
    assert read(item) == plain(item)


@pytest.mark.parametrize("field", sorted(Thing.model_fields))
def test_an_absent_attribute_is_read_as_before(field: str) -> None:
    item = codec().write(WHOLE.__dict__)
    del item[Thing.__schema__.attributes[field]]
    assert read(item) == plain(item)


def test_attributes_that_are_no_fields_are_kept() -> None:
    item = codec().write(WHOLE.__dict__) | {"theirs": {"S": "kept"}, "\0": {"M": {}}}
    again = codec().write(read(item).__dict__, read(item)._rest)
    assert again["theirs"] == {"S": "kept"}
    assert read(item) == plain(item)


def test_validators_see_what_they_saw_before() -> None:
    class Checked(Entity, table=Table("checked"), pk="C#{name}", sk="C"):
        name: str
        size: int = 0

        @field_validator("size", mode="before")
        @classmethod
        def whole(cls, value: Any) -> Any:
            assert isinstance(value, int), "numbers come as numbers"
            return value + 1

        @field_validator("name")
        @classmethod
        def upper(cls, value: str) -> str:
            return value.upper()

        @model_validator(mode="after")
        def checked(self) -> "Checked":
            assert self.size < 10
            return self

    items = Checked.__schema__.items
    assert items._direct is not None
    item = items.write({"name": "a", "size": 3})
    assert items.read(item) == items._read_decoded(item)
    assert items.read(item).__dict__ == {"name": "A", "size": 4}
    with pytest.raises(ValidationError):
        items.read(items.write({"name": "a", "size": 30}))


@pytest.mark.parametrize(
    "config", [ConfigDict(), ConfigDict(extra="forbid"), ConfigDict(extra="ignore")]
)
def test_what_an_entity_says_of_extras_is_not_asked_of_items(config: Any) -> None:
    class Closed(Entity, table=Table("closed"), pk="C#{name}", sk="C"):
        model_config = config
        name: str

    items = Closed.__schema__.items
    item = items.write({"name": "a"}, {"foreign": {"S": "x"}})
    assert items._direct is not None
    for read in (items.read, items._read_decoded):
        assert read(item) == Closed(name="a")
        assert rest_of(read(item)) == {"foreign": {"S": "x"}}


def test_a_model_inside_an_entity_says_for_itself_what_it_takes() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        x: int

    @dataclass
    class Plain:
        x: int

    class Holder(Entity, table=Table("holders"), pk="H#{name}", sk="H"):
        name: str
        strict: Strict | None = None
        plain: Plain | None = None

    items = Holder.__schema__.items
    more = {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}
    item = items.write(Holder(name="a").__dict__)
    assert items.read(item | {"plain": more}) == Holder(name="a", plain=Plain(1))
    with pytest.raises(ValidationError, match=r"strict\.y"):
        items.read(item | {"strict": more})


def test_older_names_and_aliases_are_found() -> None:
    class Named(BaseModel):
        first: str = Field(alias="firstName")

    class Person(Entity, table=Table("people"), pk="P#{person_id}", sk="P"):
        person_id: str
        name: Named
        mail: Annotated[str, Attribute("m", "email")]

    items = Person.__schema__.items
    entity = Person(person_id="1", name=Named(firstName="Ada"), mail="a@b")
    item = items.write(entity.__dict__)
    item["email"] = item.pop("m")
    assert items.read(item) == entity


def test_an_entity_that_expires_is_read_in_the_plain_way() -> None:
    """A late expiry would be taken for milliseconds."""

    class Lease(Entity, table=table, pk="L#{lease_id}", sk="L"):
        lease_id: str
        ends: datetime | None = expires(days=1)

    assert Lease.__schema__.items._direct is None
    late = Lease(lease_id="1", ends=datetime(2700, 1, 1, tzinfo=UTC))
    assert Lease.__schema__.items.read(Lease.__schema__.items.write(late.__dict__)) == late


def test_lists_and_maps_are_decoded_where_they_stand_and_their_absence_means_the_default() -> None:
    class Box(Entity, table=Table("boxes"), pk="B#{name}", sk="B"):
        name: str
        sizes: list[int] = [1]
        labels: dict[str, str] = {"a": "b"}
        tags: Tags = Tags(names=["none"])

    items = Box.__schema__.items
    full = Box(name="x", sizes=[2, 3], labels={}, tags=Tags(names=["t"]))
    written = items.write(full.__dict__)
    assert directly(items, written) == full
    bare = {name: written[name] for name in ("PK", "SK", "name")}
    assert directly(items, bare) == Box(name="x")
    assert directly(items, written | {"sizes": {"S": "no list"}}) is None


def test_members_of_lists_are_read_where_they_stand() -> None:
    class Path(Entity, table=Table("paths"), pk="P#{name}", sk="P"):
        name: str
        steps: list[Place] = []
        marks: Annotated[list[int], Field(min_length=1), AfterValidator(sorted)] = [0]

    items = Path.__schema__.items
    path = Path(name="x", steps=[Place(), Place(name="there", x=1.5)], marks=[2, 1])
    written = items.write(path.__dict__)
    written["marks"]["L"].reverse()
    assert directly(items, written) == path
    assert directly(items, written | {"steps": {"L": [{"S": "no map"}]}}) is None
    assert directly(items, written | {"marks": {"L": []}}) is None
    with pytest.raises(ValidationError, match=r"marks\.1"):
        items.read(written | {"marks": {"L": [{"N": "1"}, {"S": "no number"}]}})


def test_an_error_that_a_validator_raises_is_told() -> None:
    def look_up(name: str) -> str:
        return {"a": "b"}[name]

    class Chosen(Entity, table=Table("chosen"), pk="C#{name}", sk="C"):
        name: str
        choice: Annotated[str, AfterValidator(look_up)]

    items = Chosen.__schema__.items
    item = items.write({"name": "x", "choice": "a"})
    assert items.read(item).__dict__ == {"name": "x", "choice": "b"}
    with pytest.raises(KeyError, match="z"):
        items.read(item | {"choice": {"S": "z"}})


def test_a_default_that_is_checked_is_not_decoded() -> None:
    class Checked(Entity, table=Table("checked"), pk="C#{name}", sk="C"):
        name: str
        sizes: list[int] = Field(default=[1], validate_default=True)

    class Careful(Entity, table=Table("careful"), pk="C#{name}", sk="C"):
        model_config = ConfigDict(validate_default=True)
        name: str
        sizes: list[int] = [1]

    for entity in (Checked, Careful):
        items = entity.__schema__.items
        bare = {"PK": {"S": "C#x"}, "SK": {"S": "C"}, "name": {"S": "x"}}
        assert items.read(bare) == entity(name="x")
