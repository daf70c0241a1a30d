"""How a command that goes on and on is stopped: it ends what it is at, and says what it did."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPPED = 130
"""The exit code of what was stopped before its end."""


@contextmanager
def until_stopped(stop: Callable[[], object] | None = None) -> Iterator[Callable[[], bool]]:
    """Tell whether somebody asked to stop, by Ctrl-C or SIGTERM; ``stop`` is called then."""
    stopped = threading.Event()

    def hear(*_: object) -> None:
        stopped.set()
        if stop is not None:
            # Not here: it may need a lock that the very code holds which this interrupts.
            threading.Thread(target=stop).start()

    if threading.current_thread() is not threading.main_thread():
        yield stopped.is_set
        return
    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
