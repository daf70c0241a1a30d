"""A client that loads a service: it knows what was acknowledged, to compare in the end.

One request in ten that makes something is sent twice with its Idempotency-Key, one in fifty is
given up by its client and sent again. What is too much at once is sent again, too, as a service
asks for it: that takes its time, and is no effect.
"""

from __future__ import annotations

import http.client
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any, ClassVar, Self

import orjson

from singletable import Store

REPEATED, GIVEN_UP = 0.1, 0.02
BUSY_S = 0.02

Json = dict[str, Any]
Choice = tuple[float, Callable[[], Any]]
"""What is done, and below which chance."""


@dataclass
class Client(ABC):
    """Sends requests to a service, one after the other."""

    app: ClassVar[str]
    store: ClassVar[type[Store]]
    group: ClassVar[Json] = {}

    number: int
    port: int
    times_s: list[float] = field(default_factory=list)
    busy: int = 0
    """How often the service asked to come again."""

    def __post_init__(self) -> None:
        self.random = Random(self.number)  # noqa: S311 - the same every time
        self.user = f"u{self.number}"
        self._token = ""
        self._made = 0
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    @abstractmethod
    def prepare(self) -> None:
        """Make what the client works with."""

    @abstractmethod
    def choices(self) -> Sequence[Choice]:
        """Give what a client does, with the chances, which go up to 1."""

    @classmethod
    @abstractmethod
    def audit(cls, store: Any, clients: Sequence[Self]) -> Iterator[str]:
        """Name what is not as it was acknowledged: effects that are lost, or doubled."""

    @property
    @abstractmethod
    def effects(self) -> int:
        """Count what was acknowledged."""

    def log_in(self) -> None:
        """Get a token."""
        wanted = {"subject": self.user, "email": f"{self.user}@example.com", **self.group}
        self._token = self.send("POST", "/development/token", wanted)["token"]

    def run(self, until: float) -> None:
        """Send requests, one after the other."""
        while time.monotonic() < until:
            chance, begin = self.random.random(), time.perf_counter()
            next(act for below, act in self.choices() if chance < below)()
            self.times_s.append(time.perf_counter() - begin)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def make(self, path: str, body: Any, name: str) -> Any:
        """Have something made once, however often it is asked for; give what ``name`` tells."""
        self._made += 1
        key = {"Idempotency-Key": str(self._made)}
        if self.random.random() < GIVEN_UP:
            self._give_up(path, body, key)
        made = self.send("POST", path, body, key)[name]
        if self.random.random() < REPEATED:
            assert self.send("POST", path, body, key)[name] == made
        return made

    def _give_up(self, path: str, body: Any, headers: Json) -> None:
        """Send a request, and do not wait for its answer."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as left:
            left.request("POST", path, orjson.dumps(body), self._headers(headers))

    def send(self, method: str, path: str, body: Any = None, headers: Json | None = None) -> Any:
        """Send a request until the service has time for it; give what it answers."""
        content = None if body is None else orjson.dumps(body)
        while True:
            self._connection.request(method, path, content, self._headers(headers or {}))
            answer = self._connection.getresponse()
            told = answer.read()
            if answer.status != HTTPStatus.SERVICE_UNAVAILABLE:
                break
            self.busy += 1
            time.sleep(BUSY_S)
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise RuntimeError(f"{method} {path}: {answer.status} {told.decode()}")
        return orjson.loads(told) if told else None

    def _headers(self, more: Json) -> Json:
        token = {"Authorization": f"Bearer {self._token}"}
        return {**token, "Content-Type": "application/json", **more}


def differences(what: str, acknowledged: Any, found: Any) -> Iterator[str]:
    """Name what is not there as it was acknowledged."""
    if not isinstance(acknowledged, dict):
        acknowledged, found = {"": acknowledged}, {"": found}
    for name in sorted({*acknowledged, *found}):
        if acknowledged.get(name) != found.get(name):
            told = f"{acknowledged.get(name)} acknowledged, {found.get(name)} there"
            yield f"{what}{f' ({name})' if name else ''}: {told}"
