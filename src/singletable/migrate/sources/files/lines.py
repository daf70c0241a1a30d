"""The lines of a file, each with the bytes at which it begins and ends.

A line has a greatest length, so that a file without line ends does not fill the memory.
"""

from __future__ import annotations

import gzip
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from singletable.migrate.sources.errors import SourceUnusable

R = TypeVar("R")

BYTES_MAX = 16 * 1024 * 1024
"""Of a line, and of a record with several."""
CHUNK_BYTES = 1024 * 1024


def is_packed(path: Path) -> bool:
    """Tell whether a file is packed: it can then be read from its beginning alone."""
    return path.suffix.lower() == ".gz"


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its end; of one that is too long, only how it begins."""

    offset: int
    end: int
    raw: bytes

    @property
    def is_cut(self) -> bool:
        """Tell whether there is more of it than ``raw``."""
        return self.end - self.offset > len(self.raw)


@dataclass(slots=True)
class Lines:
    """Gives the lines of a file from an offset on; offsets are those of what is unpacked."""

    path: Path
    offset: int = 0
    _stream: BinaryIO = field(init=False)
    _back: deque[Line] = field(default_factory=deque, init=False)

    def __post_init__(self) -> None:
        try:
            # Closed by ``close``.
            open_ = gzip.open if is_packed(self.path) else open
            self._stream = cast(BinaryIO, open_(self.path, "rb"))
        except OSError as error:
            raise SourceUnusable(f"{self.path} cannot be read: {error.strerror}") from error
        self.seek(self.offset)

    def seek(self, offset: int) -> None:
        """Go to where a line begins; back in a packed file, that is to begin anew."""
        self._back.clear()
        self.offset = offset
        if offset != self._stream.tell():
            self._guarded(lambda: self._stream.seek(offset))

    def take(self) -> Line | None:
        """Give the next line, or None at the end."""
        if self._back:
            line = self._back.popleft()
        else:
            begin = self.offset
            raw = self._readline(BYTES_MAX)
            line = Line(begin, begin + len(raw) + self._skip(raw), raw)
        self.offset = line.end
        return line if line.raw else None

    def chunks(self) -> Iterator[bytes]:
        """Give what follows in pieces of no meaning."""
        return iter(lambda: self._guarded(lambda: self._stream.read(CHUNK_BYTES)), b"")

    def back(self, lines: Iterable[Line]) -> None:
        """Put lines back, to be taken again."""
        self._back.extendleft(reversed(list(lines)))
        if self._back:
            self.offset = self._back[0].offset

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _skip(self, raw: bytes) -> int:
        """Pass over what is left of a line that is too long; give its length."""
        skipped = 0
        while len(raw) >= CHUNK_BYTES and not raw.endswith(b"\n"):
            raw = self._readline(CHUNK_BYTES)
            skipped += len(raw)
        return skipped

    def _readline(self, most: int) -> bytes:
        return self._guarded(lambda: self._stream.readline(most))

    def _guarded(self, read: Callable[[], R]) -> R:
        try:
            return read()
        except (EOFError, OSError, zlib.error) as error:
            raise SourceUnusable(f"{self.path} is damaged, or not whole: {error}") from error
