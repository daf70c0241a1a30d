"""One kind of a source of files: how its records are read, and which values are the key."""

from __future__ import annotations

import csv
import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from singletable.errors import UsageError
from singletable.migrate.sources.dynamodb.ids import plain_number
from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Broken, Id, Row

from .folders import DELIMITERS, EXPORTED, Found
from .formats import (
    ByLine,
    Csv,
    Faulty,
    Format,
    Record,
    csv_values,
    decoded,
    dynamodb_item,
    json_object,
)
from .lines import Line, Lines
from .places import Place

USUAL_KEYS = (("id",), ("PK", "SK"), ("pk", "sk"))
"""What a key is made of where nobody says; else, but for items of DynamoDB, the first column."""

DIGITS_MAX = 1000
"""Of a number in a key: with an exponent, a few characters may stand for a billion digits."""


@dataclass(frozen=True, slots=True)
class Document:
    """A kind: its files, in order, and what is known of them."""

    kind: str
    paths: tuple[Path, ...]
    form: Format
    key: tuple[str, ...]
    columns: tuple[str, ...] = ()
    start: int = 0
    """Where the first record begins, after a header."""
    count: int | None = None

    def records(
        self, after: Place | None = None, upto: Place | None = None
    ) -> Iterator[tuple[str, Record]]:
        """Give the records from one place to another, each with the name of its file."""
        for path in self.paths:
            if after and path.name < after[0]:
                continue
            begin = after[1] if after and path.name == after[0] else self.start
            if upto and (path.name, begin) >= upto:
                return
            with closing(Lines(path, begin)) as lines:
                for record in self.form.records(lines):
                    if upto and (path.name, record.offset) >= upto:
                        return
                    yield path.name, record

    def records_at(self, places: Sequence[Place]) -> Iterator[tuple[Place, Record]]:
        """Give the records at some places, in the order of the files."""
        paths = {path.name: path for path in self.paths}
        for name, some in groupby(sorted(set(places)), key=itemgetter(0)):
            with closing(Lines(paths[name])) as lines:
                for place in some:
                    lines.seek(place[1])
                    yield place, next(self.form.records(lines))

    def row(self, name: str, record: Record) -> Row | Broken:
        """Give the row of a record, or what stands in its place."""
        where = (name, record.offset)
        if record.data is None:
            return Broken(self.kind, where, record.text, record.reason)
        try:
            return Row(self.kind, self._id(record), record.data)
        except Faulty as error:
            return Broken(self.kind, where, json.dumps(record.data, default=str), str(error))

    def _id(self, record: Record) -> Id:
        assert record.data is not None
        return tuple(id_value(record.data.get(name), name) for name in self.key)


def id_value(value: Any, name: str) -> str | int:
    """Give a value of a key in a form that JSON keeps."""
    if value is None or value == "":
        raise Faulty(f"has no value for {name!r}, which is of its key")
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal | bytes):
        raise Faulty(f"has {value!r} for {name!r}, and a key has texts, numbers or bytes")
    if isinstance(value, Decimal) and abs(value.adjusted()) > DIGITS_MAX:
        raise Faulty(f"has {value} for {name!r}, a number of more than {DIGITS_MAX} digits")
    if isinstance(value, int | Decimal):
        return plain_number(value)
    return b64encode(value).decode() if isinstance(value, bytes) else value


def opened(found: Found, key: tuple[str, ...] | None, empty: str | None, encoding: str) -> Document:
    """Look into the files of a kind, and choose how to read them."""
    kind, paths = found.kind, found.paths
    if found.form in DELIMITERS:
        header, start = _header(paths[0], DELIMITERS[found.form], encoding)
        form: Format = Csv(header, DELIMITERS[found.form], encoding, empty)
        return Document(kind, paths, form, _key(found, key, header), header, start)
    form = ByLine(dynamodb_item if found.form == EXPORTED else json_object(encoding))
    document = Document(kind, paths, form, key or ("id",), count=found.count)
    some = next((record.data for _, record in document.records() if record.data), {})
    chosen = _key(found, key, tuple(some)) if some else document.key
    return Document(kind, paths, form, chosen, count=found.count)


def _key(found: Found, key: tuple[str, ...] | None, columns: tuple[str, ...]) -> tuple[str, ...]:
    if key is not None:
        if found.form in DELIMITERS and not set(key) <= set(columns):
            raise UsageError(
                f"{found.paths[0]} has no column {', '.join(sorted(set(key) - set(columns)))} for "
                f"its key; it has {', '.join(columns)}"
            )
        return key
    for usual in USUAL_KEYS:
        if set(usual) <= set(columns):
            return usual
    if found.form == EXPORTED:
        raise UsageError(
            f"What the key of {found.kind!r} is, the files in {found.paths[0].parent} do not tell: "
            "give key=[…], the names of its attributes"
        )
    return columns[:1]


def _header(path: Path, delimiter: str, encoding: str) -> tuple[tuple[str, ...], int]:
    taken: list[Line] = []
    with closing(Lines(path)) as lines:
        try:
            header = csv_values(lines, taken, delimiter, encoding)
            for line in taken:
                decoded(line.raw, encoding)
        except (csv.Error, Faulty) as error:
            raise SourceUnusable(f"{path} has no header: its first line {error}") from error
    if not header or "" in header or len(set(header)) < len(header):
        raise SourceUnusable(
            f"{path} has no header that names every column by a name of its own: {header}"
        )
    return tuple(header), taken[-1].end
