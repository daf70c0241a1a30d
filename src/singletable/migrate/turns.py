"""Who writes to a file next: workers of one machine wait for each other without asking again.

SQLite has those who find a file locked sleep for up to a tenth of a second and look again. A worker
that holds it for about that long would leave the other asleep when it is done. This is about speed
alone: the file's own locks keep it right.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

try:
    import fcntl
except ModuleNotFoundError:  # where there is no such lock, they look again
    fcntl = None  # type: ignore[assignment]


class Turn:
    """Held by the one who writes, and waited for by the others."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")

    def __enter__(self) -> Self:
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
