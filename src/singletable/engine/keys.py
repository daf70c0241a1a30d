"""The rules about key attributes of items and of Key parameters, in the service's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Literal

from singletable.errors import ValidationException
from singletable.values import AttributeValue, Item, value_size

from .key_schemas import HASH_BYTES_MAX, RANGE_BYTES_MAX, USUAL_LENGTH_MAX, KeySchema
from .schema import Index, Table

_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
_TOO_LARGE = {
    "HASH": (
        f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{HASH_BYTES_MAX} bytes"
    ),
    "RANGE": (
        f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of "
        f"{RANGE_BYTES_MAX} bytes"
    ),
}
_UPDATED = "The update expression attempted to update the secondary index key"
_EMPTY_NAMES = {"S": "string", "B": "binary"}


class KeyMismatch(ValidationException):
    """The key of a request does not fit its table; a transaction is cancelled for it."""

    wire_name = "ValidationException"


def no_match() -> KeyMismatch:
    """Make the error that most operations raise for a wrong key."""
    return KeyMismatch("The provided key element does not match the schema")


def _mismatch(schema: KeySchema, key: Item) -> KeyMismatch:
    """Make that error with a note of what the key must be, which the service does not tell."""
    wanted = ", ".join(f"{name} ({kind})" for name, kind in schema.attributes)
    error = no_match()
    error.add_note(f"the key must be {wanted}, and is {shortened(dict(key))}")
    return error


def read_key(table: Table, key: Item) -> bytes:
    """Check a canonical key against the table, and give the key of its row."""
    schema = table.schema
    row = schema.encode_usual(key)
    if row is None or len(key) != len(schema.names):
        return _encode_key(schema, key)
    return row


def _encode_key(schema: KeySchema, key: Item) -> bytes:
    if len(key) != len(schema.names):
        raise _mismatch(schema, key)
    longest = 0
    for name, kind in schema.attributes:
        if name not in key or kind not in key[name]:
            raise _mismatch(schema, key)
        longest = max(longest, _length(name, kind, key[name]))
    if longest > USUAL_LENGTH_MAX:
        _check_size(schema, key)
    return schema.encode_unusual(key)


def row_key(table: Table, item: Item) -> bytes:
    """Check the primary key of an item about to be put, and give the key of its row."""
    usual = table.schema.encode_usual(item)
    if usual is not None:
        return usual
    _check_primary_key(table, item)
    return table.schema.encode_unusual(item)


def _check_primary_key(table: Table, item: Item) -> None:
    longest = 0
    for name, kind in table.schema.attributes:
        if name not in item:
            raise KeyMismatch(f"{_INVALID}Missing the key {name} in the item")
        if kind not in item[name]:
            (actual,) = item[name]
            raise KeyMismatch(
                f"{_INVALID}Type mismatch for key {name} expected: {kind} actual: {actual}"
            )
        longest = max(longest, _length(name, kind, item[name]))
    if longest > USUAL_LENGTH_MAX:
        _check_size(table.schema, item)


def _length(name: str, kind: str, value: AttributeValue) -> int:
    """Give the length of a key attribute's value, or raise where it is empty."""
    content = value[kind]
    if not content:
        raise empty_value(name, kind)
    return len(content)


def _check_size(schema: KeySchema, item: Mapping[str, AttributeValue]) -> None:
    if part := schema.too_large(item):
        raise ValidationException(_TOO_LARGE[part])


def empty_value(name: str, kind: str) -> ValidationException:
    """Make the error that a text or binary of no length raises as a key."""
    return ValidationException(
        f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty "
        f"{_EMPTY_NAMES[kind]} value. Key: {name}"
    )


def check_range_sizes(equal: Sequence[AttributeValue], operands: Sequence[AttributeValue]) -> None:
    """Refuse values of sort keys in a query that no item can have."""
    size = sum(map(value_size, equal)) + max(map(value_size, operands), default=0)
    if size > RANGE_BYTES_MAX:
        raise ValidationException(_TOO_LARGE["RANGE"])


@dataclass(frozen=True)
class IndexKeyFault:
    """Why an index cannot have an attribute as its key; put and update word it differently.

    Observed: an update without an expression has the words of a put.
    """

    on_put: str
    on_update: str


def find_index_key_fault(table: Table, item: Item) -> IndexKeyFault | None:
    """Find a value of an item that an index of its table cannot have as its key."""
    for name, kind in table.index_attributes:
        if name in item:
            content = item[name].get(kind)
            if not content or len(content) > USUAL_LENGTH_MAX:
                return _find_index_key_fault(table, item)
    return None


def _find_index_key_fault(table: Table, item: Item) -> IndexKeyFault | None:
    for index in table.indexes.values():
        longest = 0
        for name, kind in index.schema.attributes:
            if name in item:
                content = item[name].get(kind)
                if not content:
                    return _index_key_fault(index, name, kind, item[name])
                longest = max(longest, len(content))
        if longest > USUAL_LENGTH_MAX and (part := index.schema.too_large(item)):
            return _index_size_fault(index, part, item)
    return None


def _index_size_fault(index: Index, part: Literal["HASH", "RANGE"], item: Item) -> IndexKeyFault:
    schema, on_update = index.schema, f"{_UPDATED} beyond allowed size limits"
    name, *others = schema.hash_names if part == "HASH" else schema.range_names
    if others:  # how the service words it is not known
        return IndexKeyFault(_TOO_LARGE[part], on_update)
    size, most = value_size(item[name]), HASH_BYTES_MAX if part == "HASH" else RANGE_BYTES_MAX
    on_put = (
        f"{_INVALID}Size limit exceeded for Index Key {name} "
        f"Actual Size: {size} bytes Max Size: {most} bytes IndexName: {index.name}"
    )
    return IndexKeyFault(on_put, on_update)


def _index_key_fault(index: Index, name: str, kind: str, value: AttributeValue) -> IndexKeyFault:
    [(actual, content)] = value.items()
    on_update = f"{_UPDATED} to unsupported type"
    empty = (
        "The AttributeValue for a key attribute cannot contain an empty "
        f"{_EMPTY_NAMES.get(actual)} value."
    )
    if actual in _EMPTY_NAMES and not content:
        on_update = (
            f"{_NOT_VALID}The update expression attempted to update a secondary index key to a "
            f"value that is not supported. {empty}"
        )
    on_put = (
        f"{_INVALID}Type mismatch for Index Key {name} "
        f"Expected: {kind} Actual: {actual} IndexName: {index.name}"
        if actual != kind
        else f"{_NOT_VALID}A value specified for a secondary index key is not supported. "
        f"{empty} IndexName: {index.name}, IndexKey: {name}"
    )
    return IndexKeyFault(on_put, on_update)
