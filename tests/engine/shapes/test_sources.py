"""Bytes from the wire and from the same process."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.shapes import IN_PROCESS, WIRE
from singletable.errors import SerializationException


def test_bytes_are_base64_on_the_wire_and_themselves_in_process() -> None:
    assert WIRE.blob("AP8=") == b"\x00\xff"
    assert IN_PROCESS.blob(b"\x00\xff") == b"\x00\xff"
    assert IN_PROCESS.blob(bytearray(b"\x00")) == b"\x00"


def test_text_for_bytes_in_process_stands_for_its_utf_8_as_in_boto3() -> None:
    assert IN_PROCESS.blob("é") == b"\xc3\xa9"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "abc",
            (
                "'abc' can not be converted to a Blob: "
                "Base64 encoded length is expected a multiple of 4 bytes but found: 3"
            ),
        ),
        ("ab*=", "'ab*=' can not be converted to a Blob: Invalid Base64 character: '*'"),
        ("a=bc", "'a=bc' can not be converted to a Blob: Invalid Base64 character: '='"),
        (1, "only base64-encoded strings are convertible to bytes"),
        ([], "Start of list found where not expected"),
    ],
)
def test_what_is_not_base64_is_refused_on_the_wire(value: Any, message: str) -> None:
    with pytest.raises(SerializationException) as caught:
        WIRE.blob(value)
    assert caught.value.message == message
