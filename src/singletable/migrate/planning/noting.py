"""Rows that note which of their columns are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.migrate.sources.source import Row


@dataclass(slots=True)
class Columns:
    """Notes columns: those that there are, and those that were read, by the kind of row."""

    known: dict[str, dict[str, None]] = field(default_factory=dict)
    read: dict[str, set[str]] = field(default_factory=dict)

    def expect(self, kind: str, columns: tuple[str, ...]) -> None:
        """Note columns that there are."""
        self.known.setdefault(kind, {}).update(dict.fromkeys(columns))

    def noting(self, row: Row) -> Row:
        """Give a row that notes here what is read of it, and of those that come along."""
        self.expect(row.kind, tuple(row.data))
        read = self.read.setdefault(row.kind, set())
        related = {kind: [self.noting(one) for one in rows] for kind, rows in row.related.items()}
        return replace(row, data=_Noting(row.data, read), related=related)

    def unread(self, kind: str) -> tuple[str, ...]:
        """Name the columns of a kind that were not read."""
        read = self.read.get(kind, set())
        return tuple(name for name in self.known.get(kind, ()) if name not in read)


class _Noting(dict[str, Any]):
    """The data of a row as a run gives it: whoever asks for all of it has read all of it."""

    def __init__(self, data: Mapping[str, Any], read: set[str]) -> None:
        super().__init__(data)
        self._read = read

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())  # with this, ** asks for each

    def get(self, name: str, default: Any = None) -> Any:
        self._read.add(name)
        return super().get(name, default)

    def items(self) -> Any:
        self._read.update(self)
        return super().items()

    def values(self) -> Any:
        self._read.update(self)
        return super().values()
