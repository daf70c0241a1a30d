"""R102: a pattern also reads items of other entities."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, templates_of
from singletable.check.finding import Finding
from singletable.check.reach import reach_of
from singletable.check.rule import Rule
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class R102(Rule):
    """A query also reads the items of other entities, which lie between those it asks for.

    `begins_with(SK, "CAMPAIGN#")` finds campaigns, and everything else whose key begins so. A
    client that trusts the answer shows sessions in the list of campaigns. This library tells the
    items apart by their type and leaves the others out, but they were read and paid for, and they
    count for the page: a page of 20 may have nothing on it.

    Give each entity of a partition its own first word in the sort key, so that no prefix of one is
    a prefix of another; or read the list from an index that holds this entity alone. Where the
    others are wanted, ask for them: with a view and `collect()`, or with their common base.
    """

    name = "foreign-items"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find the patterns whose keys can be those of entities they do not ask for."""
        for trace in design.planned:
            reach = reach_of(trace)
            if reach is None:
                continue
            met = {
                schema: f"the key {at!r} of {schema.name} is among its keys"
                for schema, keys in design.keys_in(reach.index.name)
                if schema not in trace.entities and (at := reach.touches(keys)) is not None
            }
            met |= {
                schema: f"{schema.name} has all attributes of the index's key, so it is there too"
                for schema in design.strays(reach.index)
                if schema not in trace.entities
            }
            if met:
                yield self._of(trace, met)

    def _of(self, trace: Trace, met: dict[Schema, str]) -> Finding:
        schema, keys = trace.reads[0]
        others = ", ".join(one.name for one in met)
        asked = ", ".join(one.name for one in trace.entities)
        return self.finding(
            f"{trace.pattern.name}() asks for {asked} and also reads {others}: "
            f"{next(iter(met.values()))}. Wrong items in the answer, or pages that are paid for "
            "and come back short",
            f"begin the sort key of {others} with a word of its own, or put {schema.name} into an "
            "index whose keys are made for it alone",
            trace=trace,
            schema=schema,
            keys=keys,
            template=next(iter(templates_of(keys.sk)), None),
        )
