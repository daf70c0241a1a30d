"""Connections to a database, and how they give values: what Python cannot hold comes as text.

An infinite timestamp, an interval of months, a text in the wrong encoding would otherwise end the
read of a whole batch, or be changed in silence. As text, or bytes, they reach the migration, whose
models refuse them row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    NoSuchModuleError,
    OperationalError,
    StatementError,
)

from singletable.errors import InvalidAddress, UsageError
from singletable.migrate.sources.errors import SourceRefused, SourceUnusable
from singletable.migrate.sources.showing import masked, shown

from .documents import dumps, loads
from .types import Undecoded

PSYCOPG = "postgresql+psycopg"
_UNKNOWN = 0
_TEXTS = ("text", "varchar", "bpchar", "name", '"char"', _UNKNOWN)
_TIMES = ("date", "timestamp", "timestamptz", "time", "timetz")
# Rows that a policy hides would be missed in silence: off makes them an error.
_SETTINGS = "SET LOCAL TimeZone = 'UTC'; SET LOCAL IntervalStyle = 'postgres'; "
_SETTINGS += "SET LOCAL row_security = off"


def opened(address: str | Engine) -> Engine:
    """Make the engine of an address, or prepare the one given; connects to nothing yet."""
    engine = address if isinstance(address, Engine) else _made(address)
    if engine.dialect.name == "postgresql" and engine.driver != "psycopg":
        raise UsageError(
            f"PostgreSQL is read through psycopg 3, not {engine.driver}: "
            f"make the engine of an address that begins with {PSYCOPG}://"
        )
    prepare = {"postgresql": _prepare_postgres, "sqlite": _prepare_sqlite}.get(engine.dialect.name)
    if prepare is not None and not event.contains(engine, "connect", prepare):
        event.listen(engine, "connect", prepare, insert=True)
    return engine


def _made(address: str) -> Engine:
    try:
        url = make_url(address)
        if url.get_backend_name() in {"postgres", "postgresql"}:
            url = url.set(drivername=PSYCOPG)
        _must_be_there(url)
        return create_engine(url, pool_pre_ping=True, **_documents(url))
    except (ArgumentError, NoSuchModuleError, ValueError):  # the last of a port that is no number
        raise InvalidAddress(
            f"{shown(address)} is no address of a database: write it as "
            "postgresql://user@host/name or sqlite:///file.db"
        ) from None  # which would show the address as it is
    except ModuleNotFoundError as error:
        wanted = "'singletable[sql]'" if error.name == "psycopg" else error.name
        raise UsageError(f"This database needs {error.name}: pip install {wanted}") from error


def _must_be_there(url: URL) -> None:
    """Refuse a file that is not there: SQLite would make an empty one."""
    path = url.database
    if url.get_backend_name() != "sqlite" or not path or path.startswith((":memory:", "file:")):
        return
    if not Path(path).is_file():
        raise SourceUnusable(f"There is no file {path}: sqlite:///{path} names no database")


def _documents(url: URL) -> dict[str, Any]:
    if url.get_backend_name() not in {"mysql", "mariadb", "sqlite"}:
        return {}
    return {"json_serializer": dumps, "json_deserializer": loads}


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection on which all reads see the same moment, where the database can do that."""
    with _connected(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(
                f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; {_SETTINGS}"
            )
        try:
            yield connection
        except DBAPIError as error:
            raise SourceUnusable(f"{_shown(engine)} cannot be read: {_reason(error)}") from error


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection whose writes are kept together when the block ends, or not at all."""
    with _connected(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(_SETTINGS)
        try:
            yield connection
            connection.commit()
        except StatementError as error:
            raise SourceRefused(f"{_shown(engine)} refused a write: {_reason(error)}") from error


@contextmanager
def _connected(engine: Engine) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except OperationalError as error:
        raise SourceUnusable(f"{_shown(engine)} cannot be reached: {_reason(error)}") from error
    with connection:
        yield connection


def _shown(engine: Engine) -> str:
    return masked(engine.url.render_as_string(hide_password=True))


def _reason(error: StatementError) -> str:
    return " ".join(str(error.orig).split())


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.text_factory = _text_or_bytes


def _text_or_bytes(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Undecoded(data)


def _prepare_postgres(connection: Any, _: Any) -> None:
    from psycopg.types.json import set_json_dumps, set_json_loads

    from .loaders import Interval, TextOrBytes, or_text

    set_json_loads(loads, connection)
    set_json_dumps(dumps, connection)
    for name in _TIMES:
        connection.adapters.register_loader(name, or_text(connection.adapters, name))
    connection.adapters.register_loader("interval", Interval)
    if connection.info.encoding == "ascii":  # a database that never asked for an encoding
        for text in _TEXTS:
            connection.adapters.register_loader(text, TextOrBytes)
