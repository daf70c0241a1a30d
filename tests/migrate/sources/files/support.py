"""Reading a source of files whole."""

from __future__ import annotations

import json

from singletable.migrate.sources.files import FileSource
from singletable.migrate.sources.source import Broken, Related, Row, Span


def read_all(
    source: FileSource,
    kind: str,
    parts: int = 1,
    limit: int = 100,
    related: Related | None = None,
) -> list[Row | Broken]:
    """Read every span of a kind, batch by batch, with what is left going through JSON."""
    found: list[Row | Broken] = []
    for span in source.split(kind, parts):
        left: Span | None = span
        while left is not None:
            rows, rest = source.read(kind, left, limit, related)
            found += rows
            left = rest and Span(*json.loads(json.dumps([rest.after, rest.upto])))
    return found


def rows_of(found: list[Row | Broken]) -> list[dict[str, object]]:
    """Give the data of rows; what is broken is an error here."""
    assert not [one for one in found if isinstance(one, Broken)]
    return [dict(one) for one in found if isinstance(one, Row)]
