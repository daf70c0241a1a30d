"""Key bytes order as key values do, one behind the other as tuples do."""

from __future__ import annotations

from base64 import b64decode

from hypothesis import given
from hypothesis import strategies as st

from singletable.values import after, key_bytes, key_prefix, read_key_text

TEXTS = st.text(max_size=12)
BLOBS = st.binary(max_size=12)


@given(TEXTS, TEXTS)
def test_strings_order_by_their_utf8_bytes(one: str, other: str) -> None:
    assert (key_bytes({"S": one}) < key_bytes({"S": other})) == (one.encode() < other.encode())


@given(BLOBS, BLOBS)
def test_binaries_order_by_their_bytes(one: bytes, other: bytes) -> None:
    assert (key_bytes({"B": one}) < key_bytes({"B": other})) == (one < other)


@given(st.tuples(BLOBS, BLOBS), st.tuples(BLOBS, BLOBS))
def test_two_values_order_as_a_tuple(one: tuple[bytes, bytes], other: tuple[bytes, bytes]) -> None:
    keys = [b"".join(key_bytes({"B": part}) for part in pair) for pair in (one, other)]
    assert (keys[0] < keys[1]) == (one < other)
    assert (keys[0] == keys[1]) == (one == other)


@given(TEXTS, BLOBS, BLOBS)
def test_a_text_is_read_off_the_bytes_again(text: str, blob: bytes, rest: bytes) -> None:
    encoded = b"head" + key_bytes({"S": text}) + key_bytes({"B": blob}) + rest
    found, end = read_key_text("S", encoded, 4)
    assert found == text
    found, end = read_key_text("B", encoded, end)
    assert b64decode(found) == blob
    assert encoded[end:] == rest


@given(BLOBS, BLOBS)
def test_a_prefix_bounds_exactly_what_begins_with_it(prefix: bytes, value: bytes) -> None:
    lower = key_prefix({"B": prefix})
    inside = lower <= key_bytes({"B": value})
    if lower.strip(b"\xff"):
        inside = inside and key_bytes({"B": value}) < after(lower)
        assert inside == value.startswith(prefix)
