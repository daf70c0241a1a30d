"""The values of an update are checked one by one, as those of a whole entity are."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from singletable.errors import UsageError
from singletable.model.changes import (
    REMOVE,
    Assignment,
    Change,
    add,
    append,
    if_missing,
    include,
    prepend,
)
from singletable.model.entity import Entity
from singletable.model.table import Table
from singletable.store.writing.checking import changed_inside, checked, checked_change
from tests.store.bench import Doc, Plain, Task


class Node(BaseModel):
    """A tree, whose schema refers to itself."""

    name: str
    nodes: list[Node] = []


class Tree(Entity, table=Table("trees"), pk="TREE#{name}", sk="TREE"):
    """It has fields of every difficult kind."""

    name: str
    root: Node | None = None
    height: Annotated[int, Field(ge=0)] = Field(default=0, alias="heightInMetres")
    parent: Tree | None = None


def test_a_value_becomes_what_the_field_holds() -> None:
    assert checked(Plain.__schema__, "tags", ["a", "b", "a"]) == {"a", "b"}
    assert checked(Task.__schema__, "status", "DONE") == "DONE"


def test_the_validators_of_the_field_are_asked() -> None:
    assert checked(Doc.__schema__, "code", " ab ") == "AB"


class Texts(Entity, table=Table("texts"), pk="TEXT#{id}", sk="TEXT"):
    """It has texts of every kind."""

    id: str
    any: str | None = None
    short: Annotated[str, Field(max_length=3)] = ""
    bare: Annotated[str, StringConstraints(strip_whitespace=True)] = ""


class Lowered(Texts):
    """Its settings make something else of a text."""

    model_config = ConfigDict(str_to_lower=True)


class Stock(Entity, table=Table("stock"), pk="STOCK#{id}", sk="STOCK"):
    """Its numbers go in steps."""

    id: str
    boxes: int = 0
    eggs: Annotated[int | None, Field(multiple_of=6)] = None
    price: Annotated[Decimal, Field(decimal_places=2)] = Decimal(0)
    weight: Annotated[float, Field(multiple_of=0.1)] = 0


@pytest.mark.parametrize(
    ("field", "good", "bad", "held"),
    [
        ("boxes", 2.0, 1.5, "whole numbers"),
        ("eggs", 12, 4, "multiples of 6"),
        ("price", Decimal("1E+40"), Decimal("1.505"), "2 decimal places"),
        ("weight", 0.3, 0.35, r"multiples of 0\.1"),
    ],
)
def test_a_number_grows_in_its_own_steps(field: str, good: Any, bad: Any, held: str) -> None:
    checked_change(Stock.__schema__, field, add(good))
    with pytest.raises(UsageError, match=f"Stock.{field} cannot be changed by .*{held}"):
        checked_change(Stock.__schema__, field, add(-bad))


@pytest.mark.parametrize("amount", [float("nan"), "6"])
def test_what_is_no_number_is_refused_as_such(amount: Any) -> None:
    with pytest.raises(UsageError, match=r"no number|stored as"):
        checked_change(Stock.__schema__, "eggs", add(amount)).resolve("eggs", Stock.__schema__)


def test_a_text_is_looked_at_as_pydantic_does() -> None:
    assert checked(Texts.__schema__, "any", " Text ") == " Text "
    assert checked(Texts.__schema__, "bare", " Text ") == "Text"
    assert checked(Lowered.__schema__, "any", "Text") == "text"
    with pytest.raises(UsageError, match="at most 3"):
        checked(Texts.__schema__, "short", "long")


def test_a_schema_that_refers_to_itself_is_no_obstacle() -> None:
    tree = {"name": "a", "nodes": [{"name": "b"}]}

    assert checked(Tree.__schema__, "root", tree) == Node(name="a", nodes=[Node(name="b")])
    assert checked(Tree.__schema__, "parent", {"name": "t"}) == Tree(name="t")


def test_a_field_goes_by_its_name_whatever_its_alias() -> None:
    assert checked(Tree.__schema__, "height", 3) == 3
    with pytest.raises(UsageError, match=r"Tree\.height cannot be -1: .* greater than or equal"):
        checked(Tree.__schema__, "height", -1)


def test_a_wrong_value_is_told_with_entity_and_field() -> None:
    with pytest.raises(UsageError, match=r"Plain\.size cannot be 'many': .* valid integer"):
        checked(Plain.__schema__, "size", "many")


class Leaf(BaseModel):
    """A model inside a model."""

    name: str
    size: int | None = 0
    note: str | None = None
    extra: str | None


class Open(BaseModel):
    """A model that takes any names."""

    model_config = ConfigDict(extra="allow")

    name: str = ""


@dataclass
class Point:
    """A plain dataclass."""

    x: int = 0


class Deep(Entity, table=Table("deep"), pk="DEEP#{id}", sk="DEEP"):
    """It has everything inside."""

    model_config = ConfigDict(str_strip_whitespace=True)

    id: str
    names: list[str] = Field(default=[])
    leaves: list[Leaf] = Field(default=[])
    tags: set[str] = Field(default=set())
    numbers: frozenset[int] = Field(default=frozenset())
    leaf: Leaf | None = None
    by_name: dict[str, Leaf] = Field(default={})
    counts: dict[str, int] = Field(default={})
    both: int | list[str] = 0
    anything: Any = None
    open: Open = Open()
    point: Point = Point()
    pair: tuple[int, ...] = ()
    whole: int = 0
    ratio: float = 0.0
    title: str = ""
    flag: bool = False
    kinds: list[Kind] = Field(default=[])


class Kind(Enum):
    """Of two."""

    A = "a"
    B = "b"


Deep.model_rebuild()
DEEP = Deep.__schema__

FINE: dict[str, tuple[str, Any, Any]] = {
    "a value in a map": ("counts.a", "3", 3),
    "a member of a list": ("names[3]", " x ", "x"),
    "a field of a model": ("leaf.size", "3", 3),
    "a model in a list": ("leaves[0]", {"name": "a", "extra": None}, Leaf(name="a", extra=None)),
    "a field of a model in a map": ("by_name.x.size", 3, 3),
    "a field of a dataclass": ("point.x", "1", 1),
    "a name that is not declared": ("open.other", object, object),
    "anything": ("anything.a[0].b", object, object),
    "what may be of two types": ("both[0]", object, object),
}


@pytest.mark.parametrize("case", FINE)
def test_a_value_inside_a_field_is_checked_too(case: str) -> None:
    path, given, held = FINE[case]
    assert checked(DEEP, path, given) == held


REFUSED: dict[str, tuple[str, Any, str]] = {
    "a map": ("counts.a", "many", r"Deep\.counts\.a cannot be 'many': .* valid integer"),
    "a list": ("names[0]", 5, r"Deep\.names\[0\] cannot be 5"),
    "a model": ("leaf.size", "many", r"Deep\.leaf\.size cannot be 'many'"),
    "a name": ("leaf.siez", 1, r"Deep\.leaf has no 'siez'; it has name, size, note, extra"),
    "a name in a map": ("by_name.x.siez", 1, "has no 'siez'"),
    "a name in a list": ("leaves[1].siez", 1, "has no 'siez'"),
    "a dataclass": ("point.z", 1, r"Deep\.point has no 'z'; it has x"),
    "a field": ("nmaes", 1, "Deep has no field 'nmaes'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_not_be_read_again_is_refused(case: str) -> None:
    path, value, message = REFUSED[case]
    with pytest.raises(UsageError, match=message):
        checked(DEEP, path, value)


CHANGES: dict[str, tuple[str, Change, str]] = {
    "member of a list": ("names", append([5]), r"Deep\.names\[0\] cannot be 5"),
    "member of a set": ("tags", include({5}), r"Deep\.tags\[0\] cannot be 5"),
    "number in a set": ("numbers", include({"x"}), "valid integer"),
    "model in a list": ("leaves", prepend([{"name": 1}]), "valid string"),
    "sum of text": ("title", add(1), r"Deep\.title cannot be changed by .* it is not a number"),
    "text to text": ("title", add("x"), "it is not a number"),  # type: ignore[arg-type]
    "sum of flags": ("flag", add(1), "it is not a number"),
    "sum of a list": ("names", add(1), "it is not a number"),
    "fraction": ("whole", add(0.5), r"Deep\.whole cannot be changed by 0\.5: it holds whole"),
    "list of a number": ("whole", append([1]), "it is not a list"),
    "list of a set": ("tags", append(["x"]), "it is not a list"),
    "set of a list": ("names", include({"x"}), "it is not a set"),
    "inside": ("leaf.name", add(1), "it is not a number"),
    "missing": ("title", if_missing(5), r"Deep\.title cannot be 5"),
    "removal": ("leaf.name", REMOVE, r"Deep\.leaf\.name cannot be removed: it has no default"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_that_no_value_there_can_take_is_refused(case: str) -> None:
    path, change, message = CHANGES[case]
    with pytest.raises(UsageError, match=message):
        checked_change(DEEP, path, change)


def test_a_change_gets_the_values_as_they_are_held() -> None:
    assert checked_change(DEEP, "names", append([" x "])) == append(["x"])
    assert checked_change(DEEP, "kinds", append(["a"])) == append([Kind.A])
    assert checked_change(DEEP, "numbers", include({"1", 2})) == include({1, 2})
    assert checked_change(DEEP, "title", if_missing(" x ")) == if_missing("x")
    for change in (add(1), append([1]), include({1})):
        assert checked_change(DEEP, "anything", change) is not None
    for path, one in {"ratio": add(0.5), "both": add(1), "pair": append((1,))}.items():
        assert checked_change(DEEP, path, one) == one
    assert checked_change(DEEP, "leaf.size", REMOVE) is REMOVE


def test_none_inside_a_field_is_stored_where_its_absence_would_mean_more() -> None:
    assert changed_inside(DEEP, "leaf.note", None) is REMOVE
    assert changed_inside(DEEP, "leaf.size", None) == Assignment(None)
    assert changed_inside(DEEP, "leaf.extra", None) == Assignment(None)
    assert changed_inside(DEEP, "counts.a", None) is REMOVE
    with pytest.raises(UsageError, match=r"Deep\.leaf\.name cannot be None"):
        changed_inside(DEEP, "leaf.name", None)
