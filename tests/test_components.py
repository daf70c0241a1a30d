"""What tests themselves stand on: components that are found, started and stopped."""

import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import boto3
import pytest

from tests import components

FILES = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1"]


def test_a_missing_component_skips_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SINGLETABLE_REQUIRE_ALL", raising=False)
    monkeypatch.setattr(components, "FOLDER", Path("nowhere"))
    with pytest.raises(pytest.skip.Exception, match="DynamoDB Local is missing: run `make comp"):
        components.dynamodb_local_jar()


def test_a_missing_component_fails_where_all_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLETABLE_REQUIRE_ALL", "1")
    monkeypatch.setattr(components, "FOLDER", Path("nowhere"))
    with pytest.raises(pytest.fail.Exception, match="DynamoDB Local is missing"):
        components.dynamodb_local_jar()


def test_a_java_that_cannot_be_run_is_a_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLETABLE_REQUIRE_ALL", "1")
    monkeypatch.setenv("SINGLETABLE_JAVA", "no-such-java")
    with pytest.raises(pytest.fail.Exception, match="Java 17 or later is missing"):
        components.java()


def test_a_server_stops_when_its_block_fails(tmp_path: Path) -> None:
    port = components.free_port()
    with suppress(ZeroDivisionError), components.server([*FILES, str(port)], port, cwd=tmp_path):
        assert _in_use(port)
        raise ZeroDivisionError
    assert not _in_use(port)


def test_a_server_stops_when_the_tests_are_killed(tmp_path: Path) -> None:
    port = components.free_port()
    script = (
        "import os; from tests import components\n"
        f"with components.server({[*FILES, str(port)]!r}, {port}): os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert killed.returncode == -9
    for _ in range(1_000):
        if not _in_use(port):
            return
        time.sleep(0.05)
    pytest.fail("the server outlived its tests")


def test_dynamodb_local_answers(dynamodb_local: str) -> None:
    answer = boto3.client(
        "dynamodb",
        endpoint_url=dynamodb_local,
        region_name="us-east-1",
        aws_access_key_id="components",
        aws_secret_access_key="secret",
    ).list_tables()
    assert answer["TableNames"] == []


def _in_use(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
