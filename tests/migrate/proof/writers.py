"""Writers that change the source all the while, and a follower that applies what they do."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from singletable.migrate import Job, follow

Writer = Iterator[None]
"""Makes one change each time that it is asked for the next."""
NEARLY_NONE = 200
PATIENCE_S = 1800.0
SLOWER = 5


class Writers:
    """Writers at work at once, each with a pause between two changes."""

    def __init__(self, writers: Sequence[Writer], pause_s: float) -> None:
        self._writers = writers
        self._written = [0] * len(writers)
        self._done = threading.Event()
        self.pause_s = pause_s

    @property
    def written(self) -> int:
        """Count the changes."""
        return sum(self._written)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Have them write until the block ends."""
        with ThreadPoolExecutor(len(self._writers)) as threads:
            futures = [threads.submit(self._write, place) for place in range(len(self._writers))]
            try:
                yield
            finally:
                self._done.set()
            for future in futures:
                future.result()

    @contextmanager
    def slower(self) -> Iterator[None]:
        """Have them take their time, so that what they do is applied before they do more."""
        usual, self.pause_s = self.pause_s, SLOWER * self.pause_s
        yield
        self.pause_s = usual

    def _write(self, place: int) -> None:
        for _ in self._writers[place]:
            self._written[place] += 1
            if self._done.wait(self.pause_s):
                return


@contextmanager
def following(job: Job, writers: Writers) -> Iterator[None]:
    """Have changes applied until the block ends; it begins when hardly any are left."""
    done, near = threading.Event(), threading.Event()

    def show(left: int) -> None:
        if left <= NEARLY_NONE:
            near.set()

    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(follow, job, live=True, stop=done.is_set, show=show)
        future.add_done_callback(lambda _: near.set())
        try:
            with writers.slower():
                assert near.wait(PATIENCE_S), "changes come faster than they are applied"
            yield
        finally:
            done.set()
        future.result()


class Clock:
    """Tells how long each part of a proof took."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def tell(self, what: str) -> None:
        """Print what was done since the last time, and how long it took."""
        now = time.monotonic()
        sys.stdout.write(f"{now - self._since:8.1f} s  {what}\n")
        self._since = now
