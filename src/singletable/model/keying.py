"""The keys of an entity, compiled from its templates and checked against the table's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from singletable.errors import DesignError

from .declaring import check_primary
from .indexes import Index
from .keys import KeyAttribute, Keys, TemplateKey, field_key
from .templates import Template

if TYPE_CHECKING:
    from .schema import Schema


def primary_keys(schema: Schema, pk: str | None, sk: str | None) -> Keys:
    """Compile the keys of the table; a base may lack a part."""
    primary = schema.table.primary
    if sk is not None and not primary.sk:
        raise DesignError(f"{schema.name}: table {schema.table.name!r} has no sort key")
    pk_part = () if pk is None else (TemplateKey(primary.pk[0], _primary(schema, pk, "pk")),)
    sk_part = () if sk is None else (TemplateKey(primary.sk[0], _primary(schema, sk, "sk")),)
    return Keys(primary, pk_part, sk_part)


def _primary(schema: Schema, text: str, side: str) -> Template:
    template = schema.template(text, side)
    check_primary(template, schema.fields, schema.table.delimiter)
    return template


def index_keys(schema: Schema) -> dict[str, Keys]:
    """Compile the keys of each index, by the name of its declaration."""
    labels: dict[str, str] = {}
    keys = {}
    for label, index in _declared_indexes(schema.entity):
        if other := labels.get(index.name):
            raise DesignError(
                f"{schema.name}.{label} and {schema.name}.{other} both fill {index.name!r}: an "
                "item has one place in an index"
            )
        labels[index.name] = label
        keys[label] = _keys_in(schema, label, index)
    return keys


def _keys_in(schema: Schema, label: str, declared: Index) -> Keys:
    index = schema.table.index(declared.name)
    for field, _ in declared.when:
        schema.check_field(field, f"{schema.name}.{label}: when")
    pk = schema.keys.pk if index.local else _parts(schema, label, "pk", index.pk, declared.pk)
    keys = Keys(index, pk, _parts(schema, label, "sk", index.sk, declared.sk), declared.when)
    if index.local and declared.pk is not None:
        raise DesignError(
            f"{schema.name}.{label}: {index.name!r} is a local index, its partition key is the "
            "table's: leave out pk"
        )
    if declared.when and not any(when for _, when in keys.made):
        raise DesignError(
            f"{schema.name}.{label}: when needs a key that a template makes, and is left out; "
            f"{index.name!r} holds every item that has {', '.join(index.attributes)}"
        )
    return keys


def _parts(
    schema: Schema,
    label: str,
    side: str,
    attributes: tuple[str, ...],
    declared: str | Sequence[str] | None,
) -> tuple[KeyAttribute, ...]:
    owner = f"{label}.{side}"
    for part in schema.keys.parts:
        if attributes == (part.attribute,) and isinstance(part, TemplateKey):
            return (_primary_part(schema, part, declared, owner),)
    if isinstance(declared, str) and len(attributes) == 1:
        return (TemplateKey(attributes[0], schema.template(declared, owner)),)
    fields = () if declared is None or isinstance(declared, str) else tuple(declared)
    named = tuple(schema.attribute(field) for field in fields)
    if isinstance(declared, str) or named != attributes:
        raise DesignError(
            f"{schema.name}.{owner}: the index has the key attributes {list(attributes)}, but "
            f"{declared!r} gives {list(named) if fields else 'one text or none'}"
        )
    try:
        pairs = zip(named, fields, strict=True)
        return tuple(field_key(name, field, schema.fields[field]) for name, field in pairs)
    except DesignError as fault:
        raise DesignError(f"{schema.name}.{owner}: {fault}") from None


def _primary_part(
    schema: Schema, part: TemplateKey, declared: str | Sequence[str] | None, owner: str
) -> TemplateKey:
    """Give the part of the primary key that an index has as its own: an inverted index."""
    if declared is not None and declared != str(part.template):
        raise DesignError(
            f"{schema.name}.{owner}: {part.attribute} is a key of the table and holds "
            f"{str(part.template)!r}, so it cannot hold {declared!r}: leave {owner} out"
        )
    return part


def _declared_indexes(entity: type) -> Iterator[tuple[str, Index]]:
    """Give the indexes of an entity and its bases, the bases' first."""
    found: dict[str, Index] = {}
    for base in reversed(entity.__mro__):
        found |= {label: one for label, one in vars(base).items() if isinstance(one, Index)}
    yield from found.items()
