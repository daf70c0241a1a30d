"""The report: Markdown for people, printed and kept, and JSON for whoever compares runs."""

import os
import platform
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from bench.goals import READY_S_MAX, Goal, Row, Rows, at_most

HEADINGS = ("target", "storage", "ops/s", "p50 µs", "p99 µs", "CPU µs/op", "x local", "goals")


def machine(directory: Path) -> dict[str, Any]:
    """Tell what the figures depend on: versions, cores, load, and the price of one fsync."""
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "fsync_us": round(_fsync_us(directory)),
    }


def _fsync_us(directory: Path, times: int = 100) -> float:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "fsync.probe"
    with path.open("wb", buffering=0) as file:
        started = time.perf_counter()
        for _ in range(times):
            file.write(bytes(4096))
            os.fsync(file.fileno())
        elapsed = time.perf_counter() - started
    path.unlink()
    return elapsed / times * 1e6


def markdown(machine: dict[str, Any], rows: Iterable[Row], ready_s: dict[str, float]) -> str:
    """Write one table per operation and number of threads, then the times until ready."""
    compared = Rows(rows)
    sections = [heading("Benchmark", machine), *_operation_sections(compared)]
    if ready_s:
        sections.append("## Ready to serve\n\n" + _ready_table(ready_s))
    sections.append("## Goals missed\n\n" + ("\n".join(_missed(compared, ready_s)) or "None."))
    return "\n\n".join(sections) + "\n"


def heading(title: str, machine: dict[str, Any]) -> str:
    """Begin a report: with what its figures depend on."""
    return f"# {title}\n\n" + ", ".join(f"{name} {fact}" for name, fact in machine.items())


def keep(folder: Path, name: str, text: str, document: dict[str, Any]) -> None:
    """Print a report, and keep it in a folder, with its figures as data beside it."""
    print(text)
    (folder / f"{name}.md").write_text(text)
    data = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    (folder / f"{name}.json").write_bytes(data)
    print(f"Kept in {os.path.relpath(folder)}/{name}.md and {name}.json")


def table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Lay out a Markdown table that also reads well as plain text."""
    cells = [list(headings), *map(list, lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join(_line(line, widths) for line in cells)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _operation_sections(rows: Rows) -> Iterator[str]:
    for (operation, threads), group in groupby(rows.all, lambda row: (row.operation, row.threads)):
        title = f"## {operation}, {threads} thread{'s' if threads > 1 else ''}"
        yield f"{title}\n\n{table(HEADINGS, [_cells(row, rows) for row in group])}"


def _missed(rows: Rows, ready_s: dict[str, float]) -> Iterator[str]:
    for row in rows.all:
        place = f"{row.target}, {row.storage}, {row.operation}, {row.threads}"
        yield from (f"- {place}: {goal}" for goal in rows.goals(row) if not goal.met)
    for name, seconds in ready_s.items():
        yield from (
            f"- {name}, ready: {goal}" for goal in _ready_goals(name, seconds) if not goal.met
        )


def _cells(row: Row, rows: Rows) -> list[str]:
    if row.failure is not None:
        return [row.target, row.storage, "", "", "", "", "", f"failed: {row.failure}"]
    times_local = rows.times_local(row)
    figures = (row.ops_per_s, row.p50_us, row.p99_us, row.cpu_us)
    return [
        row.target,
        row.storage,
        *(f"{figure:,.0f}" for figure in figures),
        "" if times_local is None else f"{times_local:.2f}",
        ", ".join(str(goal) for goal in rows.goals(row)),
    ]


def _ready_goals(name: str, seconds: float) -> list[Goal]:
    return [at_most(READY_S_MAX, " s", seconds)] if name == "server" else []


def _ready_table(ready_s: dict[str, float]) -> str:
    lines = [
        [name, f"{seconds:.3f}", ", ".join(map(str, _ready_goals(name, seconds)))]
        for name, seconds in ready_s.items()
    ]
    return table(("target", "seconds", "goal"), lines)
