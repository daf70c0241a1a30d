"""Table definitions: keys of every type, local and global indexes with every projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .dice import Dice
from .values import SCALARS, Value, any_value, key_value, value

PROJECTIONS: tuple[dict[str, Any], ...] = (
    {"ProjectionType": "ALL"},
    {"ProjectionType": "KEYS_ONLY"},
    {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["s", "m"]},
    {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n"]},
)
VIEWS = ("NEW_AND_OLD_IMAGES", "KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE")
KEY_NAMES = ("pk", "sk")
INDEXED = ("i", "j", "k", "h")
"""The attributes that may be keys of indexes."""

USUAL = {
    "s": "S",
    "n": "N",
    "b": "B",
    "l": "L",
    "m": "M",
    "ss": "SS",
    "ns": "NS",
    "bs": "BS",
    "yes": "BOOL",
    "data": "S",
    "a-b": "N",
}
"""The attributes that items have beside keys, and the type that each has as a rule."""

REFERABLE = tuple(name for name in USUAL if name not in ("data", "a-b"))
"""Those that an expression may name as they are; the others are a reserved word and no word."""


@dataclass(frozen=True)
class Index:
    """What the generators need to know of an index."""

    name: str
    scope: str
    hash: tuple[str, ...]
    range: tuple[str, ...]
    projection: dict[str, Any]

    @property
    def keys(self) -> tuple[str, ...]:
        """Name all key attributes."""
        return self.hash + self.range

    def document(self) -> dict[str, Any]:
        """Give its part of a CreateTable request."""
        return {
            "IndexName": self.name,
            "KeySchema": _schema(self.hash, self.range),
            "Projection": self.projection,
        }


@dataclass(frozen=True)
class Table:
    """A table to be made on both sides."""

    name: str
    keys: tuple[str, ...]
    kinds: dict[str, str]
    indexes: tuple[Index, ...]
    view: str

    def document(self) -> dict[str, Any]:
        """Give the CreateTable request."""
        used = {*self.keys, *(name for index in self.indexes for name in index.keys)}
        document: dict[str, Any] = {
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": _schema(self.keys[:1], self.keys[1:]),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": self.kinds[name]} for name in sorted(used)
            ],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": self.view},
        }
        for scope in ("Local", "Global"):
            if found := [each.document() for each in self.indexes if each.scope == scope]:
                document[f"{scope}SecondaryIndexes"] = found
        return document

    def kind(self, name: str) -> str | None:
        """Give the type that an attribute has as a rule; None for any."""
        return self.kinds.get(name) or USUAL.get(name)

    @property
    def defined(self) -> set[str]:
        """Name the attributes that are keys of the table or of an index."""
        return {*self.keys, *(name for index in self.indexes for name in index.keys)}


def _schema(hashed: tuple[str, ...], ranged: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": "HASH"} for name in hashed] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in ranged
    ]


def table(dice: Dice, name: str) -> Table:
    """Make a table with up to three indexes."""
    keys = KEY_NAMES[: dice.between(1, 2)]
    kinds = {each: dice.pick(SCALARS) for each in (*KEY_NAMES, *INDEXED)}
    indexes = tuple(_index(dice, f"index{at}", keys) for at in range(dice.below(4)))
    return Table(name, keys, kinds, indexes, dice.pick(VIEWS))


def _index(dice: Dice, name: str, keys: tuple[str, ...]) -> Index:
    projection = dice.pick(PROJECTIONS)
    if len(keys) > 1 and dice.chance(40):
        return Index(name, "Local", keys[:1], (dice.pick(INDEXED),), projection)
    candidates = list(INDEXED)
    if dice.chance(30):
        candidates[: len(keys)] = reversed(keys)
    hashes = dice.between(1, 2) if dice.chance(20) else 1
    ranges = dice.between(1, 2) if dice.chance(20) else dice.below(2)
    if hashes + ranges == 1 and dice.chance(50):
        candidates.reverse()
    return Index(
        name, "Global", tuple(candidates[:hashes]), tuple(candidates[hashes:][:ranges]), projection
    )


def key(dice: Dice, of: Table) -> dict[str, Value]:
    """Make a primary key, one of few."""
    return {name: key_value(dice, of.kinds[name]) for name in of.keys}


def item(dice: Dice, of: Table) -> dict[str, Value]:
    """Make an item whose index keys mostly have the types that their indexes want."""
    made = key(dice, of)
    for name in dice.some(sorted(of.defined - set(of.keys)), 80):
        made[name] = attribute(dice, of, name)
    for name in dice.some(tuple(USUAL), 25):
        made[name] = attribute(dice, of, name)
    return made


def attribute(dice: Dice, of: Table, name: str) -> Value:
    """Make a value for an attribute, as a rule of its usual type."""
    kind = of.kind(name)
    if kind is None or dice.chance(5):
        return any_value(dice)
    return key_value(dice, kind) if name in of.defined else value(dice, kind)
