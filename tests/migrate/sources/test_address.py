"""An address names a source; what is none is refused with the forms, and without passwords."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.errors import InvalidAddress
from singletable.migrate.sources.address import open_source
from singletable.migrate.sources.dynamodb import DynamoSource
from singletable.migrate.sources.files import FileSource
from singletable.migrate.sources.showing import masked
from singletable.migrate.sources.sql import SqlSource


def test_a_database_by_its_url(tmp_path: Path) -> None:
    (tmp_path / "old.db").touch()
    source = open_source(f"sqlite:///{tmp_path / 'old.db'}")
    assert isinstance(source, SqlSource)
    source.close()


@pytest.mark.parametrize("options", ["", "?tables=users,orders", "?table=app&type_attribute=Type"])
def test_tables_of_dynamodb(tmp_path: Path, options: str) -> None:
    file = tmp_path / "old.db"
    Engine(file).close()
    for where in (":memory:", str(file), "http://localhost:8000", "aws:eu-west-1"):
        source = open_source(f"dynamodb:{where}{options}")
        assert isinstance(source, DynamoSource)
        assert source.address == f"dynamodb:{where}{options}"
        source.close()


def test_types_with_any_name(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    Engine(file).close()
    options = {"table": "app", "type_attribute": "T", "types": ["a,b", "c&d", "é ?"]}
    source = open_source(f"dynamodb:{file}", **options)
    again = open_source(source.address)
    assert again.address == source.address
    source.close()
    again.close()


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text("user_id\n1\n")
    (tmp_path / "x.ndjson").write_text("")
    for path in (str(tmp_path), f"{tmp_path}/users.csv", "users.csv.gz", "x.jsonl", "a/b.json"):
        assert isinstance(open_source(path), FileSource)
    source = open_source(f"{tmp_path}?key.users=user_id&empty=none&encoding=latin-1")
    assert source.kinds()["users"].key == ("user_id",)
    assert open_source(str(tmp_path), key={"users": "user_id"}).kinds() == source.kinds()


@pytest.mark.parametrize(
    "address", ["", "users", "users.xlsx", "http://localhost:8000", "aws:eu-west-1", "no-such/"]
)
def test_what_is_no_address_is_refused_with_the_forms(address: str) -> None:
    with pytest.raises(InvalidAddress, match="it can be a URL of SQLAlchemy"):
        open_source(address)


@pytest.mark.parametrize(
    "address",
    ["dynamodb:a.db?table=x&password=secret&q=1", "a.csv?keys=secret", "a.csv?empty.a=secret"],
)
def test_an_unknown_option_is_refused_by_name(address: str) -> None:
    with pytest.raises(InvalidAddress, match=r"has the option '(password|keys|empty\.a)'"):
        open_source(address)


@pytest.mark.parametrize("query", ["key=id&key.a=x", "key.a=x&key=id"])
def test_a_key_is_named_for_all_kinds_or_by_kind(query: str) -> None:
    with pytest.raises(InvalidAddress, match=r"names a key for all kinds .* by kind"):
        open_source(f"a.csv?{query}")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("mysql+x://me:se:cr@et@host:1/db", "mysql+x://me:***@host:1/db"),
        ("postgresql://:secret@host", "postgresql://:***@host"),
        (
            "postgresql://h/db?user=me&password=secret&a=1",
            "postgresql://h/db?user=me&password=***&a=1",
        ),
        ("http://localhost:8000", "http://localhost:8000"),
    ],
)
def test_a_password_is_not_shown(address: str, shown: str) -> None:
    assert masked(address) == shown


def test_no_error_has_a_password() -> None:
    for address in ("http://me:secret@localhost:8000", "dynamodb:http://me:secret@localhost:8000"):
        with pytest.raises(InvalidAddress) as refused:
            open_source(address)
        assert "secret" not in str(refused.value)
