"""Processes that work beside this one: they end with it, and at Ctrl-C without a word.

What they do may end at any moment and be begun again, so nobody has to ask them first.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread, current_thread, main_thread
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

GARBAGE = 100_000
"""So many objects are made before cycles are looked for."""
P = ParamSpec("P")
R = TypeVar("R")


class Pool(ProcessPoolExecutor):
    """Does tasks in processes of its own."""

    def __init__(self, workers: int) -> None:
        context = get_context("spawn")  # a fork would share open connections
        ended, self._ending = context.Pipe(duplex=False)
        super().__init__(workers, mp_context=context, initializer=_prepare, initargs=(ended,))

    def submit(self, task: Callable[P, R], /, *given: P.args, **named: P.kwargs) -> Future[R]:
        """Have a task done; a process that is begun for it hears Ctrl-C once it is prepared."""
        with _unheard():
            return super().submit(task, *given, **named)

    def end(self) -> None:
        """End the processes at once, whatever they are at; what was not begun is left out.

        The pool alone may cancel then, or it fails with a traceback when it tells the tasks that
        their processes are gone. Another Ctrl-C meanwhile would have it wait for ever.
        """
        with _ignored():
            self._ending.close()
            self.shutdown(cancel_futures=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        """Wait for the tasks, unless something went wrong: then nobody wants what comes of them."""
        if raised is not None:
            self.end()
        return super().__exit__(kind, raised, traceback)


@contextmanager
def workers_of(count: int, executor: Executor | None) -> Iterator[Executor]:
    """Give what does tasks: an executor that somebody has, or so many processes."""
    if executor is not None:
        yield executor
        return
    with Pool(count) as made:
        yield made


def drop(pool: Executor, pending: Collection[Future[Any]]) -> None:
    """Leave out tasks that nobody wants any more; begun ones end, if it is in processes of ours."""
    if isinstance(pool, Pool) and pending:
        pool.end()
        return
    for future in pending:
        future.cancel()


@contextmanager
def _unheard() -> Iterator[None]:
    """Hold Ctrl-C back, here and in a process begun meanwhile, which would show its traceback."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _ignored() -> Iterator[None]:
    """Ignore Ctrl-C for a moment; only the main thread can, and only it hears of one."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _prepare(ended: Connection) -> None:
    """Have a process end with its parent, and look for cycles less often: it makes none."""
    Thread(target=_end_with_parent, args=(ended,), daemon=True).start()
    gc.freeze()
    gc.set_threshold(GARBAGE, 50, 100)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end_with_parent(ended: Connection) -> None:
    """End at once where the parent says so, or was killed: it would be in the way of others."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel, ended])
        os._exit(1)
