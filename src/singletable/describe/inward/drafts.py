"""A design that is still to be written: what a foreign model comes to, before it is Python."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter
from typing import Any

from singletable.errors import UsageError

from .foreign import KeySchema


@dataclass(frozen=True, slots=True)
class FieldDraft:
    """A field of an entity; ``type`` is its annotation.

    One that the sample items did not have has no attribute yet: it is named as the others are.
    """

    name: str
    attribute: str
    type: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class IndexDraft:
    """Says how an entity is in an index; a tuple names a field that is itself the key."""

    index: str
    label: str
    pk: str | tuple[str, ...] | None
    sk: str | tuple[str, ...] | None
    when: tuple[tuple[str, tuple[Any, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class EntityDraft:
    """An entity."""

    name: str
    type: str
    pk: str
    sk: str | None
    fields: tuple[FieldDraft, ...]
    indexes: tuple[IndexDraft, ...] = ()


@dataclass(frozen=True, slots=True)
class PatternDraft:
    """An access pattern: what it returns is ``call(arguments)`` and perhaps ``then``."""

    name: str
    purpose: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    call: str
    arguments: tuple[str, ...] = ()
    then: str = ""


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table with its entities and the store that reads it."""

    name: str
    primary: KeySchema
    indexes: tuple[KeySchema, ...]
    type_attribute: str
    delimiter: str
    entities: tuple[EntityDraft, ...]
    patterns: tuple[PatternDraft, ...]
    notes: tuple[str, ...] = ()
    """What could not be taken over, a sentence each."""


@dataclass(frozen=True, slots=True)
class DesignDraft:
    """A whole design."""

    name: str
    purpose: str
    tables: tuple[TableDraft, ...]


def slots(*templates: str | None) -> list[tuple[str, str]]:
    """Give the fields of templates with their specifications, each field once."""
    found: dict[str, str] = {}
    for template in filter(None, templates):
        try:
            parts = list(Formatter().parse(template))
        except ValueError as fault:
            raise UsageError(f"{template!r} is no key template: {fault}") from None
        for _, name, spec, _ in parts:
            if name:
                found.setdefault(name, spec or "")
    return list(found.items())
