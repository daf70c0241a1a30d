"""One migration in a process of its own, so that its memory is nobody else's.

`python -m bench.migrate_run SOURCE FOLDER` copies the campaign manager's PostgreSQL into a file.
"""

import os
import sys
import time
from pathlib import Path

import orjson

from apps.campaigns.migration import LeavePostgres
from singletable.migrate import Job, run_migration


def job_of(source: str, folder: Path) -> Job:
    """Give the job, with all that it writes in one folder."""
    return Job(
        migration=LeavePostgres,
        source=source,
        destination=str(folder / "new.db"),
        objects=str(folder / "objects"),
        folder=folder,
    )


def main(source: str, folder: Path) -> None:
    """Copy, and tell how long it took and what came of it."""
    started = time.perf_counter()
    done = run_migration(job_of(source, folder))
    seconds, spent = time.perf_counter() - started, os.times()
    cpu_s = spent.user + spent.system + spent.children_user + spent.children_system
    told = {"seconds": seconds, "cpu_s": cpu_s, **done.as_data()}
    print(orjson.dumps(told).decode())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
