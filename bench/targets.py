"""What the workload runs on: each target starts, gives a client, tells its CPU time, stops.

Data files lie in the build folder and not in the system's temporary one, which may be memory.
"""

import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.peers import ROOT, WARM_UP_S
from bench.workload import OPERATIONS

BUILD = ROOT / "build" / "bench"
THREADS_MAX = 8
ALL_OPERATIONS = frozenset(operation.name for operation in OPERATIONS)


class Target(ABC):
    """Anything the workload can run on, with its data in memory or in files."""

    client: Any

    def __init__(
        self,
        name: str,
        storage: str,
        *,
        operations: frozenset[str] = ALL_OPERATIONS,
        threads_max: int = THREADS_MAX,
        warm_up_s: float = WARM_UP_S,
    ) -> None:
        self.name = name
        self.storage = storage
        self.operations = operations
        self.threads_max = threads_max
        self.warm_up_s = warm_up_s
        self.data = None if storage == "memory" else BUILD / "data" / name

    def start(self) -> None:
        """Start empty and return once requests are answered."""
        self._remove_data()
        if self.data is not None:
            self.data.mkdir(parents=True)
        self._open()

    def stop(self) -> None:
        """Stop and remove the data."""
        self._close()
        self._remove_data()

    @abstractmethod
    def cpu_s(self) -> float:
        """Tell the CPU time spent so far by the process that serves."""

    @abstractmethod
    def _open(self) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...

    def _remove_data(self) -> None:
        if self.data is not None:
            shutil.rmtree(self.data, ignore_errors=True)


class InProcess(Target):
    """A target called directly in this process, whose CPU time is therefore our own."""

    def __init__(
        self, name: str, storage: str, connect: Callable[[Path | None], Any], **limits: Any
    ) -> None:
        super().__init__(name, storage, **limits)
        self._connect = connect

    def cpu_s(self) -> float:
        """Tell the CPU time of this process, callers included."""
        return time.process_time()

    def _open(self) -> None:
        self.client = self._connect(self.data)

    def _close(self) -> None:
        self.client.close()
