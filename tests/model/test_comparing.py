"""What a field is compared with is of its type, is converted as in an update, or is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from singletable.errors import UsageError
from singletable.expressions import encode
from singletable.model.conditions import Condition, F
from singletable.model.entity import Entity
from singletable.model.fields import expires
from singletable.model.table import Table

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ID = UUID(int=7)

table = Table("comparing")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    LOW = 1


class Stats(BaseModel):
    reads: int = 0
    first: date | None = None


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("it is odd")
    return value


class Thing(Entity, table=table, pk="THING#{name}", sk="THING"):
    """It has a field of every type that is stored in its own way."""

    name: str
    count: int = 0
    adult: int | None = Field(None, ge=18)
    even: Annotated[int, AfterValidator(_even)] = 0
    price: Decimal = Decimal(0)
    ratio: float = 0.0
    either: int | Decimal = 0
    mixed: int | str = 0
    anything: Any = None
    done: bool = False
    blob: bytes = b""
    day: date = date(2026, 1, 1)
    moment: datetime | None = None
    span: timedelta = timedelta(0)
    ident: UUID | None = None
    colour: Colour = Colour.RED
    level: Level = Level.LOW
    status: Literal["NEW", "DONE"] = "NEW"
    secret: SecretStr = SecretStr("")
    tags: set[str] = set()
    numbers: list[int] = []
    pages: dict[str, int] = {}
    stats: Stats = Stats()
    until: datetime | None = expires()


class Exact(Entity, table=table, pk="EXACT#{name}", sk="EXACT"):
    """It takes values of its fields' types alone."""

    model_config = ConfigDict(strict=True)

    name: str
    count: int = 0


def value_in(condition: Condition, entity: type[Entity] = Thing) -> Any:
    """Give the one value that a condition sends."""
    members = encode({"ConditionExpression": condition.resolve(entity.__schema__)})
    [value] = members["ExpressionAttributeValues"].values()
    return value


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        (F("count") > 2.5, {"N": "2.5"}),
        (F("adult") >= 0, {"N": "0"}),
        (F("even") == 3, {"N": "3"}),
        (F("price") == 2, {"N": "2"}),
        (F("mixed") == "2", {"S": "2"}),
        (F("anything") == "2", {"S": "2"}),
        (F("anything") == 2, {"N": "2"}),
        (F("blob") == b"x", {"B": b"x"}),
        (F("day") == date(2026, 1, 1), {"S": "2026-01-01"}),
        (F("day") == "2026-01-01", {"S": "2026-01-01"}),
        (F("day") >= "2026-01", {"S": "2026-01"}),
        (F("moment") < NOON, {"S": "2026-05-01T12:00:00.000000Z"}),
        (F("moment") < date(2026, 5, 1), {"S": "2026-05-01"}),
        (F("ident") == ID, {"S": str(ID)}),
        (F("ident") == str(ID), {"S": str(ID)}),
        (F("colour") == Colour.BLUE, {"S": "blue"}),
        (F("colour") == "blue", {"S": "blue"}),
        (F("level") == Level.LOW, {"N": "1"}),
        (F("status") != "DONE", {"S": "DONE"}),
        (F("secret") == "x", {"S": "x"}),
        (F("tags") == {"a"}, {"SS": ["a"]}),
        (F("tags") == set(), {"L": []}),
        (F("tags").contains("a"), {"S": "a"}),
        (F("numbers") == [1], {"L": [{"N": "1"}]}),
        (F("numbers") == (1,), {"L": [{"N": "1"}]}),
        (F("numbers").contains(1), {"N": "1"}),
        (F("numbers[0]") == 1, {"N": "1"}),
        (F("pages.a") == 1, {"N": "1"}),
        (F("pages").contains("a"), {"S": "a"}),
        (F("stats") == Stats(reads=1, first=None), {"M": {"reads": {"N": "1"}}}),
        (F("stats") == {"reads": 1}, {"M": {"reads": {"N": "1"}}}),
        (F("stats.reads") == 1, {"N": "1"}),
        (F("stats.undeclared") == "x", {"S": "x"}),
        (F("name").contains("x"), {"S": "x"}),
        (F("name").size() == 1, {"N": "1"}),
        (F("count").has_type("S"), {"S": "S"}),
        (F("until") < NOON, {"N": "1777636800"}),
    ],
)
def test_what_can_be_there_is_compared_as_it_is(condition: Condition, value: Any) -> None:
    assert value_in(condition) == value


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        (F("count") > "3", {"N": "3"}),
        (F("count") == "5", {"N": "5"}),
        (F("adult") == "5", {"N": "5"}),
        (F("even") == "3", {"N": "3"}),
        (F("price") < "2.5", {"N": "2.5"}),
        (F("ratio") < "2.5", {"N": "2.5"}),
        (F("either") == "3", {"N": "3"}),
        (F("done") == 1, {"BOOL": True}),
        (F("span") > 5, {"S": "PT5S"}),
        (F("tags") == ["a"], {"SS": ["a"]}),
        (F("numbers").contains("1"), {"N": "1"}),
        (F("stats.reads") == "1", {"N": "1"}),
        (F("until") < "2026-05-01T12:00Z", {"N": "1777636800"}),
        (F("until") < 1777636800, {"N": "1777636800"}),
    ],
)
def test_what_an_update_would_convert_is_converted(condition: Condition, value: Any) -> None:
    assert value_in(condition) == value


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        (F("count") > "many", r"Thing\.count cannot be compared with 'many': it holds int\. "),
        (F("count").between(1, "many"), r"Thing\.count .* 'many'"),
        (F("count").is_in([1, "many"]), r"Thing\.count .* 'many'"),
        (~(F("count") == "many"), r"Thing\.count .* 'many'"),
        ((F("name") == "x") & (F("count") == "many"), r"Thing\.count .* 'many'"),
        (F("name") == 5, r"Thing\.name cannot be compared with 5: it holds str\."),
        (F("name").contains(5), r"Thing\.name cannot contain 5: it holds str"),
        (F("either") == "x", r"Thing\.either .* 'x': it holds int or decimal"),
        (F("done") == "maybe", r"Thing\.done .* 'maybe': it holds bool"),
        (F("day") == 5, r"Thing\.day .* 5: it holds date"),
        (F("ident") == 5, r"Thing\.ident .* 5: it holds uuid"),
        (F("colour") == 5, r"Thing\.colour .* 5: it holds enum.*'red' or 'blue'"),
        (F("status") == 5, r"Thing\.status .* 5: it holds literal.*'NEW' or 'DONE'"),
        (F("tags") == "a", r"Thing\.tags .* 'a': it holds set"),
        (F("tags").contains(5), r"Thing\.tags\[0\] .* 5: it holds str"),
        (F("numbers").contains("x"), r"Thing\.numbers\[0\] .* 'x': it holds int"),
        (F("pages.a") == "x", r"Thing\.pages\.a .* 'x': it holds int"),
        (F("stats") == 5, r"Thing\.stats .* 5: it holds model"),
        (F("stats.reads") == "x", r"Thing\.stats\.reads .* 'x': it holds int"),
        (F("until") < "soon", r"Thing\.until .* 'soon': it holds datetime"),
    ],
)
def test_what_can_never_be_there_is_refused(condition: Condition, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        condition.resolve(Thing.__schema__)


def test_a_strict_entity_converts_nothing() -> None:
    assert value_in(F("count") == 5, Exact) == {"N": "5"}
    with pytest.raises(UsageError, match=r"Exact\.count cannot be compared with '5'"):
        value_in(F("count") == "5", Exact)
