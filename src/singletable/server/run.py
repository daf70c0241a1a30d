"""Listening, serving and stopping: the socket, the loop, signals.

The socket is bound before anything is served, so that a taken port is one line and not a
traceback. Only loopback is served without access keys.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EADDRINUSE
from types import FrameType

from singletable.engine import Engine
from singletable.errors import SingletableError
from singletable.server import bounds, sigv4
from singletable.server.app import Application, Authenticate
from singletable.server.connections import ClientConnection
from singletable.server.guard import Guard, is_everywhere, is_loopback

BACKLOG = 2048
STOPPING = (signal.SIGINT, signal.SIGTERM)


class CannotListen(SingletableError):
    """The server cannot serve at an address."""


@dataclass(frozen=True)
class Settings:
    """Where to serve, and who may call.

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
    Server(engine, settings, listener).run(lambda: ready(url(listener)))


@contextmanager
def running(engine: Engine, settings: Settings | None = None) -> Iterator[str]:
    """Serve on a thread of this process for the length of the block; give the URL."""
    settings = settings or Settings(port=0)
    started: Future[None] = Future()
    with listen(settings) as listener:
        server = Server(engine, settings, listener)
        thread = threading.Thread(target=_run, args=(server, started), daemon=True)
        thread.start()
        started.result()
        try:
            yield url(listener)
        finally:
            server.stop()
            thread.join()


def _run(server: Server, started: Future[None]) -> None:
    try:
        server.run(lambda: started.set_result(None))
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


class Server:
    """Serves an engine until it is told to stop, and then answers what is in flight."""

    _loop: AbstractEventLoop

    def __init__(self, engine: Engine, settings: Settings, listener: socket.socket) -> None:
        self._listener = listener
        self._application = Application(engine, _authenticate(settings))
        self._guard = Guard(
            self._application.open,
            hosts=[settings.host, *settings.hosts],
            origins=settings.origins,
            any_address=is_everywhere(listener.getsockname()[0]),
        )
        self._connections: set[ClientConnection] = set()
        self._stopping = asyncio.Event()

    def run(self, ready: Callable[[], object]) -> None:
        """Serve; signals are heard from now on, not only when the loop runs."""
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            self._loop = runner.get_loop()
            with _signals(self._hear):
                runner.run(self._serve(ready))

    def stop(self) -> None:
        """Have it stop, from whichever thread."""
        with suppress(RuntimeError):  # it is gone already
            self._loop.call_soon_threadsafe(self._stopping.set)

    def _hear(self, sent: int, _frame: object) -> None:
        """Stop; at once on a second SIGINT."""
        if self._stopping.is_set() and sent == signal.SIGINT:
            self._loop.call_soon_threadsafe(self._hang_up)
        self.stop()

    async def _serve(self, ready: Callable[[], object]) -> None:
        def connection() -> ClientConnection:
            return ClientConnection(self._guard, self._connections, self._stopping)

        accepting = await self._loop.create_server(connection, sock=self._listener, backlog=BACKLOG)
        ready()
        await self._stopping.wait()
        accepting.close()
        await self._part()
        self._hang_up()
        await asyncio.to_thread(self._application.close)

    async def _part(self) -> None:
        """Answer the requests that are there, as far as it takes no longer than the grace."""
        for connection in list(self._connections):
            connection.stop()
        if self._connections:
            gone = [connection.gone for connection in self._connections]
            await asyncio.wait(gone, timeout=bounds.GRACE_SECONDS_MAX)

    def _hang_up(self) -> None:
        """Cut off who is still there.

        An operation that runs may still be done: no answer says so, and a failure would not.
        """
        for connection in list(self._connections):
            connection.abort()


def _new_loop() -> AbstractEventLoop:
    try:
        import uvloop
    except ModuleNotFoundError:  # as on Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


@contextmanager
def _signals(hear: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Have signals heard, where they can be: on the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, hear) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _authenticate(settings: Settings) -> Authenticate:
    if settings.keys is None:
        return sigv4.take_any
    return sigv4.Verifier(settings.keys).screen
