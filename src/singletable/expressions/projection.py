"""Projections: the paths of an item that a reader asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from singletable.values import AttributeValue, Item

from .paths import Element, Path
from .tree import Node, Params

Shape = dict[Element, Any]
"""A tree of the elements asked for; an empty one asks for all that is there."""


@dataclass(frozen=True)
class Projection(Node):
    """The paths to keep of an item."""

    paths: tuple[Path, ...]

    @property
    def children(self) -> tuple[Path, ...]:
        """Give the paths."""
        return self.paths

    def rebuild(self, children: tuple[Node, ...]) -> Projection:
        """Give a projection of other paths."""
        return Projection(cast("tuple[Path, ...]", children))

    def apply(self, item: Item) -> Item:
        """Give what the item has of the paths; list members keep their order, not their index."""
        kept = {}
        for name, shape in self._shape.items():
            value = item.get(name)  # type: ignore[arg-type]  # a path begins with a name
            if value is not None and shape:
                value = _cut(value, shape)
            if value is not None:
                kept[name] = value
        return kept  # type: ignore[return-value]  # as above

    def encode(self, params: Params) -> str:
        """Write the paths."""
        return ", ".join(path.encode(params) for path in self.paths)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """Give the names of the attributes that the paths begin in."""
        return tuple(dict.fromkeys(path.name for path in self.paths))

    @cached_property
    def _shape(self) -> Shape:
        shape: Shape = {}
        for path in self.paths:
            branch = shape
            for element in path.elements:
                branch = branch.setdefault(element, {})
        return shape


def _cut(value: AttributeValue, shape: Shape) -> AttributeValue | None:
    if not shape:
        return value
    if isinstance(next(iter(shape)), int):
        return _cut_list(value.get("L", []), shape)
    members = value.get("M", {})
    kept = {key: _cut(members[key], shape[key]) for key in shape if key in members}
    kept = {key: each for key, each in kept.items() if each is not None}
    return {"M": kept} if kept else None


def _cut_list(members: list[AttributeValue], shape: Shape) -> AttributeValue | None:
    indexes = sorted(index for index in shape if isinstance(index, int) and index < len(members))
    kept = [_cut(members[index], shape[index]) for index in indexes]
    kept = [each for each in kept if each is not None]
    return {"L": kept} if kept else None
