"""R107: a list for everybody shows items in every state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from singletable.check.design import Design, reads_of
from singletable.check.finding import Finding
from singletable.check.owners import is_public
from singletable.check.reach import is_constant
from singletable.check.rule import Rule
from singletable.check.states import FLAG, choices
from singletable.model.keys import Keys
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace

Values = tuple[Any, ...]


class R107(Rule):
    """A list that is nobody's own shows items in every state, also those kept out of another.

    The partition key of an index names no user, tenant or parent, so everybody reads the same
    list. One such list chooses among the values of a field, by `when`, by a constant in its key:
    the design itself says that some items are not for everybody. Another such list of the same
    items looks at that field nowhere, and shows them: drafts, say.

    Where no list chooses, nothing proves that some items should be hidden. If the items have a
    field with a few values, such as a status, and no list looks at it, that is a note.

    Say which items are in the index, with `when={"status": "PUBLISHED"}`, or put the state into
    the partition key. Items enter and leave the index as their state changes.
    """

    name = "unfinished-in-public-list"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find public lists of entities with a choice that nothing looks at."""
        lists = list(_public_lists(design))
        for trace, schema, keys in lists:
            options, looked_at = choices(schema), _looked_at(trace, keys)
            alike = [(one, theirs) for one, other, theirs in lists if other is schema]
            hidden = {
                name: kept
                for name, several in options.items()
                if name not in looked_at and (kept := _kept_out(name, several, alike))
            }
            if hidden:
                yield self._proved(trace, schema, keys, hidden)
            elif not looked_at & set(options):
                yield from self._noted(trace, schema, keys, options)

    def _proved(
        self, trace: Trace, schema: Schema, keys: Keys, hidden: Mapping[str, Values]
    ) -> Finding:
        return self.finding(
            f"{trace.pattern.name}() is a list for everybody and shows {schema.name} with "
            f"{_shown(hidden)} too, which other lists for everybody keep out",
            f"declare the index with when={{{next(iter(hidden))!r}: …}}, as there",
            trace=trace,
            schema=schema,
            keys=keys,
            template=next(iter(keys.templates), None),
        )

    def _noted(
        self, trace: Trace, schema: Schema, keys: Keys, options: Mapping[str, Values]
    ) -> Iterator[Finding]:
        # What is true or false may be anything; one of several names is more often a state.
        states = {name: values for name, values in options.items() if values != FLAG}
        if not states:
            return
        yield self.finding(
            f"{trace.pattern.name}() is a list for everybody and holds {schema.name} in every "
            f"state: with {_shown(states)}",
            f"if not everybody may see all of them, declare the index with when={{…}}, naming the "
            f"values of {' or '.join(states)} to show",
            trace=trace,
            schema=schema,
            keys=keys,
            template=next(iter(keys.templates), None),
            severity="note",
        )


def _public_lists(design: Design) -> Iterator[tuple[Trace, Schema, Keys]]:
    for trace in design.planned:
        if isinstance(trace.read, Query) and trace.read.comparison is None:
            for schema, keys in reads_of(trace):
                if is_public(keys):
                    yield trace, schema, keys


def _looked_at(trace: Trace, keys: Keys) -> set[str]:
    condition = getattr(trace.read, "condition", None)
    filtered = condition.fields if condition is not None else ()
    return {*keys.fields, *(field for field, _ in keys.when), *filtered}


def _kept_out(name: str, options: Values, lists: list[tuple[Trace, Keys]]) -> Values:
    """Give the values that the lists which choose among them leave out, all of them."""
    chosen = [found for trace, keys in lists if (found := _chosen(name, options, trace, keys))]
    seen = {value for values in chosen for value in values}
    return tuple(value for value in options if chosen and value not in seen)


def _chosen(name: str, options: Values, trace: Trace, keys: Keys) -> Values:
    """Give the values among which a list chooses its items, or its caller; none if it does not."""
    if name in trace.known:
        known = trace.known[name]
        return (known,) if is_constant(known, trace) else options
    return dict(keys.when).get(name, ())


def _shown(fields: Mapping[str, Values]) -> str:
    return " and ".join(
        f"{name}={' or '.join(map(repr, values))}" for name, values in fields.items()
    )
