"""A program whose files may not grow, then may again: the real thing, in a process of its own.

python -m tests.crash.limited FILE
"""

from __future__ import annotations

import resource
import sys

from singletable.engine import Engine
from singletable.errors import InternalServerError

from .audit import audit
from .workload import CREATE, Workload, seeded

STEPS = 500


def limit(file_bytes: int) -> None:
    """Let no file of this process grow beyond a size; -1 lifts the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, hard))


def main(path: str) -> None:
    """Run into the limit, and go on without it."""
    workload, refused = Workload(seeded(0)), 0
    with Engine(path, durable=False, ttl_interval=None) as engine:
        engine.call("CreateTable", CREATE)
        for file_bytes in (300_000, 600_000, 900_000):
            limit(file_bytes)
            try:
                workload.run(engine, STEPS)
            except InternalServerError as error:
                refused += "disk" in error.message
            limit(-1)
            workload.check(engine)
            audit(engine)
    with Engine(path, durable=False, ttl_interval=None) as engine:
        workload.check(engine)
        audit(engine)
    sys.stdout.write(f"refused {refused} times\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
