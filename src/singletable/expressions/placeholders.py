"""The rules for ExpressionAttributeNames and ExpressionAttributeValues themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from singletable.errors import ValidationException
from singletable.values import (
    ITEM_BYTES_MAX,
    NAME_BYTES_MAX,
    NAME_TOO_LARGE,
    AttributeValue,
    CanonicalItem,
    item_size,
    normalize,
    text_size,
)

from .operands import Placeholder
from .order import hash_order
from .paths import Alias, Path
from .tree import Node, walk

NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"

KEY_SIZE_MAX = 255
SIZE_MAX = 2 * 1024 * 1024
"""How large names and values may be together, their placeholders included."""

_FORMS = {NAMES: re.compile(r"#[A-Za-z0-9_]+"), VALUES: re.compile(r":[A-Za-z0-9_]+")}

# What need not be measured, since a request of such values alone is far from too large.
_SMALL = frozenset({"N", "BOOL", "NULL"})
_PLAIN = frozenset({"S", "B"})
_SHORT = 1000


def check_keys(
    names: Mapping[str, str] | None, values: Mapping[str, AttributeValue] | None
) -> None:
    """Raise unless names and values are none, or all of their keys are well formed."""
    if names is not None:
        _check_keys(NAMES, names)
    if values is not None:
        _check_keys(VALUES, values)


def check_names(names: Mapping[str, str]) -> None:
    """Raise unless all names can be those of attributes; observed: after the values."""
    for key, name in names.items():
        if not name:
            raise _invalid_value(NAMES, "Empty attribute name", key)
        if text_size(name) > NAME_BYTES_MAX:
            raise _invalid_value(NAMES, NAME_TOO_LARGE, key)


def _check_keys(parameter: str, keys: Mapping[str, object]) -> None:
    if not keys:
        raise ValidationException(f"{parameter} must not be empty")
    for key in keys:
        if fault := _key_fault(parameter, key):
            raise ValidationException(f"{parameter} contains invalid key: {fault}")


def _key_fault(parameter: str, key: str) -> str | None:
    if not key:
        return "The expression attribute map contains an empty key;"
    if len(key) > KEY_SIZE_MAX:
        size = f" size of key: {len(key)}" if parameter == NAMES else ""
        return f"The expression attribute map contains a key that is too long;{size}"
    return None if _FORMS[parameter].fullmatch(key) else f'Syntax error; key: "{key}"'


def check_sizes(names: Mapping[str, str], values: dict[str, AttributeValue]) -> None:
    """Raise where names or values are too large, alone or together."""
    named = sum(text_size(key) + text_size(name) for key, name in names.items())
    valued = item_size(values)
    sizes = {NAMES: named, VALUES: valued, f"Combined size of {NAMES} and {VALUES}": named + valued}
    for what, size in sizes.items():
        if size > SIZE_MAX:
            raise ValidationException(f"{what} exceeds max size")


def normalized(
    values: Mapping[str, AttributeValue], names: Mapping[str, str]
) -> dict[str, AttributeValue]:
    """Check the values, and their size beside the names, and give them in canonical form."""
    if type(values) is CanonicalItem and values.size <= ITEM_BYTES_MAX:
        return values  # names too large beside them are seen when they are planned for
    canonical = {}
    large = False
    for key, value in values.items():
        try:
            canonical[key] = normalize(value)
        except ValidationException as fault:
            raise _invalid_value(VALUES, fault.message, key) from None
        for kind, content in value.items():
            if kind not in _SMALL and (kind not in _PLAIN or len(content) > _SHORT):
                large = True
    if large:
        check_sizes(names, canonical)
    return canonical


def check_used(
    names: Mapping[str, str], values: Mapping[str, AttributeValue], trees: Iterable[Node]
) -> None:
    """Raise where the expressions, as parsed, leave a name or value unused."""
    used: set[str] = set()
    for tree in trees:
        for node, _ in walk(tree):
            if isinstance(node, Path):
                used.update(each.name for each in node.elements if isinstance(each, Alias))
            elif isinstance(node, Placeholder):
                used.add(node.name)
    for parameter, keys in ((NAMES, names), (VALUES, values)):
        unused = [key for key in hash_order(keys) if key not in used]
        if unused:
            raise ValidationException(
                f"Value provided in {parameter} unused in expressions: "
                f"keys: {{{', '.join(unused)}}}"
            )


def _invalid_value(parameter: str, message: str, key: str) -> ValidationException:
    return ValidationException(f"{parameter} contains invalid value: {message} for key {key}")
