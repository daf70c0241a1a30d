"""What the writes of an entity consume: its item, its index entries, and what is kept true.

A write is an image before and one after. From these follow the units of the table and of each
index, and, as in the store itself, what changes elsewhere: guards of unique values, counts,
sequences. With those a write is a transaction, which costs twice as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from singletable.engine.capacity import read_units
from singletable.model.entity import Entity
from singletable.model.keys import Keys
from singletable.model.schema import Schema
from singletable.store.writing.actions import Action
from singletable.store.writing.counting import Parent
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.drafting import KEPT
from singletable.store.writing.effects import Footprint, rules_of
from singletable.store.writing.numbering import TYPE as SEQUENCE
from singletable.store.writing.numbering import VALUE, counter_key
from singletable.store.writing.stored import copies_of
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating
from singletable.store.writing.writes import Identity, Put, identity
from singletable.values import item_size

from .contents import Content, contents_of
from .figures import Figures
from .fillers import LATER, MOMENT, NUMBER, Filler
from .images import GONE, Image, Units, image_units, size_of
from .specimens import Specimen, pointer, written

TURNS: tuple[Literal[0, 1], ...] = (1, 0)


@dataclass(frozen=True, slots=True)
class WriteCost:
    """What one write consumes."""

    name: str
    """Such as ``create``, ``update`` or ``update of status``."""
    items: int
    """How many items are written."""
    transactional: bool
    table: float
    indexes: Mapping[str, float]
    read_units: float = 0.0
    """What has to be read first."""
    parts: int = 0
    """How many items with parts of large content are written or deleted besides."""

    @property
    def units(self) -> float:
        """Give the write units of the table and all indexes."""
        return self.table + sum(self.indexes.values())


def write_costs(schema: Schema, figures: Figures) -> tuple[WriteCost, ...]:
    """Give what creating, updating and deleting an item of an entity costs."""
    return tuple(_Writes(schema, figures).costs())


class _Writes:
    """Makes the writes of one entity's specimen."""

    def __init__(self, schema: Schema, figures: Figures) -> None:
        self.schema = schema
        self.figures = figures
        self.specimen = figures.specimen(schema)
        self.values = dict(self.specimen.values)
        self.entity = _entity(schema, self.values)
        self.contents = contents_of(self.specimen)

    def costs(self) -> Iterator[WriteCost]:
        """Give the cost of each kind of write."""
        unnumbered = _entity(self.schema, self.values | dict.fromkeys(self.schema.sequences, 0))
        create = self._cost("create", Creating(unnumbered), None, self.entity)
        yield _with_contents(create, self.contents)
        plain, keyed = changeable(self.schema)
        for name in ([plain] if plain else []) + keyed:
            changes = self.changes(name)
            if not changes:
                continue
            after = _entity(self.schema, self.values | changes | self._filled())
            label = "update" if name == plain else f"update of {name}"
            yield self._cost(label, Updating(self.entity, changes=changes), self.entity, after)
        yield from map(self._replaced, self.contents)
        delete = self._cost("delete", Deleting(self.entity), self.entity, None)
        yield _with_contents(delete, self.contents)

    def _replaced(self, content: Content) -> WriteCost:
        """Give the cost of other content: it is stored, pointed at, and the old one deleted."""
        name = content.field
        other = pointer(self.schema, self.values, name, content.size_bytes, digit="1")
        after = _entity(self.schema, self.values | {name: other} | self._filled())
        action = Updating(self.entity, changes={name: other})
        cost = self._cost(f"update of {name}", action, self.entity, after)
        return _with_contents(cost, (content, content))

    def changes(self, name: str) -> dict[str, Any]:
        """Give a field another value of about the same size, if it can have one."""
        assumed, info = self.figures.assumptions, self.schema.fields[name]
        fillers = (Filler(assumed.text_bytes, assumed.elements, turn) for turn in TURNS)
        others = (filler.field(info) for filler in fillers)
        return next(({name: one} for one in others if one != self.values[name]), {})

    def _filled(self) -> dict[str, Any]:
        filled: dict[str, Any] = dict.fromkeys(self.schema.updated_fields, LATER)
        if self.schema.version_field:
            filled[self.schema.version_field] = self.values[self.schema.version_field] + 1
        return filled

    def _cost(
        self, name: str, action: Action[Any], before: Entity | None, after: Entity | None
    ) -> WriteCost:
        there, then = self.images(before), self.images(after)
        counted = dict(self._counted(before, after))
        there |= {name: one for name, (one, _) in counted.items()}
        then |= {name: one for name, (_, one) in counted.items()}
        written = [one for one in there | then if there.get(one, GONE)[0] != then.get(one, GONE)[0]]
        units = _sum(self._units(there.get(one, GONE), then.get(one, GONE)) for one in written)
        factor = 2 if len(written) > 1 else 1
        return WriteCost(
            name,
            items=len(written),
            transactional=factor > 1,
            table=units.pop(None) * factor,
            indexes={
                index: units[index] * factor
                for index in self.schema.table.indexes
                if index in units
            },
            read_units=sum(_read(there.get(identity(key), GONE)) for key in action.reads()),
        )

    def _units(self, before: Image, after: Image) -> Units:
        return image_units(self.schema.table, before[0], after[0], before[1] or after[1])

    def images(self, entity: Entity | None) -> dict[Identity, Image]:
        """Give the items that an entity is, and those that guard its unique values."""
        images: dict[Identity, Image] = {}
        for values in copies_of(self.schema, entity.__dict__) if entity else ():
            images |= _image(self.schema, values, self.specimen)
        for [guard] in Footprint.of([entity]).guards.values():
            write = guard.taken(MOMENT, []).write
            assert isinstance(write, Put)
            images[identity(guard.key)] = (write.item, None)
        return images

    def _counted(
        self, before: Entity | None, after: Entity | None
    ) -> Iterator[tuple[Identity, tuple[Image, Image]]]:
        """Give the items whose numbers change: parents with counts, and counters of sequences."""
        for field in self.schema.sequences if before is None else ():
            key = counter_key(self.schema, field, self.values)
            kind = {self.schema.table.type_attribute: {"S": SEQUENCE}}
            one, two = ({**key, **kind, VALUE: {"N": str(NUMBER + more)}} for more in (0, 1))
            yield identity(key), ((one, None), (two, None))
        was, is_ = Footprint.of([before]), Footprint.of([after])
        fields: dict[Identity, tuple[Parent, list[str]]] = {}
        for counted, parent in (was.parents | is_.parents).items():
            if was.counts[counted] != is_.counts[counted]:
                fields.setdefault(counted[0], (parent, []))[1].append(counted[1])
        for parent, names in fields.values():
            yield from self._parents(parent, names)

    def _parents(
        self, parent: Parent, names: list[str]
    ) -> Iterator[tuple[Identity, tuple[Image, Image]]]:
        schema = parent.rule.parent
        like = self.figures.specimen(schema)
        for values in copies_of(schema, {**like.values, **parent.values}):
            more = {name: values[name] + 1 for name in names}
            one, two = (_image(schema, each, like) for each in (values, {**values, **more}))
            yield from ((name, (one[name], two[name])) for name in one)


