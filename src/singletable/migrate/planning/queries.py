"""The old queries, each with the access pattern that takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from singletable.migrate.migration import Migration

from .results import QueryPlan


def mapped(migration: type[Migration[Any]]) -> Iterator[QueryPlan]:
    """Find the pattern of every query that a migration declares; say where there is no such one."""
    patterns = migration.store.patterns
    for query, name in migration.queries.items():
        if name is None or name in patterns:
            purpose = patterns[name].purpose if name else ""
            yield QueryPlan(query=query, pattern=name, purpose=purpose)
        else:
            known = ", ".join(sorted(patterns)) or "none"
            fault = f"{migration.store.__name__} has no pattern {name!r}; it has {known}"
            yield QueryPlan(query=query, pattern=name, fault=fault)
