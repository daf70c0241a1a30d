"""Where data comes from, in one string: an address names a source, and this opens it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from singletable.errors import InvalidAddress

from .dynamodb import DynamoSource
from .dynamodb.database import SCHEME
from .files import FileSource
from .files.folders import is_readable
from .showing import masked
from .source import Source

FORMS = (
    'a URL of SQLAlchemy ("postgresql+psycopg://user@host/db", "sqlite:///old.db"), tables of '
    'DynamoDB ("dynamodb:old.db", "dynamodb:aws:eu-west-1?tables=users,orders", '
    '"dynamodb:http://localhost:8000?table=app&type_attribute=Type"), or the path of a folder or '
    'of a file ("users.jsonl", "users.csv?key=user_id", "export/")'
)
_SQL = re.compile(r"(?!https?:|aws:)[a-zA-Z][\w.]*(\+\w+)?://.*", re.DOTALL)
_LISTS = frozenset({"tables", "types", "key"})
_OF_DYNAMODB = _LISTS - {"key"} | {"table", "type_attribute"}
_OF_FILES = frozenset({"key", "empty", "encoding"})


def open_source(address: str, **options: Any) -> Source:
    """Open the source that an address names; the options are those of its class.

    What comes after a question mark are such options, too; given ones have precedence.
    """
    if address.startswith(SCHEME):
        where, told = _divided(address.removeprefix(SCHEME), _OF_DYNAMODB, address)
        return DynamoSource(where, **told | options)
    if _SQL.fullmatch(address):
        from .sql import SqlSource

        return SqlSource(address, **options)
    path, _, _ = address.partition("?")
    if path and "://" not in path and (is_readable(Path(path)) or Path(path).is_dir()):
        path, told = _divided(address, _OF_FILES, address)
        return FileSource(path, **told | options)
    raise InvalidAddress(f"{masked(address)!r} is no address of a source: it can be {FORMS}")


def _divided(text: str, known: frozenset[str], address: str) -> tuple[str, dict[str, Any]]:
    """Take the options off the end of an address."""
    where, _, query = text.partition("?")
    told: dict[str, Any] = {}
    by_kind: dict[str, Any] = {}
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        option, _, kind = name.partition(".")
        if option not in known or (kind and option != "key"):
            raise InvalidAddress(
                f"{masked(address)!r} has the option {name!r}; there are {', '.join(sorted(known))}"
            )
        if kind:
            by_kind[unquote(kind)] = _value(option, value)
        else:
            told[option] = _value(option, value)
    if by_kind and told.setdefault("key", by_kind) is not by_kind:
        raise InvalidAddress(
            f"{masked(address)!r} names a key for all kinds (key=) and by kind (key.{{kind}}=): "
            "it can be either"
        )
    return where, told


def _value(option: str, value: str) -> Any:
    if option in _LISTS:
        return [unquote(one) for one in value.split(",") if one]
    if option == "empty":
        return None if value == "none" else unquote(value)
    return unquote(value)
