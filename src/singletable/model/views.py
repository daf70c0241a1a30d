"""Views: classes whose fields are entities, to be filled from the items that one query reads.

A field takes items by their type. The one field that is single and required is the view's root:
every other item goes to the root whose key it names, so a view class is all there is to declare.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, product
from typing import Any, Generic, TypeVar, cast

from singletable.errors import DesignError, UsageError

from .assembly import Assembly, assemble, shared_fields
from .entity import Entity
from .keys import Keys
from .reads import Collection
from .schema import Schema
from .shapes import ShapeField, fields_of
from .table import Table

V = TypeVar("V")


def collect(shape: type[V], /, *, via: str | None = None, **known: Any) -> Collection[V]:
    """Describe the read of items that stand together, put into views; sends nothing.

    ``via`` is the name by which all the entities declare one index; else the table is read.
    """
    view = View.of(shape, via)
    view.check_known(known)
    return Collection(view=view, known=known)


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A field of a view: the entities or the view that it takes, one or many."""

    name: str
    entities: tuple[type[Entity], ...]
    view: View[Any] | None
    container: Callable[[list[Any]], Any] | None
    """What makes the field's value of many; None where it takes one."""
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class View(Generic[V]):
    """Knows what a view class takes, and puts items into objects of it."""

    shape: type[V]
    via: str | None
    slots: tuple[Slot, ...]
    root: Slot | None
    entities: tuple[Schema, ...]
    """Every entity in it and in the views nested in it, each once."""

    @classmethod
    def of(cls, shape: type[V], via: str | None = None) -> View[V]:
        """Give the view of a class; it is compiled once."""
        return cast("View[V]", _compiled(cast(Hashable, shape), via))

    @property
    def table(self) -> Table:
        """Give the table that holds all the entities."""
        return self.entities[0].table

    def keys(self, schema: Schema) -> Keys:
        """Give the keys by which an entity is found: the primary ones, or those in the index."""
        if self.via is None:
            return schema.keys
        if self.via not in schema.indexes:
            raise DesignError(
                f"{self.shape.__name__} is read via {self.via!r}, but {schema.name} declares no "
                f"index of that name; it declares: {', '.join(schema.indexes) or 'none'}"
            )
        return schema.index(self.via)

    def check_known(self, known: Mapping[str, Any]) -> None:
        """Refuse values for fields that none of the entities has."""
        for name in known:
            if not any(name in schema.fields for schema in self._with_derived()):
                known_by = (self.keys(schema).fields for schema in self._with_derived())
                raise UsageError(
                    f"{self.shape.__name__}: no entity in it has a field {name!r}; its items are "
                    f"found by {', '.join(dict.fromkeys(chain.from_iterable(known_by)))}"
                )

    def _with_derived(self) -> Iterator[Schema]:
        """Give the entities, then those derived from them."""
        yield from self.entities
        for schema in self.entities:
            yield from schema.family.values()

    def assemble(self, items: Sequence[Entity]) -> Assembly[V]:
        """Put items into views, in the order of the roots; lists keep the order of the items."""
        return assemble(self, items)


@cache
def _compiled(shape: Any, via: str | None) -> View[Any]:
    view = _compile(shape, via, ())
    if view is None:
        raise DesignError(f"{shape.__name__} holds no entity: {_EXPECTED}")
    _check_entities(view)
    _check_places(view)
    _check_nested(view)
    return view


# From a class to its view

_EXPECTED = (
    "the fields of a view (a dataclass, a pydantic model or a NamedTuple) are entities or other "
    "views: one, one | None, or a list"
)


def _compile(shape: Any, via: str | None, within: tuple[type, ...]) -> View[Any] | None:
    """Compile a class, or find that it has nothing to do with entities."""
    if shape in within:
        raise DesignError(f"{shape.__name__} holds itself: the levels of a view are written out")
    slots = [(one, _slot(one, via, (*within, shape))) for one in fields_of(shape)]
    filled = tuple(slot for _, slot in slots if slot is not None)
    if not filled:
        return None
    for one, slot in slots:
        if slot is None and one.required:
            raise DesignError(f"{shape.__name__}.{one.name} is no entity: {_EXPECTED}")
    return View(shape, via, filled, _root(shape, filled), _schemas(filled))


