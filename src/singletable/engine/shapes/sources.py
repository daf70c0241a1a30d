"""The two sources of requests: JSON over the wire, and Python in the same process.

They differ in little: bytes are base64 text in JSON, and a member that does not exist is passed
over on the wire, as the service does, but refused in process, as boto3 does.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable
from typing import Any

from singletable.errors import SerializationException

from .base import mismatch, plain_text


class UnknownParameter(TypeError):
    """A structure was given a member that it does not have."""


class Wire:
    """The source of requests that were JSON."""

    def blob(self, value: Any) -> bytes:
        """Decode base64 text as strictly as the service does."""
        if type(value) is not str:
            if isinstance(value, dict | list):
                raise mismatch(value, "Blob")
            raise SerializationException("only base64-encoded strings are convertible to bytes")
        try:
            return binascii.a2b_base64(value, strict_mode=True)
        except ValueError as error:
            shown = f"'{value}' can not be converted to a Blob"
            raise SerializationException(f"{shown}: {_base64_trouble(value)}") from error

    def unknown(self, _name: str, _known: Iterable[str]) -> None:
        """Pass over what the shape does not have."""


class InProcess:
    """The source of requests that are Python values, in the forms that boto3 takes."""

    def blob(self, value: Any) -> bytes:
        """Take bytes; text stands for its UTF-8."""
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value)
        if isinstance(value, str):
            return plain_text(value).encode()
        raise mismatch(value, "Blob")

    def unknown(self, name: str, known: Iterable[str]) -> None:
        """Refuse what the shape does not have."""
        raise UnknownParameter(f"unknown parameter {name!r}, must be one of {', '.join(known)}")


WIRE = Wire()
IN_PROCESS = InProcess()


def _base64_trouble(text: str) -> str:
    if len(text) % 4:
        return f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}"
    wrong = re.search(r"[^A-Za-z0-9+/=]|=(?!=?$)", text)
    return f"Invalid Base64 character: '{wrong[0]}'" if wrong else "Invalid last non-pad character"
