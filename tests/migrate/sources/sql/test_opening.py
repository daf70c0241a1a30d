"""Addresses, drivers and connections."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from singletable.errors import InvalidAddress, UsageError
from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Followed, Source, Writable
from singletable.migrate.sources.sql import PostgresSource, SqlSource


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg2"])
def test_an_address_of_postgresql_is_read_through_psycopg(scheme: str) -> None:
    source = SqlSource(f"{scheme}://me:secret@nowhere/db")
    assert source.address == "postgresql+psycopg://me:secret@nowhere/db"
    assert isinstance(source, PostgresSource)


def test_only_postgresql_can_be_followed() -> None:
    followed, other = SqlSource("postgresql://nowhere/db"), SqlSource("sqlite://")
    assert isinstance(followed, Source)
    assert isinstance(followed, Followed)
    assert isinstance(followed, Writable)
    assert isinstance(other, Source)
    assert isinstance(other, Writable)
    assert not isinstance(other, Followed)


@pytest.mark.parametrize("address", ["", "campaigns.db", "nosql://host/db"])
def test_an_address_of_no_database_is_refused(address: str) -> None:
    with pytest.raises(InvalidAddress, match="is no address of a database: write it as postgresql"):
        SqlSource(address)


def test_an_address_that_is_refused_is_shown_without_its_password() -> None:
    with pytest.raises(InvalidAddress, match=r"me:\*\*\*@host") as caught:
        SqlSource("nosql://me:secret@host/db")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_sqlite_file_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "old.db"
    with pytest.raises(SourceUnusable, match=r"There is no file .*old\.db"):
        SqlSource(f"sqlite:///{missing}")
    assert not missing.exists()


def test_a_missing_driver_is_named() -> None:
    with pytest.raises(UsageError, match="This database needs oracledb: pip install oracledb"):
        SqlSource("oracle+oracledb://host/db")


def test_a_missing_psycopg_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=r"needs psycopg: pip install 'singletable\[sql\]'"):
        SqlSource("postgresql://host/db")


def test_a_missing_sqlalchemy_is_named_with_the_extra() -> None:
    script = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "from singletable.errors import UsageError\n"
        "try: import singletable.migrate.sources.sql\n"
        "except UsageError as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert b"pip install 'singletable[sql]'" in shown.stdout


def test_an_engine_of_another_driver_is_refused() -> None:
    pytest.importorskip("psycopg")
    engine = create_engine("postgresql+psycopg://host/db")
    engine.dialect.driver = "other"
    with pytest.raises(UsageError, match=r"through psycopg 3, not other: .*postgresql\+psycopg://"):
        SqlSource(engine)


def test_what_cannot_be_reached_is_named_without_its_password(tmp_path: Path) -> None:
    source = SqlSource(f"postgresql://me:secret@/db?host={tmp_path}&sslpassword=secret")
    with pytest.raises(SourceUnusable, match=r"me:\*\*\*@.*cannot be reached") as caught:
        source.kinds()
    assert "secret" not in str(caught.value)


def test_an_engine_that_is_given_is_not_closed(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'source.db'}")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE a (id INTEGER PRIMARY KEY)")
    for _ in range(2):
        source = SqlSource(engine)
        assert list(source.kinds()) == ["a"]
        source.close()
    assert engine.pool.checkedin() == 1  # type: ignore[attr-defined]  # of a pool that has it
    engine.dispose()


def test_the_address_opens_the_same_database(source: PostgresSource) -> None:
    with source._engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE a (id int PRIMARY KEY)")
    again = SqlSource(source.address)
    assert list(again.kinds()) == ["a"]
    again.close()
