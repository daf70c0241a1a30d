"""K205: a primary key is made of what changes."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding, Severity
from singletable.check.rule import Rule
from singletable.check.states import state_fields
from singletable.model.fields import Aggregate, Expires, Updated, Version
from singletable.model.schema import Schema

KEPT = (Updated, Version, Aggregate, Expires)


class K205(Rule):
    """A field of the primary key changes during the life of its item.

    A primary key cannot be changed: the item has to be deleted and written anew, in a transaction,
    and whoever still has the old key, in a link or in another item, finds nothing. A field that the
    store itself keeps (`updated()`, `version()`, a count) changes with every write.

    Make the primary key of what never changes, and put what changes into the key of an index, which
    follows it.
    """

    name = "mutable-key"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find primary keys with fields that the store changes, or that are copies or states."""
        for schema in design.schemas:
            for field, (why, severity) in _changing(schema).items():
                yield self.finding(
                    f"the primary key of {schema.name} holds {field}, {why}: the key of an item "
                    "cannot change, so the item must be deleted and written anew",
                    f"take {field} out of the primary key, and declare an Index that has it",
                    schema=schema,
                    keys=schema.keys,
                    template=next(one for one in schema.keys.templates if field in one.fields),
                    severity=severity,
                )


def _changing(schema: Schema) -> dict[str, tuple[str, Severity]]:
    kept = dict.fromkeys(schema.filled_by(*KEPT), "which changes with its items")
    copied = {
        name: f"a copy of {one.source.__name__}.{one.field}" for name, one in schema.copied.items()
    }
    states = {name: f"which is {one!r} at first" for name, one in state_fields(schema).items()}
    found: dict[str, tuple[str, Severity]] = {
        **{name: (why, "warning") for name, why in states.items()},
        **{name: (why, "error") for name, why in {**copied, **kept}.items()},
    }
    return {name: one for name, one in found.items() if name in schema.key_names}
