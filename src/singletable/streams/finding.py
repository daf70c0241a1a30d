"""How items that share some values are found by one query: by which key, and in which order.

Extremes are looked for among the items that belong together, and copies are refreshed wherever they
stand; both need a key of the table or of an index whose partition those values tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from singletable.model.hints import allows
from singletable.model.keys import FieldKey, KeyAttribute, Keys, slots_of
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.model.templates.formats import Format
from singletable.model.templates.times import Bucket

When = tuple[tuple[str, tuple[Any, ...]], ...]

DAY_UNITS = 3
"""Year, month and day: what a time bucket has at least that a day can be asked of."""


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the items of an entity that have the same values of some fields."""

    schema: Schema
    keys: Keys
    known: tuple[str, ...]
    """The fields that a query of the key is given."""
    rising: bool | None = None
    """Whether it gives them in the order of the field that is looked for; None if in none."""

    @property
    def is_strong(self) -> bool:
        """Tell whether it sees every write that was answered before."""
        return self.keys.index.name is None or self.keys.index.local

    def query(self, values: Mapping[str, Any]) -> Query[Any]:
        """Describe the query for these values of the known fields."""
        known = {name: values[name] for name in self.known}
        query: Query[Any] = Query.by(self.schema, self.keys, known)
        if self.is_strong:
            return query.strong()
        whole = self.keys.index.projection == "ALL"
        return query if whole else query.fetch(self.schema.entity)


def finders(
    schema: Schema,
    fields: Collection[str],
    *,
    days: Collection[str] = (),
    when: When = (),
    by: str | None = None,
) -> Iterator[Finder]:
    """Give the keys by which all items with the same values of these fields can be found.

    Of fields in ``days`` only the day is known; ``when`` says what is true of all items that are
    looked for. ``by`` names the field in whose order they are wanted, which all of them have.
    """
    exact = set(fields) - set(days)
    for keys in schema.all_keys:
        if not keys.told or not keys.told <= set(fields) or not _tells_days(keys, days):
            continue
        sure = {*fields, by}
        if keys.index.name is None or _holds_all(schema, keys, sure, when):
            leading, behind = _leading(keys, exact)
            known = tuple(dict.fromkeys((*sorted(keys.told), *leading)))
            yield Finder(schema, keys, known, _rising(behind, by) if _is_one(keys) else None)


def _tells_days(keys: Keys, days: Collection[str]) -> bool:
    """Tell whether the partition key asks no more of a moment than its day."""
    if any(isinstance(part, FieldKey) and part.field in days for part in keys.pk):
        return False
    formats = [
        slot.format for slot in slots_of(keys.pk) if slot.field in days and not slot.scatters
    ]
    return all(isinstance(one, Bucket) and one.units >= DAY_UNITS for one in formats)


def _is_one(keys: Keys) -> bool:
    """Tell whether a day is one bucket: several follow each other, whatever the sort key says."""
    buckets = [slot.format for slot in slots_of(keys.pk) if isinstance(slot.format, Bucket)]
    return all(one.units <= DAY_UNITS for one in buckets)


def _holds_all(schema: Schema, keys: Keys, sure: Collection[str | None], when: When) -> bool:
    """Tell whether no item that is looked for is missing in an index."""
    given = dict(when)
    for field, allowed in keys.when:
        if field not in given or not set(given[field]) <= set(allowed):
            return False
    others = [name for name in keys.fields if name not in sure and name in schema.fields]
    return not any(allows(schema.fields[name], NoneType) for name in others)


def _leading(
    keys: Keys, exact: Collection[str]
) -> tuple[list[str], list[tuple[str, Format | None]]]:
    """Cut the fields of the sort key: what is known from the left, and what stands behind it."""
    fields = list(_sorted_by(keys.sk))
    names = [name for name, _ in fields]
    count = next((at for at, name in enumerate(names) if name not in exact), len(names))
    return names[:count], fields[count:]


def _sorted_by(parts: tuple[KeyAttribute, ...]) -> Iterator[tuple[str, Format | None]]:
    for part in parts:
        if isinstance(part, FieldKey):
            yield part.field, None
        else:
            yield from ((slot.field, slot.format) for slot in part.template.slots)


def _rising(behind: list[tuple[str, Format | None]], by: str | None) -> bool | None:
    """Tell how items are sorted by a field: upwards, downwards or not at all."""
    if by is None or not behind or behind[0][0] != by:
        return None
    format_ = behind[0][1]
    if format_ is None:
        return True
    if not format_.ordered or format_.lossy:
        return None
    return not format_.descends
