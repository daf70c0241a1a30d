"""A service under load: one process on the embedded engine, eight clients, reads and writes mixed.

    python -m bench.services [--quick]

The campaign manager is served by uvicorn on a file. Every client begins sessions, changes and reads
them; one request in ten is sent twice with its Idempotency-Key, one in fifty is given up by its
client and sent again. In the end what the table has is compared with what was acknowledged.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from apps.campaigns.design import Campaign, Campaigns, Session
from bench.peers import ROOT

CLIENTS = 8
SECONDS, QUICK_SECONDS = 30.0, 4.0
READY_S = 60.0
REPEATED, GIVEN_UP = 0.1, 0.02
BEGINS, CHANGES, READS = 0.2, 0.4, 0.7
"""Below the first a request begins a session, below the next it changes one, then it reads one."""

_SERVE = """
import sys, uvicorn
from apps.campaigns.service import make
from apps.service import Settings
app = make(Settings.of_development(sys.argv[1], objects=sys.argv[2]))
server = uvicorn.Server(uvicorn.Config(app, port=int(sys.argv[3]), log_level="warning"))
server.run()
"""


@dataclass
class Client:
    """Is a user with a campaign, who counts what was acknowledged."""

    number: int
    port: int
    token: str = ""
    campaign: str = ""
    begun: dict[str, int] = field(default_factory=dict)
    """Sessions, with how often each was changed."""
    times_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = Random(self.number)  # noqa: S311 - the same every time
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def prepare(self) -> None:
        """Log in, and begin a campaign."""
        self.token = self._send("POST", "/development/token", {"subject": f"u{self.number}"})[
            "token"
        ]
        self.campaign = self._send("POST", "/campaigns", {"name": "Load"})["campaign_id"]

    def run(self, until: float) -> None:
        """Send requests, one after the other."""
        while time.monotonic() < until:
            begin = time.perf_counter()
            self._one()
            self.times_s.append(time.perf_counter() - begin)

    def _one(self) -> None:
        here, chance = f"/campaigns/{self.campaign}/sessions", self._random.random()
        if chance < BEGINS or not self.begun:
            self._begin(here)
        elif chance < CHANGES:
            self._change(here)
        elif chance < READS:
            self._send("GET", f"{here}/{self._random.choice(list(self.begun))}")
        else:
            self._send("GET", here)

    def _begin(self, here: str) -> None:
        key = {"Idempotency-Key": f"{self.number}-{len(self.begun)}"}
        body = {"name": f"Session {len(self.begun)}"}
        if self._random.random() < GIVEN_UP:
            self._give_up("POST", here, body, key)
        made = self._send("POST", here, body, key)["session_id"]
        if self._random.random() < REPEATED:
            assert self._send("POST", here, body, key)["session_id"] == made
        assert made not in self.begun
        self.begun[made] = 0

    def _change(self, here: str) -> None:
        session = self._random.choice(list(self.begun))
        version = {"If-Match": f'"{self.begun[session] + 1}"'}
        self._send("PATCH", f"{here}/{session}", {"description": "changed"}, version)
        self.begun[session] += 1

    def _give_up(self, method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        """Send a request, and do not wait for its answer."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as left:
            left.request(method, path, orjson.dumps(body), self._headers(headers))

    def _send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        content = None if body is None else orjson.dumps(body)
        self._connection.request(method, path, content, self._headers(headers or {}))
        answer = self._connection.getresponse()
        told = answer.read()
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise RuntimeError(f"{method} {path}: {answer.status} {told.decode()}")
        return orjson.loads(told)

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **more}


def main(*, quick: bool) -> None:
    """Load the service, print what it did, and fail if an effect is lost or doubled."""
    seconds = QUICK_SECONDS if quick else SECONDS
    with TemporaryDirectory(prefix="bench-") as folder:
        file = Path(folder) / "campaigns.db"
        with served(file, Path(folder) / "objects") as port:
            clients = [Client(number, port) for number in range(CLIENTS)]
            for client in clients:
                client.prepare()
            began = time.monotonic()
            with ThreadPoolExecutor(CLIENTS) as pool:
                list(pool.map(lambda one: one.run(began + seconds), clients))
            took = time.monotonic() - began
        faults = list(audit(file, clients))
    _print(clients, took, faults)
    if faults:
        raise SystemExit(1)


@contextmanager
def served(file: Path, objects: Path) -> Iterator[int]:
    """Serve the campaign manager in a process of its own."""
    port = _free_port()
    command = [sys.executable, "-c", _SERVE, str(file), str(objects), str(port)]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        _await(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(READY_S)


def audit(file: Path, clients: Sequence[Client]) -> Iterator[str]:
    """Compare what was acknowledged with what is there."""
    with Campaigns.connect(str(file)) as store:
        for client in clients:
            user = f"u{client.number}"
            ids = {"user_id": user, "campaign_id": client.campaign}
            found = {one.session_id: one for one in store.bind(Session.query(**ids))}
            if found.keys() != client.begun.keys():
                yield f"{user} began {len(client.begun)} sessions, and {len(found)} are there"
            for session, changes in client.begun.items():
                if session in found and found[session].version != changes + 1:
                    yield f"{user} changed {session} {changes} times: {found[session].version}"
            counted = store.bind(Campaign.get(**ids)).one().session_count
            if counted != len(client.begun):
                yield f"{user} has {len(client.begun)} sessions, and {counted} are counted"


def _print(clients: Sequence[Client], took_s: float, faults: Sequence[str]) -> None:
    times = sorted(one for client in clients for one in client.times_s)
    p50, p99 = (times[int((len(times) - 1) * part)] * 1000 for part in (0.5, 0.99))
    begun = sum(len(client.begun) for client in clients)
    changed = sum(sum(client.begun.values()) for client in clients)
    print(
        f"campaigns, {CLIENTS} clients, {took_s:.0f} s: {len(times) / took_s:,.0f} requests/s, "
        f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    )
    print(f"{begun:,} sessions begun, {changed:,} changes: {len(faults)} effects lost or doubled")
    for fault in faults:
        print(f"  {fault}")


def _free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


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