def _slot(one: ShapeField, via: str | None, within: tuple[type, ...]) -> Slot | None:
    """Compile a field, or find that it is none of entities."""
    if one.options and all(map(_is_entity, one.options)):
        return Slot(one.name, one.options, None, one.container, one.optional)
    view = _compile(one.options[0], via, within) if len(one.options) == 1 else None
    if view is None:
        return None
    if view.root is None:
        raise DesignError(
            f"{within[-1].__name__}.{one.name}: {view.shape.__name__} has no field that is one "
            "entity, without | None: inside another view, that is what its items belong to"
        )
    return Slot(one.name, (), view, one.container, one.optional)


def _is_entity(option: Any) -> bool:
    return isinstance(option, type) and issubclass(option, Entity) and option is not Entity


def _root(shape: type, slots: tuple[Slot, ...]) -> Slot | None:
    """Find the field that there is one object of the class for each of."""
    single = [slot for slot in slots if slot.container is None and not slot.optional]
    if len(single) > 1:
        names = " and ".join(slot.name for slot in single)
        raise DesignError(
            f"{shape.__name__}: {names} are each one and required, so neither can be the one that "
            "the other items belong to: add | None to all but one"
        )
    return single[0] if single else None


def _schemas(slots: tuple[Slot, ...]) -> tuple[Schema, ...]:
    found: dict[Schema, None] = {}
    for slot in slots:
        found |= dict.fromkeys(entity.__schema__ for entity in slot.entities)
        found |= dict.fromkeys(slot.view.entities if slot.view else ())
    return tuple(found)


# What a view must not be


def _check_entities(view: View[Any]) -> None:
    name, first = view.shape.__name__, view.entities[0]
    for schema in view.entities:
        if not schema.is_whole and not schema.family:
            raise DesignError(
                f"{name}: {schema.name} lacks a part of its key and no entity is derived from it, "
                "so it has no items"
            )
        if schema.table is not first.table:
            raise DesignError(
                f"{name}: {first.name} is in {first.table!r}, {schema.name} in {schema.table!r}; "
                "a view is read from one table"
            )
        here, there = view.keys(schema).index.name, view.keys(first).index.name
        if here != there:
            raise DesignError(
                f"{name}: {view.via!r} is the index {there!r} for {first.name}, but {here!r} for "
                f"{schema.name}; a view is read from one index"
            )


def _check_places(view: View[Any]) -> None:
    """Refuse an entity with two places on a level, and a root with any other place at all."""
    for (one, slot), (other, twin) in combinations(_levels(view), 2):
        for entity in set(slot.entities) & set(twin.entities):
            if one is other or slot is one.root or twin is other.root:
                raise DesignError(
                    f"{one.shape.__name__}.{slot.name} and {other.shape.__name__}.{twin.name} both "
                    f"take {entity.__name__}: an item has one place in a view"
                )


def _levels(view: View[Any]) -> Iterator[tuple[View[Any], Slot]]:
    """Give all the fields of a view and of those nested in it."""
    for slot in view.slots:
        yield view, slot
        if slot.view is not None:
            yield from _levels(slot.view)


def _check_nested(view: View[Any]) -> None:
    """Refuse items of a nested view that cannot say which of several they belong to."""
    for outer, slot in _levels(view):
        if outer.root and slot.view and slot.view.root and slot.container:
            inner = [one for one in slot.view.slots if one is not slot.view.root]
            for parent, root, child in product(_heads(outer.root), _heads(slot), inner):
                for entity in _heads(child):
                    _check_told_apart(slot.view, parent, root, entity)


def _heads(slot: Slot) -> tuple[type[Entity], ...]:
    """Give the entities by which the content of a field is known: its own, or its view's root."""
    return _heads(slot.view.root) if slot.view and slot.view.root else slot.entities


def _check_told_apart(
    view: View[Any], parent: type[Entity], root: type[Entity], entity: type[Entity]
) -> None:
    if not all(one.__schema__.is_whole for one in (parent, root, entity)):
        return
    common = set(parent.__schema__.key_fields)
    own = [name for name in root.__schema__.key_fields if name not in common]
    if own and set(shared_fields(root, entity)) <= common:
        raise DesignError(
            f"{view.shape.__name__}: {entity.__name__} has no field {' or '.join(own)}, so nothing "
            f"says which {root.__name__} it belongs to: give it one, or move it to another level"
        )
