"""Differences as they are found: all in a file, the first ones at hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from .results import Difference

AT_HAND_MAX = 100


class Findings:
    """Keeps differences."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.first: list[Difference] = []
        self.count = 0
        self._file = path.open("wb")

    def add(self, differences: Iterable[Difference]) -> None:
        """Keep differences."""
        for one in differences:
            self._file.write(orjson.dumps(one.as_data(), default=_plain) + b"\n")
            if len(self.first) < AT_HAND_MAX:
                self.first.append(one)
            self.count += 1

    def close(self) -> None:
        """Close the file; delete one without a difference."""
        self._file.close()
        if not self.count:
            self.path.unlink()


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return value.hex() if isinstance(value, bytes) else str(value)
