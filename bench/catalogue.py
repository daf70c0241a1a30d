"""The list of targets: ours, the floor, plain `sqlite3`, and every peer that is installed."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.embedded import PlainSqlite, open_engine
from bench.peers import PEERS, ROOT, Launch
from bench.servers import Server
from bench.targets import InProcess, Target

NAMES = ("engine", "server", "sqlite", "floor", *(peer.name for peer in PEERS))


def targets(only: frozenset[str]) -> list[Target]:
    """Build the targets named; say in one line what is missing."""
    ours = [target for target in _ours() if target.name in only]
    return [*ours, *_peers(only)]


def _ours() -> Iterator[Target]:
    for storage in ("memory", "file"):
        yield InProcess("engine", storage, open_engine)
        yield Server("server", storage, serve)
        operations = frozenset({"GetItem", "PutItem", "UpdateItem"})
        yield InProcess("sqlite", storage, PlainSqlite, operations=operations, threads_max=1)
    yield Server("floor", "memory", _floor)


def _peers(only: frozenset[str]) -> Iterator[Target]:
    for peer in PEERS:
        if peer.name not in only:
            continue
        program = peer.find()
        if program is None:
            print(f"{peer.name}: not installed, left out (python -m bench --install)")
            continue
        for storage in peer.storages:
            yield Server(
                peer.name, storage, partial(peer.launch, program), warm_up_s=peer.warm_up_s
            )


def serve(port: int, data: Path | None) -> Launch:
    """Say how to start our own server."""
    store = ["--memory"] if data is None else ["--db", str(data / "server.db")]
    command = Path(sys.executable).with_name("singletable")  # what `pip install` puts there
    return Launch([str(command), "serve", "--port", str(port), *store])


def _floor(port: int, _data: Path | None) -> Launch:
    return Launch([sys.executable, "-m", "bench.floor", str(port)], directory=ROOT)
