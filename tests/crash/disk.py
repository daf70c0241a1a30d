"""A disk that fails when it is told to: the power goes, it is full, it cannot write or sync.

SQLite works on real files through it. Beside each, the disk keeps what would be left without power:
the bytes as of the last sync, and what was written since. When the power goes, each sector (and
the length of the file) is left as it was after some number of those writes, whichever: writes are
lost, torn and reordered, as on real disks. A sector itself is never torn, and names of files never
get lost; shared memory goes to real memory and is gone with the power.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple, cast

import apsw

from singletable.engine.connections import Connection

# ruff: noqa: N802 # the methods have SQLite's names

BUSY_MILLISECONDS = 10_000
CHECKPOINT_PAGES = 30

Event = Literal["read", "write", "sync", "truncate", "delete"]
Spot = tuple[str, Event]
"""Something that happens to a file, by its name."""

Fault = Callable[[Event, int], Exception | None]
"""Says of an event, the so many-th, with which error it fails."""


class Write(NamedTuple):
    """Bytes written at an offset, or (None) the file cut there."""

    offset: int
    data: bytes | None


@dataclass
class Platter:
    """What a disk holds of one file."""

    synced: bytearray
    since: list[Write] = field(default_factory=list)

    def sync(self) -> None:
        """Make everything last."""
        for offset, data in self.since:
            if data is None:
                del self.synced[offset:]
            else:
                self.synced.extend(bytes(max(0, offset - len(self.synced))))
                self.synced[offset : offset + len(data)] = data
        self.since.clear()

    def left(self, random: Random) -> bytes:
        """Give what is left without power."""
        total, common = len(self.since), random.randint(0, len(self.since))
        ordered, sector_bytes = random.random() < 0.5, random.choice([512, 4096])

        return self._replay(lambda: common if ordered else random.randint(0, total), sector_bytes)

    def _replay(self, draw: Callable[[], int], sector_bytes: int) -> bytes:
        """Do as many of the writes again as are drawn for each sector and for the length."""
        made, length = bytearray(self.synced), len(self.synced)
        counts: defaultdict[int, int] = defaultdict(draw)
        length_count = draw()
        for number, (offset, data) in enumerate(self.since):
            end = len(made) if data is None else offset + len(data)
            if number < length_count:
                length = offset if data is None else max(length, end)
            made.extend(bytes(max(0, end - len(made))))
            for start, stop in _cut(offset, end, sector_bytes):
                if number < counts[start // sector_bytes]:
                    part = data[start - offset : stop - offset] if data else bytes(stop - start)
                    made[start:stop] = part
        made.extend(bytes(max(0, length - len(made))))
        return bytes(made[:length])


def _cut(start: int, end: int, sector_bytes: int) -> list[tuple[int, int]]:
    """Cut a run of bytes at the borders of sectors."""
    first = start - start % sector_bytes + sector_bytes
    borders = [start, *range(first, end, sector_bytes), end]
    return list(pairwise(borders)) if start < end else []


class _Cursor(apsw.Cursor):
    """Tells of an INSERT what sqlite3's cursors tell."""

    @property
    def lastrowid(self) -> int:
        return self.connection.last_insert_rowid()

    @property
    def rowcount(self) -> int:
        return self.connection.changes()


class Disk(apsw.VFS):
    """The disk; ``events`` counts all that it was asked to do to its files."""

    def __init__(self, name: str, random: Random) -> None:
        super().__init__(name, "")
        self.platters: dict[str, Platter] = {}
        self.events = 0
        self._name = name
        self._random = random
        self._until_cut: float = math.inf
        self._spot: Spot | None = None
        self._fault: Fault = _no_fault

    def connect(self, path: str) -> Connection:
        """Open a connection to a file on this disk, for ``Engine(connect=...)``."""
        connection = apsw.Connection(path, vfs=self._name)
        connection.cursor_factory = _Cursor
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.set_wal_hook(_checkpoint)
        return cast(Connection, connection)

    def cut_power(self, at: int, spot: Spot | None = None) -> None:
        """Let the power go in the midst of the so many-th event from now, of a spot or of all.

        Nobody learns of it: programs go on, but the disk no longer changes.
        """
        self._until_cut, self._spot = at, spot

    @property
    def has_power(self) -> bool:
        """Tell whether the power is still on."""
        return self._until_cut > 0

    def save(self, folder: Path) -> None:
        """Write what is left on the disk, now that its power is off, into a folder."""
        for path, platter in self.platters.items():
            (folder / Path(path).name).write_bytes(platter.left(self._random))

    def fail(self, fault: Fault) -> None:
        """Ask this before each event, with its number from now on, for the error to fail with."""
        first = self.events
        self._fault = lambda event, number: fault(event, number - first)

    def heal(self) -> None:
        """Let everything succeed again."""
        self._fault = _no_fault

    def begin(self, event: Event, path: str) -> None:
        """Count an event that is about to happen; raise if it fails."""
        self.events += 1
        self._until_cut -= self._spot in (None, (Path(path).name, event))
        self.check(event)

    def check(self, event: Event) -> None:
        """Raise if an event fails."""
        error = self._fault(event, self.events)
        if error:
            raise error

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        """Open a file; temporary files, which have no name, need no platter."""
        if name is None:
            return apsw.VFSFile("", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        platter = self.platters.get(path)
        if platter is None:
            platter = Platter(bytearray(Path(path).read_bytes() if Path(path).exists() else b""))
            if self.has_power:
                self.platters[path] = platter
        return _File(self, path, platter, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Delete a file, at once and for good."""
        self.begin("delete", filename)
        super().xDelete(filename, syncdir)
        if self.has_power:
            self.platters.pop(filename, None)


class _File(apsw.VFSFile):
    """A file on a disk."""

    def __init__(
        self,
        disk: Disk,
        path: str,
        platter: Platter,
        name: str | apsw.URIFilename,
        flags: list[int],
    ) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._path = path
        self._platter = platter

    def xRead(self, amount: int, offset: int) -> bytes:
        """Read; that changes nothing, so it does not count."""
        self._disk.check("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: Any, offset: int) -> None:
        """Write; of a write that fails, half may have got to the disk."""
        whole = bytes(data)
        if self._disk.has_power:
            self._platter.since.append(Write(offset, whole))
        try:
            self._disk.begin("write", self._path)
        except apsw.Error:
            super().xWrite(whole[: len(whole) // 2], offset)
            raise
        super().xWrite(whole, offset)

    def xTruncate(self, newsize: int) -> None:
        """Cut the file."""
        if self._disk.has_power:
            self._platter.since.append(Write(newsize, None))
        self._disk.begin("truncate", self._path)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        """Make what was written last; nobody needs to wait for the real disk."""
        self._disk.begin("sync", self._path)
        if self._disk.has_power:
            self._platter.sync()


def _checkpoint(connection: apsw.Connection, name: str, pages: int) -> int:
    """Do as SQLite does after a commit, but sooner, so that there is much to fail in.

    SQLite does not mind if it fails: there will be another. Without this, apsw would.
    """
    if pages >= CHECKPOINT_PAGES:
        with suppress(apsw.Error):
            connection.wal_checkpoint(name)
    return apsw.SQLITE_OK


def _no_fault(_event: Event, _number: int) -> None:
    return None
