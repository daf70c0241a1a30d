"""Attribute values: their forms, rules, sizes, order and stored bytes."""

from .codec import dumps, loads
from .keys import after, key_bytes, key_prefix, read_key_text
from .normalize import (
    DEPTH_MAX,
    ITEM_TOO_LARGE,
    NAME_BYTES_MAX,
    NAME_TOO_LARGE,
    admit_item,
    normalize,
    normalize_item,
)
from .numbers import DIGITS_MAX, EXACT, check_number, format_number, parse_number
from .sizes import ITEM_BYTES_MAX, item_size, size_at, text_size, value_size
from .types import AttributeValue, CanonicalItem, Item

__all__ = [
    "DEPTH_MAX",
    "DIGITS_MAX",
    "EXACT",
    "ITEM_BYTES_MAX",
    "ITEM_TOO_LARGE",
    "NAME_BYTES_MAX",
    "NAME_TOO_LARGE",
    "AttributeValue",
    "CanonicalItem",
    "Item",
    "admit_item",
    "after",
    "check_number",
    "dumps",
    "format_number",
    "item_size",
    "key_bytes",
    "key_prefix",
    "loads",
    "normalize",
    "normalize_item",
    "parse_number",
    "read_key_text",
    "size_at",
    "text_size",
    "value_size",
]
