"""Sample items of a design: what its entities look like when they are stored, keys and all.

They are made as the store makes them. A text is its field's name in angle quotes, so it is seen in
which keys it ends up; one name means one value in every entity, so that items of one collection
stand together. The items of an entity differ in the last field of its key and in what sorts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from singletable.errors import DesignError, KeyValueError
from singletable.model.fields import Version
from singletable.model.large import Large
from singletable.model.schema import COPY, Schema
from singletable.model.table import Table
from singletable.store.samples import sample
from singletable.values import Item

VARIANTS = 3
"""How many items there are of an entity, unless its indexes ask for more."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A sample item of an entity, with the values that it was made from."""

    schema: Schema
    values: Mapping[str, Any]
    item: Item


def specimens(table: Table) -> dict[str, tuple[Specimen, ...]]:
    """Make sample items of every entity, by type; no two have the same key."""
    schemas = table.entities.values()
    names = dict.fromkeys(name for schema in schemas for name in schema.fields)
    numbers = {name: number for number, name in enumerate(names, 1)}
    return {schema.type: tuple(_of_entity(schema, numbers)) for schema in schemas}


def _of_entity(schema: Schema, numbers: Mapping[str, int]) -> Iterator[Specimen]:
    cycles = _cycles(schema)
    varied = _varied(schema) | cycles.keys()
    count = max([VARIANTS, *(len(cycle) + 1 for cycle in cycles.values())])
    seen: set[str] = set()
    for variant in range(count):
        values = {
            name: _field_value(name, info, numbers[name], variant if name in varied else 0)
            for name, info in schema.fields.items()
        }
        values |= {name: cycle[variant % len(cycle)] for name, cycle in cycles.items()}
        specimen = _specimen(schema, values, variant)
        key = str([specimen.item[part.attribute] for part in schema.keys.parts])
        if key not in seen:
            seen.add(key)
            yield specimen


def _specimen(schema: Schema, values: dict[str, Any], variant: int) -> Specimen:
    copied: dict[str, Any] = {COPY: 0} if schema.copies else {}
    try:
        return Specimen(schema, values, schema.items.write(values | copied))
    except KeyValueError:  # a number that is too long for the digits that its key has
        small = {
            name: variant for name, value in values.items() if type(value) is int and value > 1
        }
        return Specimen(schema, values | small, schema.items.write(values | small | copied))


def _varied(schema: Schema) -> set[str]:
    """Name the fields in which the items of an entity differ."""
    sorting = {
        field
        for keys in schema.indexes.values()
        for part in keys.sk
        for field in part.fields
        if field not in schema.key_names
        and not isinstance(sample(field, schema.fields[field].annotation), str)
    }
    return {*schema.key_fields[-1:], *sorting}


def _cycles(schema: Schema) -> dict[str, tuple[Any, ...]]:
    """Give the values to go through, of fields that decide whether an item is in an index."""
    cycles: dict[str, tuple[Any, ...]] = {}
    for keys in schema.indexes.values():
        for field, allowed in keys.when:
            known = choices(schema.fields[field].annotation) or (sample(field, str),)
            cycles[field] = tuple(dict.fromkeys((*allowed, *known)))
    return cycles


def choices(annotation: Any) -> tuple[Any, ...]:
    """Give the values of a type that has few; nothing for others."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return choices(get_args(annotation)[0])
    if origin in {Union, UnionType}:
        options = [one for one in get_args(annotation) if one is not NoneType]
        return choices(options[0]) if len(options) == 1 else ()
    if origin is Literal:
        return get_args(annotation)
    if annotation is bool:
        return (True, False)
    return tuple(annotation) if _is_class(annotation, Enum) else ()


def _field_value(name: str, info: FieldInfo, number: int, variant: int) -> Any:
    if isinstance(info.default_factory, Version):
        return 1
    known = choices(info.annotation)
    if known:
        return known[variant % len(known)]
    try:
        return _value(name, info.annotation, number, variant)
    except DesignError:
        if not info.is_required():
            return info.get_default(call_default_factory=True, validated_data={})
        empty = get_origin(info.annotation)
        if empty in {list, set, frozenset, tuple}:
            return empty()
        raise


def _value(name: str, annotation: Any, number: int, variant: int) -> Any:
    for option in _options(annotation):
        if get_origin(option) is Large:
            text = sample(name, str)
            return Large(text if get_args(option)[0] is str else text.encode())
        if _is_class(option, BaseModel):
            return _model(option, number)
        if (get_origin(option) or option) is dict:
            return {}
        if option is Any:
            return sample(name, str)
    return sample(name if not variant else f"{name} {variant + 1}", annotation, number + variant)


def _model(model: type[BaseModel], number: int) -> BaseModel:
    fields = model.model_fields.items()
    return model.model_construct(**{name: _field_value(name, i, number, 0) for name, i in fields})


def _options(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        yield from _options(get_args(annotation)[0])
    elif get_origin(annotation) in {Union, UnionType}:
        for option in get_args(annotation):
            yield from _options(option)
    elif annotation is not NoneType:
        yield annotation


def _is_class(annotation: Any, kind: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kind)
