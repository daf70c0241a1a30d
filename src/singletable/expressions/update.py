"""Updates: how an item becomes another.

Every right side is read from the item as it was. The new item shares with the old one whatever
the update does not touch; the old one stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, cast

from singletable.values import AttributeValue, Item

from .edit import check_place, edited
from .operands import incorrect_type, number, required, total
from .paths import Path
from .projection import Projection
from .tree import Node, Operand, Params, Parts, Read, Values

Change = Callable[[Item, Values], Item]
"""Gives an item as it becomes, or raises where it cannot be updated so."""

SETS = frozenset({"SS", "NS", "BS"})


class Action(Node):
    """One clause of an update: what becomes of the value at one path."""

    __slots__ = ()
    section: ClassVar[str]
    path: Path

    def compile(self) -> Read:
        """Make the function that gives the value of the path, or None to remove what is there."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """Removes what is at a path."""

    section: ClassVar[str] = "REMOVE"
    path: Path

    @property
    def children(self) -> tuple[Operand, ...]:
        """Give the path."""
        return (self.path,)

    def rebuild(self, children: tuple[Node, ...]) -> Remove:
        """Give this action with another path."""
        return Remove(*cast("tuple[Path]", children))

    def compile(self) -> Read:
        """Make a function that leaves nothing."""
        return lambda _item, _values: None

    def encode(self, params: Params) -> str:
        """Write the path."""
        return self.path.encode(params)


@dataclass(frozen=True, slots=True)
class _WithOperand(Action):
    path: Path
    operand: Operand

    @property
    def children(self) -> tuple[Operand, ...]:
        """Give the path and the operand."""
        return self.path, self.operand

    def rebuild(self, children: tuple[Node, ...]) -> Any:
        """Give this action with other parts."""
        return type(self)(*cast("tuple[Path, Operand]", children))

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Do what every node does, faster: updates are made of these."""
        parts.append(self.__class__)
        parts.append(self.path.elements)
        self.operand.outline(parts, values)

    def encode(self, params: Params) -> str:
        """Write path and operand."""
        return f"{self.path.encode(params)} {self.operand.encode(params)}"


@dataclass(frozen=True, slots=True)
class Set(_WithOperand):
    """Puts a value at a path."""

    section: ClassVar[str] = "SET"

    def compile(self) -> Read:
        """Make the function that computes the value."""
        return required(self.operand)

    def encode(self, params: Params) -> str:
        """Write the assignment."""
        return f"{self.path.encode(params)} = {self.operand.encode(params)}"


@dataclass(frozen=True, slots=True)
class Add(_WithOperand):
    """Adds a number to a number, or members to a set."""

    section: ClassVar[str] = "ADD"

    def compile(self) -> Read:
        """Make the function that gives the sum or union; where nothing was, what is added."""
        read, read_more = self.path.compile(), required(self.operand)

        def add(item: Item, values: Values) -> AttributeValue:
            old, more = read(item, values), read_more(item, values)
            if old is None:
                return more
            if "N" in more:
                return total(number(old), number(more))
            kind, members, others = _sets(old, more)
            return {kind: sorted({*members, *others}, key=Decimal if kind == "NS" else None)}

        return add


@dataclass(frozen=True, slots=True)
class Delete(_WithOperand):
    """Takes members out of a set; an empty set goes away."""

    section: ClassVar[str] = "DELETE"

    def compile(self) -> Read:
        """Make the function that gives the rest of the set, or None if there is none."""
        read, read_gone = self.path.compile(), required(self.operand)

        def delete(item: Item, values: Values) -> AttributeValue | None:
            old = read(item, values)
            if old is None:
                return None
            kind, members, others = _sets(old, read_gone(item, values))
            gone = frozenset(others)
            rest = [member for member in members if member not in gone]
            return {kind: rest} if rest else None

        return delete


def _sets(old: AttributeValue, other: AttributeValue) -> tuple[str, list[Any], list[Any]]:
    [(kind, members)] = old.items()
    if kind not in SETS or kind not in other:
        raise incorrect_type()
    return kind, members, other[kind]


@dataclass(frozen=True)
class Update(Node):
    """What an update does, clause by clause, in the order of the text."""

    by_expression: ClassVar[bool] = True
    actions: tuple[Action, ...]

    @property
    def children(self) -> tuple[Action, ...]:
        """Give the clauses."""
        return self.actions

    @property
    def makes_items(self) -> bool:
        """Tell whether it makes an item where there is none, if only of the key."""
        return True

    def rebuild(self, children: tuple[Node, ...]) -> Update:
        """Give an update of other clauses."""
        return Update(cast("tuple[Action, ...]", children))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Give the path of each clause."""
        return tuple(action.path for action in self.actions)

    @cached_property
    def places(self) -> tuple[tuple[str, ...], ...]:
        """Give the keys that lead to each value that it touches, or to the list that it is in."""
        return tuple(dict.fromkeys(tuple(_keys(path)) for path in self.paths))

    def apply(self, item: Item, values: Values) -> Item:
        """Give the item as it becomes, or raise where it cannot be updated so."""
        return self._change(item, values)

    @cached_property
    def _change(self) -> Change:
        results = [action.compile() for action in self.actions]
        if all(len(path.elements) == 1 for path in self.paths):
            return _flat_change([path.name for path in self.paths], results)
        return _change(self.paths, results)

    def touched(self, item: Item) -> Item:
        """Give the parts of the item that this update names."""
        return self._named.apply(item)

    @cached_property
    def _named(self) -> Projection:
        return Projection(self.paths)

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Give the number of clauses, then each."""
        parts.append(len(self.actions))
        for action in self.actions:
            action.outline(parts, values)

    def encode(self, params: Params) -> str:
        """Write the clauses, section by section."""
        sections: dict[str, list[str]] = {}
        for action in self.actions:
            sections.setdefault(action.section, []).append(action.encode(params))
        return " ".join([f"{name} {', '.join(texts)}" for name, texts in sections.items()])


def _keys(path: Path) -> Iterator[str]:
    """Give the keys of a path up to its first index."""
    for element in path.elements:
        if not isinstance(element, str):
            return
        yield element


def _change(paths: Sequence[Path], results: Sequence[Read]) -> Change:
    def change(item: Item, values: Values) -> Item:
        edits = []
        for path, result in zip(paths, results, strict=True):
            check_place(item, path)
            edits.append((path.elements, result(item, values)))
        return edited(item, edits)

    return change


def _flat_change(names: Sequence[str], results: Sequence[Read]) -> Change:
    """Do the same where no path leads into an attribute, as most do not, in less time."""
    steps = list(zip(names, results, strict=True))

    def change(item: Item, values: Values) -> Item:
        changed = dict(item)
        for name, result in steps:
            value = result(item, values)
            if value is None:
                changed.pop(name, None)
            else:
                changed[name] = value
        return changed

    return change
