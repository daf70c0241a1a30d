"""One request of a client, from its head to its whole body, and what is to become of it."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from singletable.server import bounds
from singletable.server.answers import (
    Answer,
    Header,
    Headers,
    RequestEntityTooLargeException,
    failure,
)

Work = Callable[[bytes], "Answer | Future[Answer]"]
"""Takes a whole body, and answers now or later."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a request before its body is there."""

    method: bytes
    target: bytes
    headers: Headers


NO_HEAD = Head(b"", b"", {})


class Site(Protocol):
    """What a connection asks for answers: the application behind its guard."""

    def open(self, head: Head, /) -> Answer | Work:
        """Judge a request by its head: answer it, or give what answers its body."""

    def shared(self, headers: Headers, /) -> list[Header]:
        """List what the answer has to say to the web page that asked, if one did."""


@dataclass(slots=True)
class Exchange:
    """A request on its way in; ``opened`` is what the site made of its head."""

    head: Head
    keep_alive: bool
    opened: Answer | Work | None = None
    whole: bool = False
    size: int = 0
    _body: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Take a part of the body; what is beyond the bound is counted and not kept.

        Parts are joined as they come: kept one by one, those of two bytes take twenty times that.
        """
        self.size += len(data)
        if self.size <= bounds.BODY_BYTES_MAX:
            self._body += data

    def body(self) -> bytes:
        """Give the body as far as it is there."""
        return bytes(self._body)

    def open(self, site: Site) -> Answer | Work:
        """Have the head judged, once, and the length of the body as often as there is more."""
        if self.opened is None:
            self.opened = site.open(self.head)
        if not isinstance(self.opened, Answer) and self._is_too_large():
            self.opened = failure(
                RequestEntityTooLargeException(
                    f"Request size exceeded the limit of {bounds.BODY_BYTES_MAX} bytes"
                )
            )
        return self.opened

    def is_held_back(self) -> bool:
        """Say whether the client waits to be told that its body is wanted."""
        return not self.size and self.head.headers.get(b"expect", b"").lower() == b"100-continue"

    def _is_too_large(self) -> bool:
        announced = int(self.head.headers.get(b"content-length", b"0"))
        return max(announced, self.size) > bounds.BODY_BYTES_MAX
