"""Which aggregates of a design the stream keeps, looked up from the entities on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable.errors import DesignError
from singletable.model.aggregates import AggregateRule, aggregate_rules
from singletable.model.fields import Aggregate, ExtremeOf
from singletable.model.schema import Schema
from singletable.model.table import Table

from .extremes import Extreme, Source

IMAGES = "NEW_AND_OLD_IMAGES"
Rules = tuple[AggregateRule, ...]


@dataclass(frozen=True, slots=True)
class Design:
    """What there is to keep: of every entity, what its items bring and what they hold."""

    brings: Mapping[str, Rules]
    """Type of an item → the rules by which it is part of an aggregate."""
    holds: Mapping[str, Mapping[str, Aggregate]]
    """Type of an item → its fields that are aggregates."""
    extremes: Mapping[tuple[str, str], Extreme]
    """Type of an item and its field → how its extreme is found anew."""

    @classmethod
    def of(cls, table: Table, *, all_kept: bool = False) -> Design:
        """Find the aggregates that the stream keeps, or all; refuse what cannot be kept."""
        _check_names(table)
        brings = {
            type_name: _rules(schema, all_kept=all_kept)
            for type_name, schema in table.entities.items()
        }
        brings = {type_name: rules for type_name, rules in brings.items() if rules}
        if brings and not all_kept and table.stream != IMAGES:
            raise DesignError(
                f"{table}: aggregates are kept from what an item was and what it is: declare "
                f"Table(…, stream={IMAGES!r}), and change the table"
            )
        holds: dict[str, dict[str, Aggregate]] = {}
        for rules in brings.values():
            for rule in rules:
                holds.setdefault(rule.parent.type, {})[rule.field] = rule.declared
        return cls(brings, holds, _extremes(brings))


def _check_names(table: Table) -> None:
    known = {name for schema in table.entities.values() for name in schema.kinds}
    for schema in table.entities.values():
        for field, declared in schema.aggregates.items():
            if declared.entity not in known:
                raise DesignError(
                    f"{schema.name}.{field} {declared}, and {table} has no {declared.entity}: it "
                    f"has {', '.join(sorted(known))}"
                )


def _rules(schema: Schema, *, all_kept: bool) -> Rules:
    found = aggregate_rules(schema)
    return tuple(rule for rule in found if all_kept or rule.declared.kept_by == "stream")


def _extremes(brings: Mapping[str, Rules]) -> dict[tuple[str, str], Extreme]:
    found: dict[tuple[str, str], list[AggregateRule]] = {}
    for rules in brings.values():
        for rule in rules:
            if isinstance(rule.declared, ExtremeOf):
                found.setdefault((rule.parent.type, rule.field), []).append(rule)
    return {
        place: Extreme(rules[0].parent, rules[0].field, tuple(map(Source.of, rules)))
        for place, rules in found.items()
    }
