"""The services under load: one process on the embedded engine, eight clients, reads and writes.

    python -m bench.services [--quick]

Each is served by uvicorn on a file, with what follows the stream beside it. In the end what its
table has is compared with what was acknowledged.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.peers import ROOT
from bench.servers import free_port
from bench.services_client import Client
from bench.services_users import KINDS

CLIENTS = 8
SECONDS, QUICK_SECONDS = 30.0, 2.0
READY_S = 60.0

_SERVE = """
import importlib, sys, uvicorn
from apps.service import Settings
name, file, objects, port = sys.argv[1:]
make = importlib.import_module(f"apps.{name}.service").make
app = make(Settings.of_development(file, use="id", objects=objects))
server = uvicorn.Server(uvicorn.Config(app, port=int(port), log_level="warning"))
server.run()
"""


def main(*, quick: bool) -> None:
    """Load the services, print what they did, and fail if an effect is lost or doubled."""
    faults = 0
    for kind in KINDS:
        with TemporaryDirectory(prefix="bench-") as folder:
            file = Path(folder) / f"{kind.app}.db"
            with served(kind.app, file, Path(folder) / "objects") as port:
                clients, took_s = load(kind, port, QUICK_SECONDS if quick else SECONDS)
            found = audit(file, clients)
        _print(clients, took_s, found)
        faults += len(found)
    if faults:
        raise SystemExit(1)


def load(
    kind: type[Client], port: int, seconds: float, count: int = CLIENTS
) -> tuple[list[Client], float]:
    """Have clients of a kind load a service; give them, and how long it took."""
    clients = [kind(number, port) for number in range(count)]
    for client in clients:
        client.log_in()
        client.prepare()
    began = time.monotonic()
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda one: one.run(began + seconds), clients))
    took_s = time.monotonic() - began
    for client in clients:
        client.close()
    return clients, took_s


def audit(file: Path, clients: Sequence[Client]) -> list[str]:
    """Compare what was acknowledged with what is there."""
    kind = type(clients[0])
    with kind.store.connect(str(file)) as store:
        return list(kind.audit(store, clients))


@contextmanager
def served(name: str, file: Path, objects: Path) -> Iterator[int]:
    """Serve an app in a process of its own."""
    port = free_port()
    command = [sys.executable, "-c", _SERVE, name, str(file), str(objects), str(port)]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        _await(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(READY_S)


def _print(clients: Sequence[Client], took_s: float, faults: Sequence[str]) -> None:
    times = sorted(one for client in clients for one in client.times_s)
    p50, p99 = (times[int((len(times) - 1) * part)] * 1000 for part in (0.5, 0.99))
    effects, busy = (sum(getattr(one, name) for one in clients) for name in ("effects", "busy"))
    print(
        f"{clients[0].app}, {len(clients)} clients, {took_s:.0f} s: "
        f"{len(times) / took_s:,.0f} requests/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms; "
        f"{effects:,} effects acknowledged, {len(faults)} lost or doubled; {busy} sent again (503)"
    )
    for fault in faults:
        print(f"  {fault}")


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/health/ready")
                if connection.getresponse().status == HTTPStatus.OK:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("The service does not answer")


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
