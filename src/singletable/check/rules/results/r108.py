"""R108: a partition of an index is shared by owners who do not know of each other."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, reads_of
from singletable.check.finding import Finding
from singletable.check.owners import scopes_left
from singletable.check.rule import Rule
from singletable.model.keys import Keys
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class R108(Rule):
    """An index is keyed by an id that is only unique within a tenant, without the tenant.

    In the table, `TENANT#{tenant_id}` stands before every key, so the ids behind it need only be
    unique within the tenant. An index whose partition key is `SURVEY#{survey_id}` alone puts two
    tenants' surveys of the same id into one partition: each sees the other's items. A store that
    is confined to its tenant refuses the pattern.

    Put the tenant's id into the partition key of the index: `TENANT#{tenant_id}#SURVEY#{…}`.
    """

    name = "unscoped-partition"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find indexes keyed by an id within a scope, and read without that scope."""
        for trace in design.planned:
            for schema, keys in reads_of(trace):
                for scope, ids in scopes_left(design, trace, schema, keys):
                    if ids:
                        yield self._of(trace, schema, keys, scope, ids)

    def _of(self, trace: Trace, schema: Schema, keys: Keys, scope: str, ids: list[str]) -> Finding:
        named = ", ".join(ids)
        return self.finding(
            f"{trace.pattern.name}() finds {schema.name} by {named} alone, which is unique only "
            f"within {scope}: with the same {named} in two, each gets the other's items",
            f"begin the partition key of {keys.index.name} with {{{scope}}}, and let the pattern "
            "know it",
            trace=trace,
            schema=schema,
            keys=keys,
            template=next(iter(keys.templates), None),
        )
