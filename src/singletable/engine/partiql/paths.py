"""Document paths in a statement: ``name {. name | [ index ] | [ 'name' ]}``."""

from __future__ import annotations

from singletable.expressions.paths import Element, Path
from singletable.expressions.words import INDEX_MAX

from .lexer import NAME, NUMBER, STRING, Token
from .reader import Reader

INDEX_DIGITS_MAX = len(str(INDEX_MAX))


def path(reader: Reader) -> Path:
    """Read a path."""
    elements: list[Element] = [_name(reader, reader.expect(NAME))]
    while step := reader.accept(".", "["):
        elements.append(_key(reader) if step.kind == "." else _index(reader))
    return Path(tuple(elements))


def _name(reader: Reader, token: Token) -> str:
    if not token.text:
        reader.refuse("Path component cannot be an empty string")
    return token.text


def _key(reader: Reader) -> str:
    if star := reader.accept("*"):
        reader.refuse("Unpivot path component like a.*.b are not supported", star)
        return star.text
    return _name(reader, reader.expect(NAME))


def _index(reader: Reader) -> Element:
    sign = reader.accept("-")
    token = reader.take()
    reader.expect("]")
    if token.kind in (STRING, NAME) and not sign:
        return _name(reader, token)
    if token.kind == NUMBER and token.text.isdigit():
        return _number(reader, token, "-" if sign else "")
    if token.kind == "*":
        reader.refuse("Wildcard path component like a[*].b are not supported", token)
    reader.refuse("Unexpected path component", token)
    return 0


def _number(reader: Reader, token: Token, sign: str) -> int:
    if not sign and len(token.text) <= INDEX_DIGITS_MAX and int(token.text) <= INDEX_MAX:
        return int(token.text)
    index = f"[{sign}{token.text}]"
    reader.refuse(f"List index is not within the allowable range; index: {index}", token)
    return 0
