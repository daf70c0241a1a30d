"""Targets behind HTTP: separate processes reached through boto3, as their users reach them."""

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import boto3
import psutil
from botocore.config import Config

from bench.peers import Launch
from bench.targets import THREADS_MAX, Target

READY_TIMEOUT_S = 30.0
_ANY = "bench"  # as access key and as secret: no target checks a signature


class Server(Target):
    """A target behind HTTP, in a process of its own, called through boto3."""

    def __init__(
        self,
        name: str,
        storage: str,
        launch: Callable[[int, Path | None], Launch],
        **limits: Any,
    ) -> None:
        super().__init__(name, storage, **limits)
        self._launch = launch
        self.ready_s = 0.0

    def cpu_s(self) -> float:
        """Tell the CPU time of the server and of the processes it started."""
        family = [self._process, *self._process.children(recursive=True)]
        times = [process.cpu_times() for process in family]
        return sum(each.user + each.system for each in times)

    def _open(self) -> None:
        port = free_port()
        launch = self._launch(port, self.data)
        started = time.perf_counter()
        self._process = psutil.Popen(
            launch.command,
            cwd=launch.directory,
            env={**os.environ, **launch.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self._wait_until_ready(port, started + READY_TIMEOUT_S)
        except RuntimeError:
            self.stop()
            raise
        self.ready_s = time.perf_counter() - started
        self.client = _boto3_client(port)

    def _wait_until_ready(self, port: int, deadline: float) -> None:
        while not _answers(port):
            if self._process.poll() is not None:
                raise RuntimeError(f"it exited with {self._process.returncode}")
            if time.perf_counter() > deadline:
                raise RuntimeError(f"no answer within {READY_TIMEOUT_S:.0f} s")
            time.sleep(0.002)

    def _close(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(10)
        except psutil.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _boto3_client(port: int) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id=_ANY,
        aws_secret_access_key=_ANY,
        config=Config(max_pool_connections=THREADS_MAX, retries={"total_max_attempts": 1}),
    )


def free_port() -> int:
    """Find a loopback port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# Enough of a signature to tell the service and the region.
_LIST_TABLES_HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "X-Amz-Date": "20250101T000000Z",
    "Authorization": (
        "AWS4-HMAC-SHA256 Credential=bench/20250101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=0"
    ),
}


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("POST", "/", b"{}", _LIST_TABLES_HEADERS)
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
