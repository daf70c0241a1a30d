"""Amazon Resource Names: how tables, and what is below them, are called outside of their region."""

from __future__ import annotations

import re
from typing import NamedTuple

ACCOUNT = "000000000000"

_TABLE = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/([^/]+)(?:/(\w+)/([^/]+))?")


class Arn(NamedTuple):
    """The name of a table, or of an index, stream or backup of it."""

    table: str
    kind: str | None = None
    name: str | None = None


def table_arn(region: str, table: str, *rest: str) -> str:
    """Make the name of a table, or of something below it."""
    path = "/".join((table, *rest))
    return f"arn:aws:dynamodb:{region}:{ACCOUNT}:table/{path}"


def parse(text: str) -> Arn | None:
    """Read a name of DynamoDB's; None where it is none."""
    found = _TABLE.fullmatch(text)
    return Arn(*found.groups()) if found else None


def table_name(name_or_arn: str) -> str:
    """Give the table's name in its name or ARN."""
    if name_or_arn.startswith("arn:"):
        arn = parse(name_or_arn)
        if arn and arn.kind is None:
            return arn.table
    return name_or_arn
