"""Children that are killed before a step: a request to the new side, a call of the old one.

For programs of their own, as these fork.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from singletable.backends.embedded import EmbeddedBackend
from singletable.migrate.sources.sql import SqlSource

STEPS = ((EmbeddedBackend, "call"), (SqlSource, "fetch"), (SqlSource, "put"), (SqlSource, "delete"))


def in_child(work: Callable[[], None]) -> bool:
    """Run in a process of its own; tell whether it was not killed."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:  # noqa: BLE001 - a child must not go on as its parent
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return False
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(1)
    return True


def kill_before(step: int) -> None:
    """Kill this process with SIGKILL before its n-th step from now on."""
    do_before(step, lambda: os.kill(os.getpid(), signal.SIGKILL))


def do_before(step: int, work: Callable[[], None]) -> None:
    """Do something before the n-th step from now on."""
    left = iter(range(step, -1, -1))

    def counted(whole: Any) -> Any:
        def stepping(*given: Any, **more: Any) -> Any:
            if next(left, None) == 0:
                work()
            return whole(*given, **more)

        return stepping

    for owner, method in STEPS:
        setattr(owner, method, counted(getattr(owner, method)))