def _with_contents(cost: WriteCost, contents: Iterable[Content]) -> WriteCost:
    """Add the parts of contents that are stored or deleted."""
    contents = tuple(contents)
    units = sum(one.write_units for one in contents)
    parts = sum(len(one.parts) for one in contents)
    return replace(cost, table=cost.table + units, parts=parts)


def _image(schema: Schema, values: Mapping[str, Any], like: Specimen) -> dict[Identity, Image]:
    item = written(schema, values)
    return {identity({name: item[name] for name in schema.table.primary.attributes}): (item, like)}


def _read(image: Image) -> float:
    item, like = image
    return read_units(size_of(item, like) if item else 0, consistent=True)


def guard_sizes(schema: Schema, figures: Figures) -> tuple[int, ...]:
    """Give the sizes of the items that guard the unique values of one item."""
    writes = _Writes(schema, figures)
    images = writes.images(writes.entity).values()
    return tuple(item_size(item) for item, like in images if item and like is None)


def changeable(schema: Schema) -> tuple[str | None, list[str]]:
    """Name a field whose change touches no key and nothing elsewhere, and all whose change does."""
    free = [
        name
        for name, info in schema.fields.items()
        if name not in schema.key_fields
        and name not in schema.large
        and not isinstance(info.default_factory, KEPT)
    ]
    touching = {name for keys in schema.indexes.values() for name in _touched(keys)}
    touching |= rules_of(schema).fields
    plain = next((name for name in free if name not in touching), None)
    return plain, [name for name in free if name in touching]


def _touched(keys: Keys) -> Iterable[str]:
    return (*keys.fields, *(name for name, _ in keys.when))


def _entity(schema: Schema, values: Mapping[str, Any]) -> Entity:
    """Make an entity of values that nobody checks."""
    known = {name: values[name] for name in schema.fields}
    made = schema.entity.model_construct(**known)  # which then fills in nothing
    made.__dict__.update(known)
    return made


def _sum(units: Iterable[Units]) -> Units:
    total: Units = {None: 0.0}
    for one in units:
        for name, number in one.items():
            total[name] = total.get(name, 0.0) + number
    return total
