"""K204: times in a key do not sort."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from pydantic.fields import FieldInfo

from singletable.check.design import Design, templates_of
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class K204(Rule):
    """A time stands in a sort key as text, and nothing makes the texts sort.

    `2026-02-06T10:30:00Z`, `2026-02-06T10:30:00.5Z` and `2026-02-06T11:30:00+01:00` are the same
    half second, and sort in none of the ways that time passes: Python writes no fraction where it
    is zero, and every writer has its own offset. "Newest first" is then nearly right.

    Declare the field a `datetime`. Its keys are then in UTC and of one width, whoever writes them.
    """

    name = "unsortable-time"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find text fields in sort keys that hold, or are compared with, times."""
        for schema in design.schemas:
            for keys in schema.all_keys:
                for template in templates_of(keys.sk):
                    for slot in template.slots:
                        why = _time(design, schema, slot.field) if slot.format.textual else None
                        if why:
                            yield self.finding(
                                f"{slot.field} is text and {why}: texts of times sort as time "
                                "passes only if all are in one zone and one width",
                                f"declare {slot.field}: datetime",
                                schema=schema,
                                keys=keys,
                                template=template,
                            )


def _time(design: Design, schema: Schema, field: str) -> str | None:
    """Say why a text is a time; None if nothing says so."""
    made = _default(schema.fields[field]) if field in schema.fields else None
    if _is_time(made):
        return f"a new item has a time in it, such as {made!r}"
    for trace in design.all_readers(schema):
        if any(_is_time(value) for value in _compared(trace, field)):
            return f"{trace.pattern.name}() compares it with a time"
    return None


def _default(info: FieldInfo) -> Any:
    if info.default_factory is None:
        return info.default
    try:
        return info.get_default(call_default_factory=True, validated_data={})
    except Exception:  # noqa: BLE001 - the factory is the user's, and proves nothing if it fails
        return None


def _compared(trace: Trace, field: str) -> Iterator[Any]:
    read = trace.read
    if not isinstance(read, Query) or read.comparison is None or not read.keys.sk:
        return
    unknown = [name for part in read.keys.sk for name in part.fields if name not in read.known]
    if unknown[:1] == [field]:
        yield from read.comparison[1]


def _is_time(value: Any) -> bool:
    if isinstance(value, date | datetime):
        return True
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False
