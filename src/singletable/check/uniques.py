"""Which entity and fields hold what the source of the data kept unique, and whether they keep it.

Tables and columns are matched with entities and fields by name, whatever the case and number:
``user_accounts.emailAddress`` is ``UserAccount.email_address``, ``users.id`` is ``User.user_id``.
What has no counterpart is told as well, so that nothing is taken for kept that was not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.model.schema import Schema

from .design import Design, own_ids

_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ss", "ss"),
)


def holders(design: Design, table: str) -> list[Schema]:
    """Give the entities that are named like a table."""
    wanted = _alike(table.rpartition(".")[2])
    return [one for one in design.schemas if wanted in map(_alike, (*one.kinds, one.type))]


def fields_for(schema: Schema, columns: tuple[str, ...]) -> list[str | None]:
    """Name the field that holds each column; None where no field is named like it."""
    named = {_plain(name): field for field, name in schema.attributes.items()}
    named |= {_plain(field): field for field in schema.fields}
    own = next(
        (named[name] for kind in schema.kinds if (name := _plain(f"{kind}_id")) in named), None
    )
    return [named.get(_plain(column), own if column == "id" else None) for column in columns]


def is_kept(schema: Schema, fields: frozenset[str]) -> bool:
    """Tell whether no two items can be alike in these fields."""
    return any(unique <= fields for unique in _kept(schema))


def _kept(schema: Schema) -> Iterator[frozenset[str]]:
    """Give the sets of fields in which no two items are alike."""
    yield schema.key_names
    yield from (frozenset({name}) for name in own_ids(schema))
    scopes = {name: one.within for name, one in schema.unique.items()}
    scopes |= {name: one.within for name, one in schema.sequences.items()}
    for name, scope in scopes.items():
        within = schema.template(scope, f"{name}.within").fields if scope else ()
        yield frozenset({name, *within})


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _alike(name: str) -> str:
    """Give a name in the singular, as far as its ending tells."""
    plain = _plain(name)
    for ending, singular in _ENDINGS:
        if plain.endswith(ending):
            return plain.removesuffix(ending) + singular
    return plain.removesuffix("s")
