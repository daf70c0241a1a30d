"""``singletable demo`` shows three services, and serves them."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import uvicorn
from fastapi import FastAPI
from typer.testing import CliRunner

from singletable import cli

ROOT = Path(__file__).parents[2]
TOKENS = re.compile(r"<code>([^<]+)</code>")


def test_once_runs_every_pattern_and_exits() -> None:
    shown = CliRunner().invoke(cli.app, ["demo", "--once"])

    assert shown.exit_code == 0, shown.output
    for part in ("campaigns: 13 access patterns", "stories: 19", "surveys: 23", "SurveyView"):
        assert part in shown.output


def test_once_tells_programs_too() -> None:
    shown = CliRunner().invoke(cli.app, ["demo", "--once", "--format", "json"])

    steps = orjson.loads(shown.output)
    assert {name: len(ran) for name, ran in steps.items()} == {
        "campaigns": 13,
        "stories": 19,
        "surveys": 23,
    }
    assert steps["campaigns"][0]["pattern"] == "profile"
    assert steps["campaigns"][0]["units"] == 0.5


def test_elsewhere_it_says_where_the_services_are(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("singletable")), "demo", "--once"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ran.returncode == 2
    assert "a clone of it" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_what_the_services_need_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.delitem(sys.modules, "apps.demo", raising=False)
    shown = CliRunner().invoke(cli.app, ["demo"])

    said = "singletable demo: this needs fastapi: pip install 'singletable[apps]'\n"
    assert (shown.exit_code, shown.output) == (2, said)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [str(Path(sys.executable).with_name("singletable")), "demo", "--port", "0"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "filling three tables …\n"
        told = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+) \(Ctrl-C stops\)", told)
        assert found, told
        yield process, int(found[1])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _get(port: int, path: str, token: str = "") -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, body
    return body


def test_it_serves_three_services_until_it_is_interrupted(
    served: tuple[subprocess.Popen[str], int], tmp_path: Path
) -> None:
    process, port = served
    campaigns, stories, surveys = TOKENS.findall(_get(port, "/").decode())

    assert len(orjson.loads(_get(port, "/campaigns/campaigns", campaigns))["items"]) > 0
    assert orjson.loads(_get(port, "/stories/me", stories))["user_id"] == "user-0000"
    assert len(orjson.loads(_get(port, "/surveys/surveys", surveys))["items"]) == 3
    assert b"swagger" in _get(port, "/stories/docs")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_before_its_loop_runs_stops_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = uvicorn.Server.serve

    def interrupted(*arguments: Any, **options: Any) -> Any:
        made = whole(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(uvicorn.Server, "serve", interrupted)
    monkeypatch.setattr("apps.demo.combined", lambda _: FastAPI())
    shown = CliRunner().invoke(cli.app, ["demo", "--port", "0"])

    assert (shown.exit_code, "(Ctrl-C stops)" in shown.output) == (0, True), shown.output


def test_a_taken_port_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        shown = CliRunner().invoke(cli.app, ["demo", "--port", port])

    assert shown.exit_code == 2
    assert f"port {port}: Address already in use; --port takes another one" in shown.output
