"""From a row to what it becomes: drafts of items, or the reason why not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError

from singletable.errors import SingletableError
from singletable.model.entity import Entity
from singletable.model.validating import faults_of, valid
from singletable.store.context import Context

from .items import Draft, draft
from .migration import Migration, Rule
from .sources.source import Broken, Id, Row

REFERENCE_MAX = 200
"""A sort key holds 1,024 bytes, and characters may have to be escaped in it."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A row of which nothing is written, and why."""

    row: Row | Broken
    reason: str


class Made(NamedTuple):
    """All that comes of a row."""

    row: Row
    drafts: tuple[Draft, ...]


def drafts_of(made: Made | Reject | None) -> tuple[Draft, ...]:
    """Give all that comes of a row: nothing, if it is refused or gone."""
    return made.drafts if isinstance(made, Made) else ()


class Transformer:
    """Makes drafts of rows, each by the rule of its kind."""

    def __init__(self, migration: Migration[Any], context: Context, at: datetime) -> None:
        self._migration = migration
        self._context = context
        self._at = at

    def entities(self, rule: Rule, row: Row) -> list[Entity]:
        """Give the entities that a row becomes, as the migration says; raises what it raises."""
        return [valid(entity) for entity in rule.method(self._migration, row)]

    def transform(self, rule: Rule, row: Row | Broken) -> Made | Reject:
        """Make the drafts of a row, or say why there are none."""
        if isinstance(row, Broken):
            return Reject(row, row.reason)
        try:
            drafts = [draft(self._context, one, self._at) for one in self.entities(rule, row)]
        except Exception as error:  # noqa: BLE001 - a rule may raise anything, for this row alone
            return Reject(row, reason_of(error))
        repeated = _repeated(drafts)
        if repeated is not None:
            return Reject(row, f"it makes two items with the key {repeated}")
        return Made(row, tuple(drafts))


def name_of(row: Row | Broken) -> str:
    """Name a row for a person: ``sessions/17``."""
    return "/".join((row.kind, *map(str, row.id)))


def reference_of(kind: str, id_: Id) -> str:
    """Give a text that no other row has: its kind and key as JSON, shortened if that is long."""
    text = orjson.dumps([kind, *id_], default=str).decode()
    if len(text) <= REFERENCE_MAX:
        return text
    return f"{text[: REFERENCE_MAX // 2]}… {blake2b(text.encode(), digest_size=16).hexdigest()}"


def reason_of(error: Exception) -> str:
    """Say in one line why a row was refused."""
    if isinstance(error, ValidationError):
        return faults_of(error.title, error)
    if isinstance(error, SingletableError):
        return str(error)
    if isinstance(error, KeyError):
        return f"the row has no {error}"
    return f"{type(error).__name__}: {error}"


def _repeated(drafts: Iterable[Draft]) -> str | None:
    seen: set[tuple[str, ...]] = set()
    for one in drafts:
        if one.key in seen:
            return ", ".join(one.key)
        seen.add(one.key)
    return None
