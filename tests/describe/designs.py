"""A small design with what the apps do not have, and how generated designs are imported."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from enum import Enum
from itertools import count
from types import ModuleType
from typing import Annotated

from pydantic import BaseModel

from singletable import (
    Attribute,
    BatchGet,
    Entity,
    Get,
    GlobalIndex,
    Index,
    Large,
    LocalIndex,
    Query,
    Scan,
    Store,
    Table,
    get_many,
    pattern,
    sequence,
)
from singletable.describe.chart import EntityChart
from singletable.describe.description import description

table = Table(
    "shop",
    pk="id",
    sk="part",
    indexes=[
        GlobalIndex("ByPrice", pk=["shelf"], sk=["price", "code"]),
        GlobalIndex("ByCode", pk="code_key", sk=(), projection=["name"]),
        LocalIndex("ByName", sk="name_key"),
    ],
)


class Colour(Enum):
    """What a thing is painted in."""

    RED = "red"
    BLUE = "blue"


class Maker(BaseModel):
    """Who makes a thing."""

    name: str
    founded: int


class Thing(Entity, table=table, pk="THING#{code}#{copy}", sk="ABOUT|{number:02d}", copies=3):
    """A thing to sell; its name has a | in it."""

    by_price = Index("ByPrice", pk=["shelf"], sk=["price", "code"])
    by_code = Index("ByCode", pk="CODE#{code}", when={"colour": Colour.RED})
    by_name = Index("ByName", sk="{name}")

    code: str
    number: int = sequence("THINGS")
    name: str
    shelf: str
    price: Decimal
    colour: Colour
    maker: Maker
    marks: set[str]
    picture: Large[bytes] | None = None
    taken_at: Annotated[datetime | None, Attribute("taken")] = None


class Counter(Entity, table=table, pk="COUNTER", sk="COUNTER"):
    """There is one of it."""

    value: int


class Shop(Store, table=table):
    """A shop; its doc has <tags> & a | bar."""

    @pattern()
    def all_things(self) -> Scan[Thing]:
        """Everything."""
        return Thing.scan()

    @pattern()
    def some(self, codes: list[str]) -> BatchGet[Thing]:
        """A few `things` | more."""
        return get_many(Thing.get(code=code, number=1) for code in codes)

    @pattern()
    def cheap(self, shelf: str, most: Decimal) -> Query[Thing]:
        """What costs little."""
        return Thing.by_price.query(shelf=shelf).le(most)

    @pattern()
    def impossible(self, name: str) -> Query[Thing]:
        """What no key serves."""
        return Thing.query(name=name)

    @pattern()
    def counter(self) -> Get[Counter]:
        """The one counter."""
        return Counter.get()


_numbers = count()


@contextmanager
def imported(source: str) -> Iterator[ModuleType]:
    """Import the text of a module, as if it were a file."""
    module = ModuleType(f"generated_design_{next(_numbers)}")
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, module.__name__, "exec"), module.__dict__)  # noqa: S102 - our own text
        yield module
    finally:
        del sys.modules[module.__name__]


def only_store(module: ModuleType) -> type[Store]:
    """Give the one store of a module."""
    classes = [one for one in vars(module).values() if isinstance(one, type)]
    (found,) = [one for one in classes if issubclass(one, Store) and one is not Store]
    return found


def charted(store: type[Store]) -> list[object]:
    """Give of an entity chart what a foreign model can hold: all but what is kept true."""
    return [_comparable(entity) for entity in description(store).entities]


def _comparable(entity: EntityChart) -> tuple[object, ...]:
    stored = {(one.attribute, one.kind) for one in entity.attributes}
    return entity.name, entity.type, entity.key, entity.indexes, stored
