"""The rows of files, in spans, by their ids, and with those of other files that belong to them.

A span is from one byte to another, at the beginnings of records: large files are read side by
side, and gone on with. A packed file is not divided. Files do not change while they are read.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from singletable.errors import UsageError
from singletable.migrate.sources.source import Broken, Id, Kind, Parents, Related, Row, Span

from .cutting import boundaries, line_count
from .documents import Document, id_value, opened
from .folders import found_in
from .formats import UTF8, Faulty, Record
from .places import Place, Places

BATCH_BYTES = 8 * 1024 * 1024
"""After so much, a batch ends, however few rows it has."""

Names = str | Sequence[str]
Going = Iterator[tuple[str, Record]]


class FileSource:
    """Reads a file, or all in a folder: JSON by lines, CSV, exports of DynamoDB.

    ``key`` names the columns of the key, for all kinds or by kind; without, it is ``id``, or the
    first column. Values of CSV are texts; ``empty`` is what one without a character becomes. To
    fetch rows or those related to others, an index is made by reading the files once more; in
    packed files that stays slow.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        key: Names | Mapping[str, Names] | None = None,
        empty: str | None = "",
        encoding: str = UTF8,
    ) -> None:
        self._path = Path(path)
        self._key = key
        self._empty = empty
        self._encoding = _line_wise(encoding)
        self._places: dict[tuple[str, tuple[str, ...]], Places] = {}
        self._going: tuple[str, Span, Going] | None = None

    def __repr__(self) -> str:
        return f"FileSource({str(self._path)!r})"

    @property
    def address(self) -> str:
        """Tell how to open the same source in another process."""
        options = {"encoding": self._encoding} if self._encoding != UTF8 else {}
        if self._empty is None:
            options["empty"] = "none"
        elif self._empty:
            options["empty"] = quote(self._empty, safe="")
        by_kind = self._key if isinstance(self._key, Mapping) else {"": self._key or ()}
        for kind, names in by_kind.items():
            if names:
                name = f"key.{quote(kind, safe='')}" if kind else "key"
                options[name] = ",".join(quote(one, safe="") for one in _names(names))
        texts = "&".join(f"{name}={value}" for name, value in options.items())
        return f"{self._path}{'?' if texts else ''}{texts}"

    def kinds(self) -> Mapping[str, Kind]:
        """Name the kinds, and the columns of those with a header."""
        return {one.kind: Kind(one.kind, one.key, one.columns) for one in self._documents.values()}

    def count(self, kind: str) -> int:
        """Count the rows as the manifest of an export does, or else the lines."""
        document = self._document(kind)
        if document.count is not None:
            return document.count
        header = 1 if document.columns else 0
        return sum(line_count(path) - header for path in document.paths)

    def split(self, kind: str, parts: int) -> list[Span]:
        """Divide the files of a kind where records begin."""
        document = self._document(kind)
        first = (document.paths[0].name, document.start)
        cuts = boundaries(document.paths, document.form, max(1, parts))
        places = [first, *(one for one in cuts if one > first)]
        return [Span(one, other) for one, other in pairwise([*places, None]) if one]

    def read(
        self, kind: str, span: Span, limit: int, related: Related | None = None
    ) -> tuple[list[Row | Broken], Span | None]:
        """Read the first rows of a span; its ends are the name of a file and a byte in it."""
        document, span = self._document(kind), Span(_place(span.after), _place(span.upto))
        going = self._go_on(document, span)
        rows: list[Row | Broken] = []
        size = 0
        for name, record in going:
            rows.append(document.row(name, record))
            size += record.end - record.offset
            if len(rows) >= limit or size >= BATCH_BYTES:
                rest = Span((name, record.end), span.upto)
                self._going = (kind, rest, going)
                return self._with_related(rows, related), rest
        return self._with_related(rows, related), None

    def fetch(
        self, kind: str, ids: Sequence[Id], related: Related | None = None
    ) -> list[Row | None]:
        """Read rows by their ids; of several with one, the last."""
        document = self._document(kind)
        wanted = [_text(one) for one in ids]
        found = self._rows(document, document.key, wanted)
        rows = [_best(found[text], one) for text, one in zip(wanted, ids, strict=True)]
        whole = iter(self._with_related([row for row in rows if row], related))
        return [_row(next(whole)) if row else None for row in rows]

    def read_orphans(
        self, kind: str, parents: Parents, span: Span, limit: int
    ) -> tuple[list[Row | Broken], Span | None]:
        """Read the first rows of a span, and keep those that no parent has."""
        rows, rest = self.read(kind, span, limit)
        return [row for row, has in self._parented(rows, parents) if not has], rest

    def fetch_orphans(self, kind: str, parents: Parents, ids: Sequence[Id]) -> list[Row | None]:
        """Read rows by their ids; None for one that is not there, or that a parent has."""
        rows = self.fetch(kind, ids)
        found = self._parented([row for row in rows if row], parents)
        orphans = {row.id for row, has in found if not has}
        return [row if row and row.id in orphans else None for row in rows]

    def close(self) -> None:
        """Close the files, and remove what was made to find rows in them."""
        self._going = None
        for places in self._places.values():
            places.close()
        self._places.clear()

    @cached_property
    def _documents(self) -> dict[str, Document]:
        found = found_in(self._path)
        if isinstance(self._key, Mapping) and (unknown := self._key.keys() - found.keys()):
            raise UsageError(
                f"key= names {', '.join(sorted(unknown))}, but {self!r} has {', '.join(found)}"
            )
        return {
            kind: opened(one, self._key_of(kind), self._empty, self._encoding)
            for kind, one in found.items()
        }

    def _key_of(self, kind: str) -> tuple[str, ...] | None:
        key = self._key.get(kind) if isinstance(self._key, Mapping) else self._key
        return _names(key) if key else None

    def _document(self, kind: str) -> Document:
        if kind not in self._documents:
            raise UsageError(f"{self!r} has no {kind!r}; it has {', '.join(self._documents)}")
        return self._documents[kind]

    def _go_on(self, document: Document, span: Span) -> Going:
        """Go on where the last batch ended, or begin where a span does."""
        going, self._going = self._going, None
        if going and going[:2] == (document.kind, span):
            return going[2]
        return document.records(_place(span.after), _place(span.upto))

    def _parented(
        self, rows: Sequence[Row | Broken], parents: Parents
    ) -> list[tuple[Row | Broken, bool]]:
        """Tell of each row whether one of its parents is there; of a broken one, nobody knows."""
        has = [False] * len(rows)
        for kind, column in parents.items():
            holders = [_holder(row, column) for row in rows]
            parent = self._document(kind)
            wanted = list(dict.fromkeys(filter(None, holders)))
            found = self._index(parent, parent.key[:1]).find(wanted)
            has = [
                had or bool(text and found[text]) for had, text in zip(has, holders, strict=True)
            ]
        return list(zip(rows, has, strict=True))

    def _with_related(
        self, rows: Sequence[Row | Broken], related: Related | None
    ) -> list[Row | Broken]:
        """Give rows with those of other kinds that belong to them."""
        if not related:
            return list(rows)
        others = {}
        texts = [_text(row.id[:1]) for row in rows if isinstance(row, Row)]
        for kind, column in related.items():
            document = self._document(kind)
            if document.columns and column not in document.columns:
                raise UsageError(f"{kind!r} has no column {column!r} to find related rows by")
            others[kind] = self._rows(document, (column,), texts)
        return [
            replace(row, related={kind: found[_text(row.id[:1])] for kind, found in others.items()})
            if isinstance(row, Row)
            else row
            for row in rows
        ]

    def _rows(
        self, document: Document, columns: tuple[str, ...], texts: Sequence[str]
    ) -> dict[str, list[Row]]:
        """Find the rows that have values in some columns, by the text of the values."""
        places = self._index(document, columns).find(texts)
        records = dict(document.records_at([one for some in places.values() for one in some]))
        rows = {place: document.row(place[0], record) for place, record in records.items()}
        return {
            text: [row for place in some if isinstance(row := rows[place], Row)]
            for text, some in places.items()
        }

    def _index(self, document: Document, columns: tuple[str, ...]) -> Places:
        name = (document.kind, columns)
        if name not in self._places:
            self._places[name] = Places(_entries(document, columns))
        return self._places[name]


