"""A program that forks with an open engine, and whose parent part is the first to end.

    python -m tests.crash.forking FILE

The child says what the inherited engine says, and then writes with an engine of its own, before and
after the parent has closed its engine.
"""

from __future__ import annotations

import os
import sys

from singletable.engine import Engine
from singletable.errors import SingletableError
from tests.engine.support import create, put


def main(path: str) -> None:
    """Fork, close, and wait for the child."""
    (parent_read, child_write), (child_read, parent_write) = os.pipe(), os.pipe()
    engine = Engine(path, ttl_interval=None)
    create(engine)
    put(engine, "things", "parent")
    child = os.fork()
    if child == 0:
        _use_inherited(engine)
        own = Engine(path, ttl_interval=None)
        put(own, "things", "early")
        os.write(child_write, b".")
        os.read(child_read, 1)
        put(own, "things", "late")
        # Without closing anything, as multiprocessing ends its processes.
        os._exit(0)
    os.read(parent_read, 1)
    put(engine, "things", "parent again")
    engine.close()
    os.write(parent_write, b".")
    os.waitpid(child, 0)


def _use_inherited(engine: Engine) -> None:
    try:
        put(engine, "things", "inherited")
    except SingletableError as error:
        os.write(1, str(error).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
