"""The process: where it listens, what it says, how it stops."""

from __future__ import annotations

import concurrent.futures
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.server import CannotListen, Settings, bounds, run, running
from singletable.server.app import THREADS
from singletable.server.connections import ClientConnection
from singletable.server.run import Server, listen, serve, url
from tests.server.conftest import TABLE
from tests.server.support import Connection, ask, request, target
from tests.yardstick import seconds_of_children, slowness

SERVE = [sys.executable, "-c", "from singletable.cli import main; main()", "serve"]
READY_SECONDS_MAX = 0.5
EVERYWHERE = str(IPv4Address(0))


@contextmanager
def process(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start ``singletable serve`` on a free port; give the process and the URL that it says."""
    command = [*SERVE, "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout
            line = server.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, server.stderr and server.stderr.read()
            yield server, found[0]
        finally:
            server.kill()


def refused(*options: str) -> str:
    """Start ``singletable serve``, which must not start; give the one line that it says."""
    done = subprocess.run(
        [*SERVE, *options], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_it_says_where_it_serves_and_what(tmp_path: Path) -> None:
    with process("--memory") as (_, url):
        assert ask(url).json == {"TableNames": []}
    with process("--db", str(tmp_path / "a.db")) as (_, url):
        assert ask(url).json == {"TableNames": []}
    assert (tmp_path / "a.db").exists()


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_with_success_and_silence(sent: signal.Signals) -> None:
    with process("--memory") as (server, url), Connection(url) as idle:
        idle.send(request())
        assert idle.reply().status == 200
        server.send_signal(sent)
        assert server.wait(timeout=60) == 0
        assert idle.is_closed()
        assert server.stderr
        assert server.stderr.read() == ""


def test_a_signal_before_its_loop_runs_stops_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Server._serve

    def interrupted(*arguments: Any) -> Any:
        made = whole(*arguments)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(Server, "_serve", interrupted)
    served: list[str] = []
    with Engine() as engine, listen(settings := Settings(port=0)) as listener:
        serve(engine, settings, listener, served.append)
    assert len(served) == 1


def test_a_client_let_in_just_before_it_stops_is_not_served(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is seen only when all others were told to go, and no thread is left to work for it."""

    def connection(*arguments: Any) -> ClientConnection:
        server._stopping.set()
        return ClientConnection(*arguments)

    monkeypatch.setattr(run, "ClientConnection", connection)
    with listen(settings := Settings(port=0)) as listener:
        server = Server(engine, settings, listener)
        thread = threading.Thread(target=server.run, args=(lambda: None,))
        thread.start()
        with Connection(url(listener)) as late, suppress(ConnectionError):
            late.send(request())
            assert late.is_closed()
        thread.join(60)
    assert not thread.is_alive()
    assert not caplog.records


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    file = str(tmp_path / "a.db")
    with process("--db", file) as (server, url):
        ask(url, json.dumps(TABLE).encode(), x_amz_target=target("CreateTable"))
        server.terminate()
        assert server.wait(timeout=60) == 0
    with process("--db", file) as (_, url):
        assert ask(url).json == {"TableNames": ["Music"]}


def test_streams_have_as_many_shards_as_it_is_told() -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    table = json.dumps(TABLE | {"StreamSpecification": stream}).encode()
    with process("--memory", "--stream-shards", "3") as (_, url):
        made = ask(url, table, x_amz_target=target("CreateTable")).json
        asked = json.dumps({"StreamArn": made["TableDescription"]["LatestStreamArn"]}).encode()
        told = "DynamoDBStreams_20120810.DescribeStream"
        described = ask(url, asked, x_amz_target=told).json
        assert len(described["StreamDescription"]["Shards"]) == 3


def test_requests_in_flight_are_answered_when_it_stops(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def slowly(operation: str, body: bytes) -> bytes:
        entered.set()
        go_on.wait(60)
        return b'{"late": true}'

    monkeypatch.setattr(engine, "call_json", slowly)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with running(engine) as url:
            late = pool.submit(ask, url)
            assert entered.wait(60)
            threading.Timer(0.3, go_on.set).start()
        assert late.result().json == {"late": True}


def test_a_half_request_does_not_hold_up_the_stop() -> None:
    with process("--memory") as (server, url), Connection(url) as head, Connection(url) as body:
        head.send(request()[:20])
        body.send(request(b"{", content_length="2"))
        ask(url)
        server.terminate()
        assert server.wait(timeout=60) == 0
        assert body.is_closed()
        assert server.stderr
        assert server.stderr.read() == ""


def test_a_second_interrupt_stops_it_at_once_and_in_silence() -> None:
    with process("--memory") as (server, url), Connection(url) as body:
        body.send(request(b"{", content_length="2"))
        ask(url)
        server.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            server.wait(timeout=0.5)
        started = time.monotonic()
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0
        assert time.monotonic() - started < bounds.GRACE_SECONDS_MAX - 1
        assert server.stderr
        assert server.stderr.read() == ""


def test_an_operation_that_outlasts_the_stop_is_done_and_not_answered(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entered, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slowly(operation: str, body: bytes) -> bytes:
        entered.set()
        go_on.wait(60)
        done.set()
        return b"{}"

    monkeypatch.setattr(bounds, "GRACE_SECONDS_MAX", 0.3)
    monkeypatch.setattr(engine, "call_json", slowly)
    with ExitStack() as stack:
        with running(engine) as url:
            connection = stack.enter_context(Connection(url))
            connection.send(request())
            assert entered.wait(60)
            threading.Timer(1, go_on.set).start()
        assert done.is_set()
        assert connection.is_closed()
    assert not caplog.records


def test_a_slow_operation_delays_nobody_else(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    call_json = engine.call_json

    def slow_scan(operation: str, body: bytes) -> bytes:
        if operation == "Scan":
            go_on.wait(60)
        return call_json(operation, body)

    monkeypatch.setattr(engine, "call_json", slow_scan)
    with running(engine) as url, concurrent.futures.ThreadPoolExecutor() as pool:
        slow = [
            pool.submit(ask, url, b'{"TableName": "Music"}', x_amz_target=target("Scan"))
            for _ in range(3)
        ]
        assert ask(url).status == 200
        assert not any(each.done() for each in slow)
        go_on.set()
        assert [each.result().status for each in slow] == [200, 200, 200]


def test_many_writers_that_wait_for_another_delay_no_reader(tmp_path: Path) -> None:
    """While an index is filled, or another process writes, writers may wait long."""
    put = b'{"TableName": "Music", "Item": {"pk": {"S": "a"}}}'
    scan = b'{"TableName": "Music"}'
    with ExitStack() as stack:
        engine = stack.enter_context(Engine(tmp_path / "shared.db"))
        engine.call("CreateTable", TABLE)
        url = stack.enter_context(running(engine))
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(2 * THREADS))
        with engine._db.storage.write():
            waiting = [
                pool.submit(ask, url, put, x_amz_target=target("PutItem"))
                for _ in range(2 * THREADS)
            ]
            assert concurrent.futures.wait(waiting, timeout=0.2).done == set()
            assert ask(url, scan, x_amz_target=target("Scan")).json["Count"] == 0
            assert ask(url).json == {"TableNames": ["Music"]}
        assert [each.result().status for each in waiting] == [200] * 2 * THREADS


def test_a_read_that_has_to_wait_for_a_writer_delays_nobody_else(engine: Engine) -> None:
    get = b'{"TableName": "Music", "Key": {"pk": {"S": "absent"}}}'
    with running(engine) as url, concurrent.futures.ThreadPoolExecutor() as pool:
        with engine._db.storage.write():
            waiting = pool.submit(ask, url, get, x_amz_target=target("GetItem"))
            assert concurrent.futures.wait([waiting], timeout=0.2).not_done
            assert ask(url, b"", "GET / HTTP/1.1").status == 200
            assert not waiting.done()
        assert waiting.result().json == {}


def test_a_taken_port_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        line = refused("--memory", "--port", port)
    assert line.startswith(f"singletable serve: cannot serve on 127.0.0.1 port {port}: ")
    assert "in use" in line


def test_other_machines_are_not_served_without_keys() -> None:
    line = refused("--memory", "--host", EVERYWHERE, "--port", "0")
    assert "--credentials" in line


@pytest.mark.parametrize("host", [EVERYWHERE, "0"])
def test_other_machines_are_served_with_keys(tmp_path: Path, host: str) -> None:
    file = tmp_path / "credentials"
    file.write_text("[a]\naws_access_key_id = AKID\naws_secret_access_key = secret\n")
    with process("--memory", "--host", host, "--credentials", str(file)) as (_, url):
        for name in ("localhost", "192.0.2.1:8000"):
            assert ask(url, host=name).error == (400, "IncompleteSignatureException")
        assert ask(url, host="evil.example").status == 403


def test_an_unusable_credentials_file_is_said_in_one_line(tmp_path: Path) -> None:
    assert "nowhere" in refused("--memory", "--credentials", str(tmp_path / "nowhere"))


def test_version_4_is_served_for_a_name_that_has_both(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [
        (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 0, 0, 0)),
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    with listen(Settings("localhost", 0)) as listener:
        assert listener.family == socket.AF_INET


def test_a_server_that_fails_to_start_on_its_thread_says_so(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise SystemExit("no loop today")

    monkeypatch.setattr(Server, "_serve", fail)
    with pytest.raises(SystemExit, match="no loop today"), running(engine):
        pass


def test_a_host_that_does_not_exist_is_said() -> None:
    with pytest.raises(CannotListen, match=r"cannot serve on no-such-host\.invalid port 0"):
        listen(Settings("no-such-host.invalid", 0))


def test_an_address_of_version_6_is_written_in_brackets() -> None:
    try:
        listener = listen(Settings("::1", 0))
    except CannotListen as error:
        pytest.skip(f"this machine has no IPv6 loopback: {error}")
    with listener:
        assert re.fullmatch(r"http://\[::1\]:\d+", url(listener))


def test_it_is_ready_after_half_a_second_of_work() -> None:
    """Measure processor time: other tests keep the machine busy, and it waits for nothing."""

    def start() -> float:
        before = seconds_of_children()
        with process("--memory"):
            pass
        return seconds_of_children() - before

    assert any(start() < READY_SECONDS_MAX * slowness() for _ in range(3))
