"""Sends each POST of a service again, with its Idempotency-Key, after the state has moved on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

KEY = {"Idempotency-Key": "k1"}


def nothing() -> None:
    """Leave all as it is: nothing could refuse such a request."""


def whole(answer: Any) -> Any:
    """Compare all of an answer."""
    return answer


@dataclass(frozen=True)
class Again:
    """A request, and what makes the service refuse one like it."""

    route: str
    client: TestClient
    path: str
    body: Any = None
    move: Callable[[], Any] = nothing
    kept: Callable[[Any], Any] = whole
    """What of the answer stays the same: all of it, but for what has changed since."""

    def check(self) -> None:
        """The second answer is the first one."""
        first = self.client.post(self.path, json=self.body, headers=KEY)
        assert first.status_code < 300, (self.route, first.text)
        self.move()
        again = self.client.post(self.path, json=self.body, headers=KEY)
        assert again.status_code == first.status_code, (self.route, again.text)
        assert self.kept(again.json()) == self.kept(first.json()), self.route


def check_all(app: FastAPI, requests: Iterable[Again], without: set[str]) -> None:
    """Every POST in the service's document is among the requests, or has no use for a key."""
    tried = set()
    for one in requests:
        one.check()
        tried.add(one.route)
    paths = app.openapi()["paths"].items()
    assert tried | without == {path for path, methods in paths if "post" in methods}
