"""A receiver of webhooks on loopback, which answers as a test tells it to."""

from __future__ import annotations

import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Request:
    """What arrived."""

    path: str
    headers: dict[str, str]
    body: bytes
    peer: int
    """The port of the connection it came over."""


@dataclass
class Receiver:
    """Holds what arrived, and the answers that are still to be given; then all is well."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    answers: deque[Behaviour] = field(default_factory=deque)


def answer(status: int, body: bytes = b"", **headers: str) -> Behaviour:
    """Answer with a status."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return behave


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def answer_and_hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Answer as if the connection stayed open, then close it."""
    answer(200)(handler)
    handler.close_connection = True


@contextmanager
def receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver for a block."""
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            peer = self.client_address[1]
            told.requests.append(Request(self.path, dict(self.headers), body, peer))
            (told.answers.popleft() if told.answers else answer(200))(self)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "http" if context is None else "https"
        told.url = f"{scheme}://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield told
        finally:
            server.shutdown()
            thread.join()


class Server(ThreadingHTTPServer):
    """A server that a client may leave at any time."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""
