"""What a field can be beside a value: an id, a time, a version, a count, a unique name.

Fields that the library fills are declared by a default (``created_at: datetime = created()``), so
that type checkers know they may be left out; the default's factory is what marks them. What is
true of a value that the user gives stands in its annotation (``email: Annotated[str, Unique()]``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

if TYPE_CHECKING:
    from .entity import Entity

KeptBy = Literal["transaction", "stream"]
"""Who keeps an aggregate: the transaction of each write, or a consumer of the table's stream."""


@dataclass(frozen=True, slots=True)
class Created:
    """Fills in the time at which an object was made."""

    def __call__(self) -> datetime:
        """Tell the time."""
        return now()


@dataclass(frozen=True, slots=True)
class Updated:
    """Fills in the time of the last write."""

    def __call__(self) -> datetime:
        """Tell the time."""
        return now()


@dataclass(frozen=True, slots=True)
class Version:
    """Fills in 0, the version of what was never written; each write adds one."""

    def __call__(self) -> int:
        """Give what stands there before the first write."""
        return 0


@dataclass(frozen=True, slots=True)
class Expires:
    """Fills in the time after which an item is gone, or None for never."""

    after: timedelta | None

    def __call__(self) -> datetime | None:
        """Tell when an item that is made now is gone: at a full second, as items have it."""
        return self.counted_from(now())

    def counted_from(self, start: datetime) -> datetime | None:
        """Tell when an item that is made at a moment is gone."""
        if not self.after:
            return None
        moment = start + self.after
        return moment.replace(microsecond=0) + timedelta(seconds=moment.microsecond > 0)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Fills in what is true of no items; each of the other entity that comes or goes changes it."""

    entity: str
    match: tuple[tuple[str, str], ...] = ()
    when: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    kept_by: KeptBy = "transaction"
    field: str = ""
    """The field of the other entity whose values are added up or compared."""

    verb: ClassVar[str]

    def __call__(self) -> int | None:
        """Give what stands there before the first write."""
        return 0

    def __str__(self) -> str:
        return f"{self.verb} {self.entity}{self.field and '.' + self.field}"


class CountOf(Aggregate):
    """Counts items."""

    __slots__ = ()
    verb = "counts"


class SumOf(Aggregate):
    """Adds up a number that items have."""

    __slots__ = ()
    verb = "adds up"


class ExtremeOf(Aggregate):
    """The least or the greatest value that items have; None where there are none."""

    __slots__ = ()

    def __call__(self) -> None:
        """Give what stands there before the first write."""


class MinOf(ExtremeOf):
    """The least value that items have."""

    __slots__ = ()
    verb = "is the least"


class MaxOf(ExtremeOf):
    """The greatest value that items have."""

    __slots__ = ()
    verb = "is the greatest"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Fills in 0, for a number that is given when the item is created."""

    within: str

    def __call__(self) -> int:
        """Give what stands there before the first write."""
        return 0


@dataclass(frozen=True, slots=True)
class Unique:
    """No two items have the same value of this field.

    ``within`` is the key template of the partition that guards it, for instance
    ``"TENANT#{tenant_id}"``: then it is unique among the items that share those fields.
    """

    within: str | None = None


@dataclass(frozen=True, slots=True, init=False)
class Copied:
    """Says where a duplicated value comes from: a field of another entity.

    Keyword arguments say which field here holds a key field of the source, where the names differ.
    """

    source: type[Entity]
    field: str
    match: tuple[tuple[str, str], ...]

    def __init__(self, source: type[Entity], field: str, **match: str) -> None:
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "field", field)
        object.__setattr__(self, "match", tuple(match.items()))


@dataclass(frozen=True, slots=True, init=False)
class Attribute:
    """Names the attribute that holds a field, and older names under which it is still read."""

    name: str
    older: tuple[str, ...]

    def __init__(self, name: str, *older: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "older", older)


