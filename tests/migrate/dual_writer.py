"""The campaign manager while it moves: it writes where the phase says, until it is told to stop.

As a program it writes through both sides until it is killed, and prints each write that it has
acknowledged.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

import psycopg

from apps.campaigns.design import Campaigns, Session, Summary
from apps.campaigns.migration import LeavePostgres
from singletable import NotFound, VersionConflict
from singletable.migrate import Cutover, DualWrites, Job

WHEN = "2026-01-01 00:00:00+00:00"
USERS = 4
PAUSE_S = 0.05
HOT = 6
"""So few sessions are written by all."""
NEW = "(%s, %s, %s, %s, NULL, 'UPLOADED', NULL, NULL, NULL, %s, %s)"


class Application:
    """One process of the application."""

    def __init__(self, job: Job, seed: int, refresh_s: float) -> None:
        self.store = Campaigns.connect(job.destination)
        self.dual = DualWrites(job, Cutover(self.store, job.migration, refresh_s=refresh_s))
        self.old = psycopg.connect(job.source, autocommit=True)
        self.chance = random.Random(seed)  # noqa: S311 - no secret
        self.seed = seed
        self.acknowledged: dict[str, str] = {}
        """The name that was written last, by session; only those that nobody else writes."""

    def run(self, stop: Callable[[], bool]) -> None:
        """Write until it is told to stop."""
        with self.store, self.dual, self.old:
            for number in count():
                if stop():
                    return
                self.write(number)
                time.sleep(PAUSE_S)

    def write(self, number: int) -> str:
        """Write one session, its own or one that others write too; name it."""
        name = f"{self.seed}-{number}"
        mine = self.chance.random() < 0.3
        session = f"own{self.seed}-{number % 20}" if mine else f"s{self.chance.randrange(HOT)}"
        with self.dual.writing("sessions", session) as where:
            if where.writes_old:
                self._write_old(session, name, mine=mine)
            else:
                self._write_new(session, name, mine=mine)
        if mine:
            self.acknowledged[session] = name
        return f"{session} {name}"

    def _write_old(self, session: str, name: str, *, mine: bool) -> None:
        user = self.seed % USERS if mine else self.chance.randrange(USERS)
        where = (session, f"c{user}", f"u{user}")
        match 0 if mine else self.chance.randrange(4):
            case 0:
                again = "campaign_id = excluded.campaign_id, user_id = excluded.user_id"
                self._execute(
                    f"INSERT INTO sessions VALUES {NEW} ON CONFLICT (id) DO UPDATE "
                    f"SET name = excluded.name, {again}",
                    *where, name, WHEN, WHEN,
                )  # fmt: skip
            case 1:
                self._execute("UPDATE sessions SET name = %s WHERE id = %s", name, session)
            case 2:
                summary = "INSERT INTO summaries SELECT id, 'GM', %s, %s, %s FROM sessions"
                again = "ON CONFLICT (session_id, type) DO UPDATE SET content = excluded.content"
                self._execute(f"{summary} WHERE id = %s {again}", name, WHEN, WHEN, session)
            case _:
                self._execute("DELETE FROM sessions WHERE id = %s", session)

    def _write_new(self, session: str, name: str, *, mine: bool) -> None:
        user = self.seed % USERS
        ids: dict[str, Any] = {
            "user_id": f"u{user}",
            "campaign_id": f"c{user}",
            "session_id": session if mine else f"{session}-{user}",
        }
        with suppress(NotFound, VersionConflict):  # another was faster
            if not mine and self.chance.random() < 0.3:
                self.store.delete(Summary.key(**ids, audience="GM"))
                self.store.delete(Session.key(**ids))
            else:
                self.store.upsert(Session.key(**ids), name=name)
                self.store.put(Summary(**ids, audience="GM", content=name))

    def _execute(self, sql: str, *values: Any) -> None:
        self.old.execute(sql.encode(), values)


def main(source: str, destination: str, folder: str, seed: str) -> None:
    """Write until killed."""
    job = Job(migration=LeavePostgres, source=source, destination=destination)
    application = Application(job, int(seed), 0.2)
    for number in count():
        sys.stdout.write(f"{application.write(number)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
