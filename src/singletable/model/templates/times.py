"""How dates and moments are written in a key: whole, or as the bucket that they fall into.

All are written in UTC and in one width, so that texts sort as time passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from singletable.errors import DesignError
from singletable.model.moments import text_of

from .formats import Counted, Format, Refusal, expects, strictly

_MICROSECOND = timedelta(microseconds=1)
_ORIGIN = datetime.min.replace(tzinfo=UTC)

_UNITS = "YmdHMS"
_LONGEST = (
    timedelta(days=366),
    timedelta(days=31),
    timedelta(days=1),
    timedelta(hours=1),
    timedelta(minutes=1),
    timedelta(seconds=1),
)
_INSIDE = (
    "the key tells only its bucket: compare with the first moment of a bucket (ge, lt) or with "
    "the last of one (le, gt), or use a template that has the whole value"
)


class _Calendar(Counted):
    """What dates and moments have in common."""

    __slots__ = ()

    def previous(self, text: str) -> str | None:
        """Give the day, or the microsecond, before."""
        value = self.shifted(self.read(text), -1)
        return None if value is None else self.render(value)

    def samples(self) -> Iterator[str]:
        """Show what stands between the numbers."""
        yield self.render(self.value(1))


@dataclass(frozen=True, slots=True)
class Day(_Calendar):
    """Writes a date as ISO 8601 does."""

    name = "date"
    width = 10
    digits = 7

    def render(self, value: Any) -> str:
        """Write a date, or refuse what is none."""
        return self.moment(value).isoformat()

    def read(self, text: str) -> date:
        """Read a date."""
        return date.fromisoformat(text)

    def number(self, value: Any) -> int:
        """Count the days since year 1."""
        return self.moment(value).toordinal()

    def value(self, number: int) -> date:
        """Give the date of a day."""
        return date.fromordinal(number)

    def moment(self, value: Any) -> date:
        """Give the date itself; a datetime is refused: it is a date only in a time zone."""
        if isinstance(value, datetime):
            raise Refusal(f"{expects('date', value)}: give its .date()")
        return strictly(value, date)


@dataclass(frozen=True, slots=True)
class Moment(_Calendar):
    """Writes a datetime in UTC with microseconds; a date in a comparison is the whole day."""

    name = "datetime"
    width = 27
    digits = 18

    def render(self, value: Any) -> str:
        """Write a moment, or refuse what is none."""
        return text_of(self.moment(value)) + "Z"

    def read(self, text: str) -> datetime:
        """Read a moment."""
        return datetime.fromisoformat(text)

    def number(self, value: Any) -> int:
        """Count the microseconds since year 1."""
        return (self.moment(value) - _ORIGIN) // _MICROSECOND

    def value(self, number: int) -> datetime:
        """Give the moment of a count of microseconds."""
        return _ORIGIN + number * _MICROSECOND

    def moment(self, value: Any) -> datetime:
        """Give the moment in UTC; a naive one is refused."""
        moment = strictly(value, datetime)
        if moment.tzinfo is UTC:
            return moment
        if moment.utcoffset() is None:
            raise Refusal("it has no time zone: give it one, e.g. datetime.now(UTC)")
        try:
            return moment.astimezone(UTC)
        except OverflowError:
            raise Refusal("it is outside of the years 1 to 9999 in UTC") from None

    def first(self, operand: Any) -> Any:
        """Give the first moment of a day."""
        return datetime.combine(operand, time.min, UTC) if _is_day(operand) else operand

    def last(self, operand: Any) -> Any:
        """Give the last moment of a day."""
        return datetime.combine(operand, time.max, UTC) if _is_day(operand) else operand


@dataclass(frozen=True, slots=True)
class Bucket(Format):
    """Writes the first ``units`` of year, month, day, hour, minute and second of a moment."""

    inner: Moment | Day
    layout: str
    units: int
    width: int

    name = "a time bucket"
    lossy = True

    def render(self, value: Any) -> str:
        """Write the bucket of a value."""
        return self._text(self.inner.moment(value))

    def matches(self, text: str) -> bool:
        """Tell whether the text is the bucket of some moment."""
        pattern = re.sub("%0([24])d", r"([0-9]{\1})", re.escape(self.layout))
        found = re.fullmatch(pattern, text)
        try:
            return found is not None and bool(_start(*map(int, found.groups())))
        except ValueError:
            return False

    def earliest(self, operand: Any) -> str:
        """Write the bucket that an operand begins in."""
        return self.render(self.inner.first(operand))

    def latest(self, operand: Any) -> str:
        """Write the bucket that an operand ends in."""
        return self.render(self.inner.last(operand))

    def texts(self, low: Any, high: Any) -> Iterator[str]:
        """Give the bucket that ``low`` begins in and all further ones up to the end of ``high``."""
        moment = self._floor(self._utc(self.inner.first(low)))
        latest = self._utc(self.inner.last(high))
        while moment <= latest:
            yield self._text(moment)
            try:
                moment = self._floor(moment + _LONGEST[self.units - 1])
            except OverflowError:
                return

    def first(self, operand: Any) -> Any:
        """Give the first value of an operand, with which a bucket must begin."""
        first = self.inner.first(operand)
        if not self._opens(first):
            raise Refusal(_INSIDE)
        return first

    def last(self, operand: Any) -> Any:
        """Give the last value of an operand, with which a bucket must end."""
        last = self.inner.last(operand)
        following = self.inner.shifted(last, 1)
        if following is not None and not self._opens(following):
            raise Refusal(_INSIDE)
        return last

    def samples(self) -> Iterator[str]:
        """Show what stands between the numbers."""
        yield self.render(self.inner.value(1))

    def _text(self, moment: date) -> str:
        return self.layout % moment.timetuple()[: self.units]

    def _opens(self, value: Any) -> bool:
        return self._utc(value) == self._floor(self._utc(value))

    def _utc(self, value: Any) -> datetime:
        moment = self.inner.moment(value)
        return moment if isinstance(moment, datetime) else datetime.combine(moment, time.min, UTC)

    def _floor(self, moment: datetime) -> datetime:
        return _start(*moment.timetuple()[: self.units])


def bucket(plain: Format, spec: str) -> Bucket:
    """Make the bucket that a specification such as ``%Y-%m`` asks for."""
    if not isinstance(plain, Moment | Day):
        raise DesignError(f"the time bucket {spec!r} does not fit {plain.name}")
    units = re.findall("%(.?)", spec)
    known = _UNITS if isinstance(plain, Moment) else _UNITS[:3]
    if not all(units) or not known.startswith("".join(units)):
        order = " ".join(f"%{unit}" for unit in known)
        raise DesignError(f"the bucket {spec!r} does not sort: it may have {order}, in this order")
    layout = re.sub("%[mdHMS]", "%02d", spec).replace("%Y", "%04d")
    # Only the year is written longer than its directive.
    return Bucket(plain, layout, len(units), width=len(spec) + 2)


def is_moment(format_: Format | None) -> bool:
    """Tell whether a format writes moments, whole or in part."""
    return isinstance(getattr(format_, "inner", format_), Moment)


def _is_day(operand: Any) -> bool:
    return isinstance(operand, date) and not isinstance(operand, datetime)


def _start(year: int, month: int = 1, day: int = 1, *times: int) -> datetime:
    hour, minute, second = (*times, 0, 0, 0)[:3]
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
