"""A program that forks while another of its threads writes.

    python -m tests.crash.forking_at_work FILE

The child says what the inherited engine says to a read and to a write, and closes it; what the
thread of the parent wrote is there in the end.
"""

from __future__ import annotations

import os
import sys
import threading

from singletable.engine import Engine
from singletable.errors import SingletableError
from tests.engine.support import create, keys, put


def main(path: str) -> None:
    """Fork in the middle of the thread's work, and wait for the child."""
    with Engine(path, ttl_interval=None) as engine:
        create(engine)
        begun, forked = threading.Event(), threading.Event()
        thread = threading.Thread(target=_write, args=(engine, begun, forked))
        thread.start()
        begun.wait()
        child = os.fork()
        if child == 0:
            _use_inherited(engine)
            os._exit(0)
        os.waitpid(child, 0)
        forked.set()
        thread.join()
        assert keys(engine, "things") == {"before", "after"}


def _write(engine: Engine, begun: threading.Event, forked: threading.Event) -> None:
    with engine.together():
        put(engine, "things", "before")
        begun.set()
        forked.wait()
        put(engine, "things", "after")


def _use_inherited(engine: Engine) -> None:
    for use in (lambda: keys(engine, "things"), lambda: put(engine, "things", "inherited")):
        try:
            use()
        except SingletableError as error:
            _say(str(error))
    engine.close()
    _say("closed")


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