def _entries(document: Document, columns: tuple[str, ...]) -> Iterator[tuple[str, Place]]:
    keyed = replace(document, key=columns)
    for name, record in document.records():
        row = keyed.row(name, record)
        if isinstance(row, Row):
            yield _text(row.id), (name, record.offset)


def _text(one: Sequence[Any]) -> str:
    """Give the text by which an id is found: a number is found by its text, too."""
    return json.dumps([str(value) for value in one])


def _holder(row: Row | Broken, column: str) -> str | None:
    """Give the text by which the row is found that another belongs to, if it belongs to one."""
    if isinstance(row, Broken):
        return None
    try:
        return _text([id_value(row.get(column), column)])
    except Faulty:
        return None


def _best(rows: Sequence[Row], one: Id) -> Row | None:
    same = [row for row in rows if row.id == tuple(one)]
    return next(reversed(same or list(rows)), None)


def _row(row: Row | Broken) -> Row:
    assert isinstance(row, Row)
    return row


def _place(one: Id | None) -> Place | None:
    return None if one is None else (str(one[0]), int(one[1]))


def _names(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _line_wise(encoding: str) -> str:
    """Refuse an encoding in which a line does not end with the byte that ends it elsewhere."""
    try:
        name, line_end = codecs.lookup(encoding).name, "\n".encode(encoding)
    except LookupError:
        raise UsageError(f"There is no encoding {encoding!r}") from None
    if line_end != b"\n":
        raise UsageError(f"Files in {encoding} are not read by lines: write them in UTF-8")
    return name
