"""Rows that were refused: kept beside the table, and written to a file for a person to mend."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import orjson

from .bookkeeping import Books, Rejected
from .sources.source import Broken, Row
from .transforming import Reject, name_of, reference_of

ROW_CHARACTERS_MAX = 100_000


def rejected(name: str, reject: Reject) -> Rejected:
    """Give what is kept of a row that was refused."""
    return Rejected(
        name=name,
        kind=reject.row.kind,
        row_id=reference_of(reject.row.kind, reject.row.id),
        named=name_of(reject.row),
        reason=reject.reason,
        row=_text(reject.row)[:ROW_CHARACTERS_MAX],
    )


def write_rejects(books: Books, name: str, kinds: Iterable[str], path: Path) -> int:
    """Write all rows that were refused, a line of JSON each, in place of the file; count them."""
    count = 0
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        for kind in kinds:
            for one in books.rejected(name, kind):
                line = {"kind": kind, "id": one.named, "reason": one.reason, "row": one.row}
                file.write(orjson.dumps(line) + b"\n")
                count += 1
    partial.replace(path)
    return count


def _text(row: Row | Broken) -> str:
    if isinstance(row, Broken):
        return row.text
    return orjson.dumps(dict(row.data), default=str, option=orjson.OPT_NON_STR_KEYS).decode()
