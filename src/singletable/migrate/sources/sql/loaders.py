"""How psycopg gives values that Python has no exact form for: as text, or as bytes.

They are written back as they were read: the server makes the value of the text again.
"""

from __future__ import annotations

from typing import Any

from psycopg import DataError, postgres
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.datetime import IntervalLoader

from .types import Undecoded


def or_text(adapters: AdaptersMap, name: str) -> type[Loader]:
    """Make a loader that gives text where the usual one fails, as for 'infinity'."""
    usual = adapters.get_loader(postgres.types[name].oid, Format.TEXT) or Loader

    class OrText(Loader):
        def __init__(self, oid: int, connection: Any = None) -> None:
            super().__init__(oid, connection)
            self._usual = usual(oid, connection).load

        def load(self, data: Buffer) -> Any:
            try:
                return self._usual(data)
            except (DataError, ValueError):
                return bytes(data).decode()

    return OrText


class Interval(IntervalLoader):
    """Gives an interval of months or years as text: a timedelta has no months."""

    def load(self, data: Buffer) -> Any:
        """Read an interval."""
        text = bytes(data)
        if b"mon" in text or b"year" in text or b"infinity" in text:
            return text.decode()
        try:
            return super().load(data)
        except (DataError, OverflowError):
            return text.decode()


class TextOrBytes(Loader):
    """Gives a text, or its bytes where they are not UTF-8."""

    def load(self, data: Buffer) -> str | bytes:
        """Read a text."""
        found = bytes(data)
        try:
            return found.decode()
        except UnicodeDecodeError:
            return Undecoded(found)
