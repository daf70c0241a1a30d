"""Parts of a verification, done side by side where there are workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import as_completed
from typing import Any

from singletable.migrate.processes import Pool

from .reading import Task
from .results import Counts

Part = tuple[Callable[..., Counts], tuple[Any, ...]]


def done(workers: int, task: Task, parts: Iterable[Part]) -> Iterator[Counts]:
    """Do parts, and give what each of them counts."""
    if workers == 1:
        yield from (function(task, *arguments) for function, arguments in parts)
        return
    with Pool(workers) as pool:
        futures = [pool.submit(function, task, *arguments) for function, arguments in parts]
        yield from (future.result() for future in as_completed(futures))
