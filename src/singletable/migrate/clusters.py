"""Workers on other machines: a Dask cluster, by the address of its scheduler.

Whatever a worker does it could do twice: so it does no harm that the cluster gives the part of a
worker that is gone to another. Workers need the modules of the migration and its design, the source
and the table under the same addresses, and a folder of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from singletable.errors import UsageError

CONNECT_S = 10


@contextmanager
def dask_cluster(address: str, modules: tuple[Path, ...] = ()) -> Iterator[tuple[Executor, int]]:
    """Give what runs work on a cluster, and how much it does at once; sends it files of code."""
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise UsageError("A Dask cluster needs dask: pip install 'singletable[dask]'") from error
    connect: Any = distributed.Client  # which has no types
    try:
        client = connect(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"There is no Dask scheduler at {address!r}: {error}") from error
    with client:
        for module in modules:
            client.upload_file(str(module))
        yield client.get_executor(), max(1, sum(client.nthreads().values()))
