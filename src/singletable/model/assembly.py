"""How items become views: each goes to the root that its fields name, from the innermost out.

Parts are joined before any view is made, so that a view class runs its own code only for what is
given out. The work grows with the number of items alone: roots are found by their key fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .entity import Entity

if TYPE_CHECKING:
    from .views import Slot, View

V = TypeVar("V")

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assembly(Generic[V]):
    """What became of some items: the views, and the items that have no place in any."""

    views: list[V]
    strays: list[Entity]


@dataclass(slots=True, eq=False)
class Part:
    """An item, or a view in the making, known by the item at its root."""

    item: Any
    """The entity; None for the whole of a view that has no root."""
    entity: type[Entity] | None = None
    """The entity by which views take the item: its own, or the nearest base that one names."""
    filled: dict[str, list[Part]] = field(default_factory=dict)
    has_place: bool = False

    def add(self, slot: Slot, part: Part) -> None:
        """Take another part in."""
        self.filled.setdefault(slot.name, []).append(part)
        part.has_place = True


def assemble(view: View[V], items: Sequence[Entity]) -> Assembly[V]:
    """Put items into views, in the order of the roots; lists keep the order of the items."""
    taken = frozenset(schema.entity for schema in view.entities)
    parts = _gather(view, [Part(item, _taken_as(type(item), taken)) for item in items])
    placed: set[int] = set()
    views = [_build(view, part, placed) for part in parts]
    return Assembly(views, [item for item in items if id(item) not in placed])


@cache
def _taken_as(kind: type[Entity], taken: frozenset[type[Entity]]) -> type[Entity] | None:
    return next((base for base in kind.__mro__ if base in taken), None)


def _gather(view: View[Any], parts: list[Part]) -> list[Part]:
    """Make the parts that are this view's, nested ones first; what has no place is left alone."""
    found: list[tuple[Slot, Part]] = []
    for slot in view.slots:
        if slot.view is not None:
            found += [(slot, part) for part in _gather(slot.view, parts)]
            parts = [part for part in parts if not part.has_place]
    taking = {entity: slot for slot in view.slots for entity in slot.entities}
    found += [(taking[part.entity], part) for part in parts if part.entity in taking]
    return [_joined(found)] if view.root is None else _divided(view.root, found)


def _joined(found: Iterable[tuple[Slot, Part]]) -> Part:
    whole = Part(None)
    for slot, part in found:
        whole.add(slot, part)
    return whole


def _divided(root: Slot, found: Sequence[tuple[Slot, Part]]) -> list[Part]:
    heads = [part for slot, part in found if slot is root]
    wholes = [Part(head.item) for head in heads]
    for whole, head in zip(wholes, heads, strict=True):
        whole.add(root, head)
    owners = _Owners(wholes)
    for slot, part in found:
        if slot is not root and (owner := owners.find(part)):
            owner.add(slot, part)
    return wholes


class _Owners:
    """Finds the part that another belongs to: by the fields of its root's key that both have."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._indexes: dict[type, dict[Names, dict[tuple[Any, ...], list[Part]]]] = {}

    def find(self, part: Part) -> Part | None:
        """Give the only owner; a part that fits several belongs to none of them."""
        by_names = self._index(type(part.item)).items()
        matches = [index.get(_values(part, names)) for names, index in by_names]
        hits = [owners for owners in matches if owners]
        return hits[0][0] if len(hits) == 1 and len(hits[0]) == 1 else None

    def _index(self, kind: type[Entity]) -> dict[Names, dict[tuple[Any, ...], list[Part]]]:
        """Index the owners by what they share with a kind of item, when the first one comes."""
        if kind not in self._indexes:
            index = self._indexes[kind] = {}
            for part in self._parts:
                root: type[Entity] = type(part.item)
                names = shared_fields(root, kind)
                index.setdefault(names, {}).setdefault(_values(part, names), []).append(part)
        return self._indexes[kind]


@cache
def shared_fields(root: type[Entity], entity: type[Entity]) -> Names:
    """Name the fields of a root's key that another entity has too."""
    return tuple(name for name in root.__schema__.key_fields if name in entity.__schema__.fields)


def _values(part: Part, names: Names) -> tuple[Any, ...]:
    return tuple(getattr(part.item, name) for name in names)


def _build(view: View[V], part: Part, placed: set[int]) -> V:
    """Make the view of a part; note each item that is in it."""
    return view.shape(**{slot.name: _content(slot, part, placed) for slot in view.slots})


def _content(slot: Slot, whole: Part, placed: set[int]) -> Any:
    parts = whole.filled.get(slot.name, [])
    taken = parts if slot.container else parts[:1]
    made = [_build(slot.view, one, placed) if slot.view else one.item for one in taken]
    if slot.view is None:
        placed.update(map(id, made))
    return slot.container(made) if slot.container else next(iter(made), None)
