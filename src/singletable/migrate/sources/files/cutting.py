"""Where files can be cut into parts of about the same length: only where a record begins.

A line end may stand inside a quoted value of CSV, which shows only to who reads from the beginning:
a file of CSV with a quote in it is read through once to be cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from .formats import Csv, Format
from .lines import Lines, is_packed
from .places import Place


def boundaries(paths: Sequence[Path], form: Format, parts: int) -> list[Place]:
    """Give up to so many places, one less than the parts, at which records begin."""
    total = sum(path.stat().st_size for path in paths)
    wanted = [total * part // parts for part in range(1, parts)]
    found: set[Place] = set()
    before = 0
    for path in paths:
        after = before + path.stat().st_size
        inside = [place - before for place in wanted if before < place <= after]
        found |= {(path.name, offset) for offset in _cuts(path, form, inside)}
        before = after
    return sorted(found)


def line_count(path: Path) -> int:
    """Count the lines of a file."""
    count, last = 0, b"\n"
    with closing(Lines(path)) as lines:
        for chunk in lines.chunks():
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def _cuts(path: Path, form: Format, wanted: list[int]) -> Iterator[int]:
    if is_packed(path):
        return iter([0] if wanted else [])
    if isinstance(form, Csv) and wanted and _has_quotes(path):
        return _records_at(path, form, wanted)
    return _lines_at(path, wanted)


def _lines_at(path: Path, wanted: list[int]) -> Iterator[int]:
    """Give the first beginning of a line at or after each place."""
    size = path.stat().st_size
    with path.open("rb") as file:
        for place in wanted:
            file.seek(place - 1)
            while (piece := file.readline(65536)) and not piece.endswith(b"\n"):
                pass
            if file.tell() < size:
                yield file.tell()


def _records_at(path: Path, form: Csv, wanted: list[int]) -> Iterator[int]:
    """Give the first beginning of a record at or after each place."""
    left = iter(wanted)
    place = next(left, None)
    with closing(Lines(path)) as lines:
        for record in form.records(lines):
            if place is None:
                return
            if record.offset >= place:
                yield record.offset
                while place is not None and place <= record.offset:
                    place = next(left, None)


def _has_quotes(path: Path) -> bool:
    with closing(Lines(path)) as lines:
        return any(b'"' in chunk for chunk in lines.chunks())
