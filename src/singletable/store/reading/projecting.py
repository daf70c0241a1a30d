"""From smaller shapes of an entity to projections: which attributes a read asks for.

Beside the fields of a shape that is what it takes to read them: the type, the expiry, the keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from singletable.errors import UsageError
from singletable.model.fields import Attribute
from singletable.model.keys import Keys
from singletable.model.projections import projected_fields
from singletable.model.schema import Schema


def key_attributes(keys: Keys, schema: Schema) -> tuple[str, ...]:
    """Name what says where an item is: the keys of the index and of the table."""
    return tuple(dict.fromkeys((*keys.index.attributes, *schema.table.primary.attributes)))


def whole(schema: Schema, keys: Keys) -> dict[str, Any]:
    """Have whole items given; refuse an index that holds them in part.

    Defaults would stand for what it lacks, and be written back in place of the truth. Of a local
    index DynamoDB fetches the rest from the table, at a price.
    """
    held = held_by(keys, schema)
    if held is None:
        is_partial = keys.index.local and keys.index.projection != "ALL"
        return {"Select": "ALL_ATTRIBUTES"} if is_partial else {}
    family = schema.family.values()
    lacking = {name for one in family for name in one.attributes.values()} - held
    if lacking:
        raise UsageError(
            f"The index {keys.index.name!r} does not hold {', '.join(sorted(lacking))} of "
            f"{schema.name}: read a part with only(), or the items themselves with "
            f"fetch({schema.name})"
        )
    return {}


def projection(schema: Schema, shape: type, keys: Keys) -> tuple[dict[str, Any], dict[str, str]]:
    """Give the projection of a shape, and the names that it uses.

    There is none where an older item may have to be upgraded first: that takes all of it.
    """
    fields = projected_fields(shape, schema)
    family = (schema, *schema.family.values())
    if any(one.items.upgrades for one in family):
        return whole(schema, keys), {}
    table = schema.table
    wanted = [name for one in family for field in fields for name in _attributes(one, field)]
    _check_projected(schema, shape, keys, fields)
    more = (table.type_attribute, table.ttl, *key_attributes(keys, schema))
    needed = dict.fromkeys((*wanted, *more))
    held = held_by(keys, schema)
    kept = [name for name in needed if held is None or name in held]
    names = {f"#p{at}": attribute for at, attribute in enumerate(kept)}
    return {"ProjectionExpression": ", ".join(names)}, names


def _attributes(schema: Schema, field: str) -> tuple[str, ...]:
    """Name the attribute of a field, and those under which it is still read."""
    marker = schema.marked(Attribute).get(field)
    return (schema.attribute(field), *(marker.older if marker else ()))


def held_by(keys: Keys, schema: Schema) -> set[str] | None:
    """Name the attributes that a global index holds; None for all. It gives no others."""
    index = keys.index
    if index.name is None or index.local or index.projection == "ALL":
        return None
    included = () if isinstance(index.projection, str) else index.projection
    return {*key_attributes(keys, schema), *included}


def _check_projected(schema: Schema, shape: type, keys: Keys, fields: Iterable[str]) -> None:
    held = held_by(keys, schema)
    lacking = [name for name in fields if held is not None and schema.attribute(name) not in held]
    if lacking:
        raise UsageError(
            f"{shape.__name__} has {', '.join(lacking)}, which the index {keys.index.name!r} does "
            "not hold: add the attributes to its projection, or fetch() the items themselves"
        )
