"""From PostgreSQL into a file: rows a second, beside a loop that moves row by row, and memory.

`python -m bench.migrate` copies the campaign manager's five tables into the embedded engine with
two workers, at several sizes. Rows are those of all tables. The loop does what one writes first: it
reads row by row through psycopg, and puts each item through boto3 into the same engine, served over
HTTP from a file. It leaves out keys of indexes, unique values and counts, all of which the
migration has; large text goes to files in both. Memory is that of each process, at its most.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import psutil
import psycopg
from psycopg.rows import dict_row

from apps.campaigns.design import table as design
from bench.catalogue import serve
from bench.goals import (
    MIGRATED_RESIDENT_MB_MAX,
    MIGRATED_ROWS_PER_S,
    MIGRATED_TIMES_LOOP,
    Goal,
    at_least,
    at_most,
)
from bench.peers import ROOT
from bench.report import heading, keep, machine, table
from bench.servers import Server
from bench.targets import BUILD
from singletable.store.creation import create_request
from tests.migrate import postgres
from tests.migrate.proof import sql

LOOK_S = 0.05
LARGE_CHARACTERS = 4096


@dataclass(frozen=True)
class Pace:
    """How many rows are copied, and for how long the loop may run."""

    sizes: tuple[int, ...]
    loop_s: float


FULL = Pace(sizes=(10_000, 100_000, 1_000_000), loop_s=10.0)
QUICK = Pace(sizes=(10_000, 100_000), loop_s=3.0)


@dataclass(frozen=True)
class Copy:
    """A migration that was measured."""

    rows: int
    seconds: float
    cpu_s: float
    """Of all its processes; that of PostgreSQL comes on top."""
    resident_mb: tuple[float, ...]
    """The most that each process had, the largest first."""

    @property
    def rows_per_s(self) -> float:
        """Tell the rate, of all that is done, counts and the start of workers among it."""
        return self.rows / self.seconds


def main(pace: Pace) -> None:
    """Measure, print the report, and keep it in the build folder."""
    facts = machine(BUILD)
    with postgres.server() as server:
        copies = [_copy(server, size) for size in pace.sizes]
        loop_per_s = _loop(server, pace)
    document = {"machine": facts, "copies": copies, "loop_rows_per_s": loop_per_s}
    keep(BUILD, "migrate", markdown(facts, copies, loop_per_s), document)


def _copy(server: str, size: int) -> Copy:
    """Copy so many rows in a process of its own, and look at the memory of all its processes."""
    with postgres.database(server) as address, _folder() as folder:
        made = sql.Size.of(size)
        sql.fill(address, made)
        command = [sys.executable, "-m", "bench.migrate_run", address, str(folder)]
        most: dict[int, float] = {}
        with psutil.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            while process.poll() is None:
                _look(process, most)
                time.sleep(LOOK_S)
            told = orjson.loads(process.stdout.read())
        if process.returncode or told["rejected"] or told["items"] < made.rows:
            raise AssertionError(f"{size} rows became {told}")
    resident = sorted(most.values(), reverse=True)
    return Copy(made.rows, told["seconds"], told["cpu_s"], tuple(resident))


def _look(process: psutil.Popen, most: dict[int, float]) -> None:
    for one in (process, *process.children(recursive=True)):
        try:
            resident = one.memory_info().rss / 1e6
        except psutil.NoSuchProcess:
            continue
        most[one.pid] = max(most.get(one.pid, 0.0), resident)


def _loop(server: str, pace: Pace) -> float:
    """Move rows one by one, for a while; give how many a second."""
    target = Server("loop", "file", serve)
    with postgres.database(server) as address, _folder() as folder:
        sql.fill(address, sql.Size.of(pace.sizes[-1]))
        target.start()
        try:
            target.client.create_table(**create_request(design, design.name))
            with psycopg.connect(address, row_factory=dict_row) as connection:
                started, count = time.perf_counter(), 0
                for item in _items(connection, folder):
                    target.client.put_item(TableName=design.name, Item=item)
                    count += 1
                    if time.perf_counter() - started > pace.loop_s:
                        break
                return count / (time.perf_counter() - started)
        finally:
            target.stop()


def _items(
    connection: psycopg.Connection[dict[str, Any]], folder: Path
) -> Iterator[dict[str, Any]]:
    """Give the items of one user after another, as one writes it first."""
    for user in connection.execute("SELECT * FROM users").fetchall():
        mine = f"USER#{user['id']}"
        yield _item(mine, f"METADATA#{user['id']}", "USER", user)
        campaigns = "SELECT * FROM campaigns WHERE user_id = %s"
        for campaign in connection.execute(campaigns, [user["id"]]).fetchall():
            yield _item(mine, f"CAMPAIGN#{campaign['id']}", "CAMPAIGN", campaign)
            sessions = "SELECT * FROM sessions WHERE campaign_id = %s"
            for session in connection.execute(sessions, [campaign["id"]]).fetchall():
                key = f"SESSION#{campaign['id']}#{session['id']}"
                yield _item(mine, key, "SESSION", session)
                transcripts = "SELECT * FROM transcripts WHERE session_id = %s"
                for one in connection.execute(transcripts, [session["id"]]).fetchall():
                    if len(one["text"]) > LARGE_CHARACTERS:
                        (folder / session["id"]).write_text(one.pop("text"))
                    yield _item(mine, f"{key}#TRANSCRIPT", "TRANSCRIPT", one)
                summaries = "SELECT * FROM summaries WHERE session_id = %s"
                for one in connection.execute(summaries, [session["id"]]).fetchall():
                    yield _item(mine, f"{key}#SUMMARY#{one['type']}", "SUMMARY", one)


def _item(pk: str, sk: str, kind: str, row: dict[str, Any]) -> dict[str, Any]:
    fields = {name: {"S": str(value)} for name, value in row.items() if value is not None}
    return {"PK": {"S": pk}, "SK": {"S": sk}, "entityType": {"S": kind}, **fields}


@contextmanager
def _folder() -> Iterator[Path]:
    """Give a folder in the build folder, which is on a disk, and remove it."""
    folder = BUILD / "data" / "migrate"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "objects").mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def goals_of(copies: list[Copy], loop_per_s: float) -> dict[int, list[Goal]]:
    """Hold the largest copy against the promises of speed, each against that of memory."""
    goals = {
        copy.rows: [at_most(MIGRATED_RESIDENT_MB_MAX, " MB a process", copy.resident_mb[0])]
        for copy in copies
    }
    last = copies[-1]
    goals[last.rows] += [
        at_least(MIGRATED_ROWS_PER_S, " rows/s", last.rows_per_s),
        at_least(MIGRATED_TIMES_LOOP, "x loop", last.rows_per_s / loop_per_s),
    ]
    return goals


def markdown(facts: dict[str, Any], copies: list[Copy], loop_per_s: float) -> str:
    """Write the table, then the goals that were missed."""
    goals = goals_of(copies, loop_per_s)
    lines = [[*_line(copy, loop_per_s), ", ".join(map(str, goals[copy.rows]))] for copy in copies]
    lines.append(["row by row", f"{loop_per_s:,.0f}", "1.0", "", "", ""])
    missed = [f"- {one}" for some in goals.values() for one in some if not one.met]
    sections = [
        heading("Migrations", facts),
        "## PostgreSQL to a file, two workers\n\n" + table(HEADINGS, lines),
        "## Goals missed\n\n" + ("\n".join(missed) or "None."),
    ]
    return "\n\n".join(sections) + "\n"


HEADINGS = ("rows", "rows/s", "x loop", "CPU µs/row", "MB of each process", "goals")


def _line(copy: Copy, loop_per_s: float) -> list[str]:
    memory = " + ".join(f"{each:.0f}" for each in copy.resident_mb)
    rate = copy.rows_per_s
    cpu_us = copy.cpu_s / copy.rows * 1e6
    return [f"{copy.rows:,}", f"{rate:,.0f}", f"{rate / loop_per_s:.1f}", f"{cpu_us:.0f}", memory]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.migrate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows, rougher figures")
    main(QUICK if parser.parse_args().quick else FULL)
