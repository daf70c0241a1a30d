"""R107: a list for everybody shows items in every state."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, reads_of
from singletable.check.finding import Finding
from singletable.check.owners import is_public
from singletable.check.rule import Rule
from singletable.check.states import unfinished_states
from singletable.model.conditions import Condition
from singletable.model.keys import Keys
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class R107(Rule):
    """A list that is nobody's own shows items in every state, unfinished ones included.

    The partition key of the index names no user, tenant or parent, so everybody reads the same
    list; the entity has a state, and an item begins in a state such as DRAFT; but nothing in the
    index's key, in its `when` or in the pattern chooses states. So the public list shows drafts.

    Say which items are in the index, with `when={"status": "PUBLISHED"}`, or put the state into
    the partition key. Items enter and leave the index as their state changes.
    """

    name = "unfinished-in-public-list"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find public lists of entities with a state that nothing looks at."""
        for trace in design.planned:
            if not isinstance(trace.read, Query) or trace.read.comparison is not None:
                continue
            filtered = _fields(trace.read.condition)
            for schema, keys in reads_of(trace):
                if not is_public(keys):
                    continue
                looked_at = {*keys.fields, *(field for field, _ in keys.when), *filtered}
                states = unfinished_states(schema)
                if states and not looked_at & set(states):
                    yield self._of(trace, schema, keys, states)

    def _of(self, trace: Trace, schema: Schema, keys: Keys, states: dict[str, object]) -> Finding:
        begins = " and ".join(f"{field}={first!r}" for field, first in states.items())
        return self.finding(
            f"{trace.pattern.name}() is a list for everybody and holds {schema.name} in every "
            f"state: also with {begins}",
            f"declare the index with when={{{next(iter(states))!r}: …}}, naming the states that "
            "everybody may see",
            trace=trace,
            schema=schema,
            keys=keys,
            template=next(iter(keys.templates), None),
        )


def _fields(condition: Condition | None) -> frozenset[str]:
    return frozenset() if condition is None else condition.fields
