"""Listens, serves and stops: the socket, uvicorn, signals.

The socket is bound before anything is served, so that a taken port is one line and not a
traceback. Only loopback is served without access keys.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EADDRINUSE
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from singletable.engine import Engine
from singletable.errors import SingletableError
from singletable.server import sigv4
from singletable.server.app import Application, Authenticate
from singletable.server.connections import ClientConnection
from singletable.server.guard import Guard, is_everywhere, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp

GRACE_SECONDS = 5
IDLE_SECONDS = 60


class CannotListen(SingletableError):
    """Says why the server cannot serve at an address."""


@dataclass(frozen=True)
class Settings:
    """Is where to serve, and who may call.

    Without ``keys`` (access key id → secret) any credentials are taken; with them, every request
    must be signed with one. ``hosts`` are names beside loopback's that clients may call this
    server by; ``origins`` are the web pages that may call it.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    keys: Mapping[str, str] | None = None
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()


def serve(
    engine: Engine, settings: Settings, listener: socket.socket, ready: Callable[[str], object]
) -> None:
    """Serve until SIGINT or SIGTERM, then answer what is in flight; ``ready`` gets the URL."""
    Server(engine, settings, lambda: ready(url(listener))).run([listener])


@contextmanager
def running(engine: Engine, settings: Settings | None = None) -> Iterator[str]:
    """Serve on a thread of this process for the length of the block; give the URL."""
    settings = settings or Settings(port=0)
    started: Future[None] = Future()
    with listen(settings) as listener:
        server = Server(engine, settings, lambda: started.set_result(None))
        thread = threading.Thread(target=_run, args=(server, listener, started), daemon=True)
        thread.start()
        started.result()
        try:
            yield url(listener)
        finally:
            server.should_exit = True
            thread.join()


def _run(server: Server, listener: socket.socket, started: Future[None]) -> None:
    try:
        server.run([listener])
    except BaseException as error:
        if started.done():
            raise
        started.set_exception(error)


def listen(settings: Settings) -> socket.socket:
    """Bind the address; refuse a public one that has no access keys."""
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # For a name that has both, clients try version 4 in any case, and 6 not always.
        family, *_, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        if settings.keys is None and not is_loopback(str(address[0])):
            raise CannotListen(
                f"{host} can be reached from other machines: serving there needs access keys "
                "(--credentials FILE), or serve on 127.0.0.1"
            )
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        taken = "Address already in use; --port takes another one, 0 any that is free"
        why = taken if error.errno == EADDRINUSE else error.strerror
        raise CannotListen(f"cannot serve on {host} port {port}: {why}") from error


def url(listener: socket.socket) -> str:
    """Say where a bound socket is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """Is uvicorn around the application; says when it is ready, and leaves quietly."""

    def __init__(self, engine: Engine, settings: Settings, ready: Callable[[], object]) -> None:
        self._application = Application(engine, _authenticate(settings))
        self._ready = ready
        super().__init__(
            uvicorn.Config(
                _guarded(self._application, settings),
                http=ClientConnection,
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                workers=1,
                timeout_keep_alive=IDLE_SECONDS,
            )
        )

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until it is stopped, and hear signals from now on, not when the loop runs."""
        with self.capture_signals():
            super().run(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, then say so."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, answer what is in flight, wait for the operations that run."""
        patience = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._hang_up)
        await super().shutdown(sockets)
        patience.cancel()
        self._hang_up()
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks)
        self._application.close()

    def handle_exit(self, sig: int, _frame: FrameType | None) -> None:
        """Stop; at once on a second SIGINT.

        The parent remembers the signal and raises it again after the stop, which would end the
        process with an error; a stop that was asked for is none.
        """
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    def _hang_up(self) -> None:
        """End what has outlasted the grace; uvicorn would cancel it, with a traceback and a 500.

        An operation that runs may still be done: no answer says so, and a failure would not.
        """
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def _authenticate(settings: Settings) -> Authenticate:
    if settings.keys is None:
        return sigv4.take_any
    return sigv4.Verifier(settings.keys).screen


def _guarded(application: ASGIApp, settings: Settings) -> ASGIApp:
    if settings.origins:
        application = _shared(application, settings.origins)
    return Guard(
        application,
        hosts=[settings.host, *settings.hosts],
        origins=settings.origins,
        any_address=is_everywhere(settings.host),
    )


def _shared(application: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    # Loaded here since it is seldom wanted and would delay every start.
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        application,
        allow_origins=origins,
        allow_methods=["POST"],
        allow_headers=["*"],
        expose_headers=["x-amzn-requestid", "x-amz-crc32"],
    )
