"""Addresses as they may be shown: without the passwords that they may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from singletable.errors import InvalidAddress

_USER = re.compile(r"(//[^/:@\s]*):\S*@")
_OPTION = re.compile(r"((?:password|passwd|pwd|secret|token|sslpassword)=)[^&\s]*", re.IGNORECASE)


def masked(address: str) -> str:
    """Put stars in the place of a password: that of the user, or one among the options."""
    return _OPTION.sub(r"\1***", _USER.sub(r"\1:***@", address))


def shown(where: Any) -> str:
    """Give what a source was opened with, as it may be shown."""
    return repr(masked(where)) if isinstance(where, str) else repr(where)


@contextmanager
def without_passwords(where: Any) -> Iterator[None]:
    """Keep a password out of the error which says that an address is none."""
    try:
        yield
    except InvalidAddress as error:
        if not isinstance(where, str) or masked(where) == where:
            raise
        raise InvalidAddress(masked(str(error))) from None
