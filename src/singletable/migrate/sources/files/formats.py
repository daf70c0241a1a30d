"""What the lines of a file mean: a JSON object each, values by commas, an item of DynamoDB each.

Nothing is passed over but empty lines: what cannot be read is a record with a reason and no data.
"""

from __future__ import annotations

import csv
import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn, Protocol

import orjson

from singletable.errors import SingletableError
from singletable.model.codec import decode
from singletable.values import AttributeValue, normalize_item

from .lines import BYTES_MAX, Line, Lines

TEXT_MAX = 10_000
"""How much is told of a line that is too long."""
UTF8 = "utf-8"
_BOM = b"\xef\xbb\xbf"
_TOO_LONG = f"is longer than {BYTES_MAX} bytes"


@dataclass(frozen=True, slots=True)
class Record:
    """What stands at a place in a file: data, or a text and why it is none."""

    offset: int
    end: int
    data: Mapping[str, Any] | None
    text: str = ""
    reason: str = ""


class Format(Protocol):
    """Makes records of lines."""

    def records(self, lines: Lines) -> Iterator[Record]:
        """Give the records from where the lines are."""
        ...


class Faulty(ValueError):
    """Says why a line is no record."""


@dataclass(frozen=True, slots=True)
class ByLine:
    """A format in which a line is a record."""

    parse: Callable[[bytes], Mapping[str, Any]]

    def records(self, lines: Lines) -> Iterator[Record]:
        """Give the records from where the lines are."""
        while (line := lines.take()) is not None:
            if line.raw.strip():
                yield self._record(line)

    def _record(self, line: Line) -> Record:
        if line.is_cut:
            return broken([line], _TOO_LONG)
        try:
            return Record(line.offset, line.end, self.parse(_without_bom(line)))
        except (ValueError, RecursionError, SingletableError) as error:
            return broken([line], str(error))


def json_object(encoding: str = UTF8) -> Callable[[bytes], Mapping[str, Any]]:
    """Read a JSON object; fractions become Decimal, as they are written."""
    decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_number)

    def parse(raw: bytes) -> Mapping[str, Any]:
        text = decoded(raw, encoding)
        data = decoder.decode(text)
        if not isinstance(data, dict):
            raise Faulty("is JSON, but no object")
        if "\\ud" in text or "\\uD" in text:
            _check_surrogates(data)
        return data

    return parse


def dynamodb_item(raw: bytes) -> Mapping[str, Any]:
    """Read an item as DynamoDB exports it: ``{"Item": {"id": {"S": "1"}}}``."""
    line = orjson.loads(raw)
    if not isinstance(line, dict) or not isinstance(line.get("Item"), dict):
        raise Faulty('is no {"Item": …}, as in a full export of a DynamoDB table')
    try:
        item = {name: _with_bytes(value) for name, value in line["Item"].items()}
        return {name: decode(value) for name, value in normalize_item(item).items()}
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise Faulty(f"has an attribute that is none of DynamoDB's: {error!r}") from error


def _with_bytes(value: AttributeValue) -> AttributeValue:
    """Give an attribute value with its binaries as bytes, which JSON has as base64."""
    ((kind, content),) = value.items()
    match kind:
        case "B":
            return {"B": b64decode(content, validate=True)}
        case "BS":
            return {"BS": [b64decode(one, validate=True) for one in content]}
        case "L":
            return {"L": [_with_bytes(one) for one in content]}
        case "M":
            return {"M": {name: _with_bytes(one) for name, one in content.items()}}
    return value


@dataclass(frozen=True, slots=True)
class Csv:
    """Values by commas, or another character, under a header; values are texts."""

    header: tuple[str, ...]
    delimiter: str = ","
    encoding: str = UTF8
    empty: str | None = ""
    """What a value without a character becomes."""

    def records(self, lines: Lines) -> Iterator[Record]:
        """Give the records from where the lines are."""
        # Python's own limit is for the whole process, and less than what a text may have.
        csv.field_size_limit(max(csv.field_size_limit(), BYTES_MAX))
        while (line := lines.take()) is not None:
            if line.raw.strip(b"\r\n"):
                lines.back([line])
                yield self._record(lines)

    def _record(self, lines: Lines) -> Record:
        taken: list[Line] = []
        try:
            values = csv_values(lines, taken, self.delimiter, self.encoding)
        except (csv.Error, Faulty) as error:
            # A quote that is not closed would take all that follows with it.
            lines.back(taken[1:])
            return broken(taken[:1], _csv_fault(error, len(taken)))
        try:
            for line in taken:
                decoded(line.raw, self.encoding)
        except Faulty as error:
            return broken(taken, str(error))
        if len(values) != len(self.header):
            return broken(taken, f"has {len(values)} values for {len(self.header)} columns")
        data = {name: value or self.empty for name, value in zip(self.header, values, strict=True)}
        return Record(taken[0].offset, taken[-1].end, data)


def csv_values(lines: Lines, taken: list[Line], delimiter: str, encoding: str = UTF8) -> list[str]:
    """Read the values of one record; a text in quotes may go over several lines."""

    def feed() -> Iterator[str]:
        length = 0
        while (line := lines.take()) is not None:
            taken.append(line)
            length += len(line.raw)
            if line.is_cut or length > BYTES_MAX:
                raise Faulty(_TOO_LONG)
            yield _without_bom(line).decode(encoding, "backslashreplace")

    return next(csv.reader(feed(), delimiter=delimiter, strict=True), [])


def _csv_fault(error: Exception, lines: int) -> str:
    if lines > 1 or "unexpected end" in str(error):
        return "is no CSV: a quote is opened, and not closed as it should be"
    return str(error) if isinstance(error, Faulty) else f"is no CSV: {error}"


def broken(lines: list[Line], reason: str) -> Record:
    """Make the record of lines that are none."""
    raw = b"".join(line.raw for line in lines)
    text = raw[:TEXT_MAX] + b"\xe2\x80\xa6" if any(line.is_cut for line in lines) else raw
    shown = text.decode(UTF8, "backslashreplace").rstrip("\r\n")
    return Record(lines[0].offset, lines[-1].end, None, shown, reason)


def decoded(raw: bytes, encoding: str) -> str:
    """Give the text of bytes, or say where they are none."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise Faulty(f"is not {encoding}: byte 0x{byte:02x} at {error.start}") from None


def _without_bom(line: Line) -> bytes:
    return line.raw if line.offset else line.raw.removeprefix(_BOM)


def _no_number(name: str) -> NoReturn:
    raise Faulty(f"has {name}, which is no number of JSON")


def _check_surrogates(data: Any) -> None:
    try:
        json.dumps(data, default=str, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Faulty("has half of a surrogate pair, which is no character") from None
