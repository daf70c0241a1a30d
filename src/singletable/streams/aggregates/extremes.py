"""The least and the greatest: how they are compared, and found anew when the one that held it goes.

To look for one takes a query of all items that belong together, so they must have a key whose
partition tells them. Where its sort key is in the order of the value, the first item is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from singletable.errors import DesignError
from singletable.model.aggregates import AggregateRule
from singletable.model.entity import Entity
from singletable.model.fields import MaxOf
from singletable.model.reads import Get, Key
from singletable.model.schema import Schema
from singletable.store.store import Store
from singletable.streams.finding import Finder, finders

PAGE = 10
"""How many items are read at a time where the first is likely to be the one."""

Owner = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """One entity whose items an extreme is of, and the way to find them."""

    rule: AggregateRule
    finder: Finder

    @classmethod
    def of(cls, rule: AggregateRule) -> Source:
        """Choose the best key: one in the right order, and one that is never out of date."""
        mine = [name for _, name in rule.pairs]
        days = [own for name, own in rule.pairs if name in rule.convert]
        field = rule.declared.field
        found = finders(rule.child, mine, days=days, when=rule.when, by=field)
        best = min(found, key=lambda one: (one.rising is None, not one.is_strong), default=None)
        if best is None or any(":" in place for _, place in rule.declared.match):
            raise DesignError(
                f"{rule.label}: when the {rule.child.name} goes that has it, the next is looked "
                f"for among those with the same {', '.join(mine)}, which no key of "
                f"{rule.child.name} finds: give it an index, Index(…, pk=…{{{mine[0]}}}…, "
                f'sk="{{{field}}}…")'
            )
        return cls(rule, best)

    def values(self, store: Store, owner: Owner, *, greatest: bool) -> Iterator[Any]:
        """Give values among which the extreme is; each is true as of now."""
        known = {mine: owner[name] for name, mine in self.rule.pairs}
        query = store.bind(self.finder.query(known))
        rising = self.finder.rising
        if rising is None:
            found = [one for one in query if self._value(one, owner) is not None]
            found.sort(key=lambda one: self._rank(self._value(one, owner)))
            entities: Iterable[Entity] = reversed(found) if greatest else found
        else:
            query = query.but(page_size=PAGE)
            entities = query.descending() if greatest == rising else query
        for entity in entities:
            value = self._true(store, entity, owner)
            if value is not None:
                yield value
                return

    def _value(self, entity: Entity, owner: Owner) -> Any:
        values = entity.__dict__
        return values[self.rule.declared.field] if self.rule.owner(values) == owner else None

    def _rank(self, value: Any) -> Any:
        return rank(self.rule.parent, self.rule.field, value)

    def _true(self, store: Store, entity: Entity, owner: Owner) -> Any:
        """Give the value of an item, read again where an index may be behind."""
        if self.finder.is_strong:
            return self._value(entity, owner)
        schema = entity.__schema__
        key: Key[Any] = Key(schema, {name: entity.__dict__[name] for name in schema.key_fields})
        fresh: Entity | None = store.bind(Get[Any].of(key=key, consistent=True)).first()
        return None if fresh is None else self._value(fresh, owner)


@dataclass(frozen=True, slots=True)
class Extreme:
    """Compares the values of one aggregate, and finds the one that it should have."""

    schema: Schema
    field: str
    sources: tuple[Source, ...]

    @property
    def greatest(self) -> bool:
        """Tell whether it is the greatest value, and not the least."""
        return isinstance(self.schema.aggregates[self.field], MaxOf)

    @property
    def is_sure(self) -> bool:
        """Tell whether what is found is never out of date."""
        return all(source.finder.is_strong for source in self.sources)

    def better(self, one: Any, other: Any) -> bool:
        """Tell whether a value goes before another; any goes before None."""
        if one is None or other is None:
            return other is None and one is not None
        first, second = self._rank(one), self._rank(other)
        return bool(first > second if self.greatest else first < second)

    def best(self, values: Iterable[Any]) -> Any:
        """Give the value that goes before all others; None where there are none."""
        best: Any = None
        for value in values:
            best = value if self.better(value, best) else best
        return best

    def found(self, store: Store, owner: Owner) -> Any:
        """Look for the extreme among the items that are there."""
        return self.best(
            value
            for source in self.sources
            for value in source.values(store, owner, greatest=self.greatest)
        )

    def _rank(self, value: Any) -> Any:
        return rank(self.schema, self.field, value)


def rank(schema: Schema, field: str, value: Any) -> Any:
    """Give what a value is compared by: the number or text that is stored for it."""
    stored = schema.items.stored(field, value) or {}
    ((kind, content),) = stored.items()
    return Decimal(content) if kind == "N" else content
