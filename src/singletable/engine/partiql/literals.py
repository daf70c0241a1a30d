"""Values written out in a statement: a rule of the grammar with each function.

literal    string | [sign] number | TRUE | FALSE | NULL | list | tuple | bag
list       [ {literal ,} ]
tuple      { {string : literal ,} }
bag        << literal {, literal} >>, a set of strings or of numbers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from singletable.errors import ValidationException
from singletable.values import AttributeValue, format_number, normalize, parse_number

from .lexer import NAME, NUMBER, STRING, Token
from .reader import Reader

BEGINNINGS = frozenset({STRING, NUMBER, "TRUE", "FALSE", "NULL", "[", "{", "<<"})
"""What a literal without a sign begins with."""

R = TypeVar("R")

ROOT = "root"

_FOREIGN = {NAME: "VariableReference", "?": "Parameter", "MISSING": "LiteralMissing"}
_SET_KINDS = {"S": "SS", "N": "NS"}
_BAD_BAG = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"


def literal(reader: Reader) -> AttributeValue:
    """Read a value, in canonical form."""
    value = _value(reader, ROOT)
    try:
        return normalize(value)
    except ValidationException as error:
        reader.refuse(error.message)
        return value


def _value(reader: Reader, path: str) -> AttributeValue:
    token = reader.take()
    read = _READERS.get(token.kind)
    if read is None:
        return _refuse(reader, token, path)
    with reader.deeper():
        return read(reader, token, path)


def _refuse(reader: Reader, token: Token, path: str) -> AttributeValue:
    if token.kind not in _FOREIGN:
        reader.fail()
    shown = token.text if path == ROOT else _FOREIGN[token.kind]
    reader.refuse(f"Unsupported data type: {shown} under key {path}", token)
    return {"NULL": True}


def _signed(reader: Reader, sign: Token, path: str) -> AttributeValue:
    minuses = int(sign.kind == "-")
    while inner := reader.accept("+", "-"):
        minuses += inner.kind == "-"
    number = reader.expect(NUMBER)
    if minuses:
        check_negative(reader, number, path)
    return {"N": f"-{number.text}" if minuses % 2 else number.text}


def check_negative(reader: Reader, number: Token, path: str = ROOT) -> None:
    """Refuse a minus before a zero, unless it is written as an integer."""
    digits = number.text.lower().partition("e")[0]
    if not number.text.isdigit() and not digits.strip("0."):
        reader.refuse(f"Negative zero decimal is not supported under key {path}", number)


def negated(number: AttributeValue) -> AttributeValue:
    """Give a number with the other sign, and all of its digits: ``-`` would round them to 28."""
    return {"N": format_number(parse_number(number["N"]).copy_negate())}


def _list(reader: Reader, _token: Token, path: str) -> AttributeValue:
    return {"L": [_value(reader, f"{path}.{at}") for at in _members(reader, "]")]}


def _tuple(reader: Reader, _token: Token, path: str) -> AttributeValue:
    return {"M": dict(pairs(reader, lambda name: _value(reader, f"{path}.{name}")))}


def pairs(reader: Reader, read: Callable[[str], R]) -> Iterator[tuple[str, R]]:
    """Read what is left of a tuple behind its brace, each value by ``read``."""
    seen = set()
    for _ in _members(reader, "}"):
        key = reader.take()
        if key.kind != STRING:
            actual = _FOREIGN.get(key.kind, "INT" if key.kind == NUMBER else key.text)
            reader.refuse(
                f"Tuple keys must be of type String. Actual type: {actual} under root", key
            )
        elif not key.text:
            reader.refuse("Path component cannot be an empty string")
        elif key.text in seen:
            reader.refuse(f"Duplicate keys in tuple. Key: {key.text} under root", key)
        seen.add(key.text)
        reader.expect(":")
        yield key.text, read(key.text)


def _bag(reader: Reader, token: Token, path: str) -> AttributeValue:
    kind, contents = "", []
    for _ in _members(reader, ">>"):
        place = reader.token
        [(each, content)] = _value(reader, path).items()
        kind = kind or each
        if each != kind or each not in _SET_KINDS:
            # Observed: of a bag that begins with a number, no place is told.
            reader.refuse(_BAD_BAG, None if kind == "N" else place)
        contents.append(content)
    if not contents:
        reader.refuse("Empty bags are not supported", token)
    return {"NULL": True} if reader.refusal else {_SET_KINDS[kind]: contents}


def _members(reader: Reader, end: str) -> Iterator[int]:
    """Count the members of a collection, each to be read before the next is asked for."""
    at = 0
    while not reader.accept(end):
        if at:
            reader.expect(",")
        yield at
        at += 1


_READERS: dict[str, Callable[[Reader, Token, str], AttributeValue]] = {
    STRING: lambda _reader, token, _path: {"S": token.text},
    NUMBER: lambda _reader, token, _path: {"N": token.text},
    "TRUE": lambda _reader, _token, _path: {"BOOL": True},
    "FALSE": lambda _reader, _token, _path: {"BOOL": False},
    "NULL": lambda _reader, _token, _path: {"NULL": True},
    "+": _signed,
    "-": _signed,
    "[": _list,
    "{": _tuple,
    "<<": _bag,
}