def ulid() -> Any:
    """Give a field a new ULID: 26 characters that sort by time."""
    return Field(default_factory=_ulid)


def ksuid() -> Any:
    """Give a field a new KSUID: 27 characters that sort by the second."""
    return Field(default_factory=_ksuid)


def uuid7() -> Any:
    """Give a field a new UUID of version 7: 36 characters that sort by time."""
    return Field(default_factory=_uuid7)


def created() -> Any:
    """Give a field the time at which the object was made."""
    return Field(default_factory=Created())


def updated() -> Any:
    """Give a field the time of the last write; the store keeps it."""
    return Field(default_factory=Updated())


def version() -> Any:
    """Give a field the version of the item, from 1; the store refuses a write to an older one."""
    return Field(default_factory=Version())


def expires(**after: float) -> Any:
    """Give a field the time at which the item is gone, counted from now (``days=1``).

    With no argument the field has to be given, or has None: then the item stays.
    """
    return Field(default_factory=Expires(timedelta(**after) if after else None))


def count_of(
    entity: str,
    *,
    when: Mapping[str, Any] | None = None,
    kept_by: KeptBy = "transaction",
    **match: str,
) -> Any:
    """Give a field the number of items of another entity that belong to this one.

    They belong here if their fields of the same names equal this entity's key fields. ``match``
    says otherwise: ``user_id="author_id"`` names the field of the other entity that holds
    ``user_id``; a moment belongs to its day in UTC (``day="created_at"``), or to what a format
    makes of it (``month="created_at:%Y-%m"``). ``when`` says which items count: those whose fields
    have these values (one, or any of several). ``kept_by="stream"`` leaves the count to a consumer
    of the table's stream, ``Aggregates``: the write itself costs nothing more, and the count
    follows a moment later. So alone can items be counted that expire.
    """
    return Field(
        default_factory=CountOf(entity, tuple(match.items()), allowed_values(when), kept_by)
    )


def sum_of(
    entity: str,
    field: str,
    *,
    when: Mapping[str, Any] | None = None,
    kept_by: KeptBy = "transaction",
    **match: str,
) -> Any:
    """Give a field the sum of a number that items of another entity have; see ``count_of``."""
    declared = SumOf(entity, tuple(match.items()), allowed_values(when), kept_by, field)
    return Field(default_factory=declared, validate_default=True)


def min_of(entity: str, field: str, *, when: Mapping[str, Any] | None = None, **match: str) -> Any:
    """Give a field the least value that items of another entity have, kept by the stream.

    It is None where there are none. What belongs here is told as in ``count_of``.
    """
    return Field(
        default_factory=MinOf(entity, tuple(match.items()), allowed_values(when), "stream", field)
    )


def max_of(entity: str, field: str, *, when: Mapping[str, Any] | None = None, **match: str) -> Any:
    """Give a field the greatest value that items of another entity have, kept by the stream.

    It is None where there are none. What belongs here is told as in ``count_of``.
    """
    return Field(
        default_factory=MaxOf(entity, tuple(match.items()), allowed_values(when), "stream", field)
    )


def sequence(within: str) -> Any:
    """Give a field the next number of a sequence when the item is created.

    ``within`` is the key template of the partition that holds the counter.
    """
    return Field(default_factory=Sequence(within))


def allowed_values(when: Mapping[str, Any] | None) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Give the values that each field may have; a tuple is several."""
    return tuple(
        (field, allowed if isinstance(allowed, tuple) else (allowed,))
        for field, allowed in (when or {}).items()
    )


def now() -> datetime:
    """Tell the time, in UTC."""
    return datetime.now(UTC)


def _ulid() -> str:
    from ulid import ULID

    return str(ULID())


def _ksuid() -> str:
    from ksuid import Ksuid

    return str(Ksuid())


def _uuid7() -> str:
    from ulid import ULID

    return str(ULID().to_uuid7(compliant=True))
