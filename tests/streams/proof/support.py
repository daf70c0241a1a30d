"""What the programs of the proof and their parent share: the database, and how one is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import streams

from .design import Parcels
from .split import SplitEngine

ROOT = Path(__file__).parents[3]


def connect(path: str | Path, shards: int = 1) -> Parcels:
    """Open the database, whose shards are closed after a second instead of four hours.

    It does not wait for the disk: a process that is killed loses nothing it gave to the system.
    """
    streams.SHARD_SECONDS = 1
    engine = SplitEngine(path, shards, durable=False, ttl_interval=None)
    return Parcels.connect(EmbeddedBackend(engine, owned=True))


def seeded(seed: int | str) -> Random:
    """Give a source of choices that are the same in every run."""
    return Random(seed)  # noqa: S311 # nothing here is a secret


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program of the proof."""
    command = [sys.executable, "-m", f"tests.streams.proof.{program}", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
