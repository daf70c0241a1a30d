"""The plans of several actions as one set of writes, each item written once.

A child that is created counts in a parent that the same transaction puts, updates or checks; a
value that one item gives up another one takes: DynamoDB takes one write for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from singletable.errors import UsageError
from singletable.expressions import Condition
from singletable.model.entity import Entity
from singletable.values import Item

from .actions import Plan, Seen
from .counting import childless, counted_in, counted_together
from .effects import Footprint, count_changes, guard_changes
from .writes import Identity, Part, Put, every, identity

WRITES_MAX = 100
"""How many items a transaction writes or checks."""


@dataclass(slots=True)
class Joined:
    """All that some actions do, and whose each write is."""

    plans: Sequence[Plan]
    parts: dict[Identity, Part] = field(default_factory=dict)
    owners: dict[Identity, Plan] = field(default_factory=dict)
    """The plan whose own item a write is to; writes elsewhere have none."""

    @classmethod
    def of(
        cls, plans: Sequence[Plan], seen: Seen, left_out: Mapping[Identity, Item | None]
    ) -> Joined:
        """Join plans with what follows from them elsewhere, but for what cannot be done there."""
        joined = cls(plans)
        before = Footprint.of(plan.before for plan in plans)
        after = Footprint.of(plan.after for plan in plans)
        for plan in plans:
            joined._enter(plan, *_with_children(plan, before, after))
        for part in guard_changes(before, after, seen.at):
            joined._add(_possible(part, left_out))
        for part in count_changes(before, after, seen.at):
            joined._count(_possible(part, left_out))
        for write in seen.numbers.writes():
            joined._add(Part(write, identity(write.key), lambda _: None))
        joined._check_number()
        return joined

    def results(self) -> Iterator[Entity | None]:
        """Give each action's item as it is now, as far as it is known without reading it."""
        for plan in self.plans:
            yield self._result(plan)

    def _result(self, plan: Plan) -> Entity | None:
        entity = plan.after
        write = self.parts[identity(plan.writes[0].key)].write if plan.writes else None
        if entity is None or not isinstance(write, Put):
            return entity
        schema = entity.__schema__
        counted = schema.items.read(write.item).__dict__ if schema.counts else {}
        update = {name: counted[name] for name in schema.counts}
        return entity.model_copy(update=update) if update else entity

    def _enter(self, plan: Plan, *conditions: Condition) -> None:
        for planned in plan.writes:
            name = identity(planned.key)
            self._own(name, plan)
            condition = every(planned.condition, *conditions)
            write = replace(planned, condition=condition) if conditions else planned
            self.parts[name] = Part(write, name, plan.failure)
        if not plan.writes:
            self._own(identity(plan.action.key), plan)

    def _own(self, name: Identity, plan: Plan) -> None:
        other = self.owners.setdefault(name, plan)
        if other is not plan:
            raise UsageError(
                f"{other.action} and {plan.action} write the same item, which a transaction can do "
                "once: join them, or use two transactions"
            )

    def _add(self, part: Part) -> None:
        self.parts[identity(part.write.key)] = part

    def _count(self, part: Part) -> None:
        name = identity(part.write.key)
        if name not in self.parts:
            self._add(part)
        elif name in self.owners:
            self.parts[name] = counted_in(self.parts[name], part)
        else:
            self.parts[name] = counted_together(self.parts[name], part)

    def _check_number(self) -> None:
        if len(self.parts) > WRITES_MAX:
            own = len(self.owners)
            raise UsageError(
                f"A transaction has {WRITES_MAX} writes at most, and this one {len(self.parts)}: "
                f"{own} to the items of its {len(self.plans)} actions, {len(self.parts) - own} "
                "to unique values, counts and sequences that change with them. Split it."
            )


def _with_children(plan: Plan, before: Footprint, after: Footprint) -> Iterator[Condition]:
    """Give what must hold for an item that goes to leave no child behind that it counts."""
    parent = identity(plan.action.key) if plan.counts else ()
    for count, name in plan.counts:
        going = before.counts[parent, count] - after.counts[parent, count]
        yield childless(plan.action.schema, name, going, plan.at)


def _possible(part: Part, left_out: Mapping[Identity, Item | None]) -> Part:
    """Give a part, or, where it could not be done, what can be."""
    name = identity(part.write.key)
    return part.possible(left_out[name]) if name in left_out else part
