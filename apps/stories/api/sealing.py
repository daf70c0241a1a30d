"""Cursors of lists that leave something out: encrypted.

A cursor names the item that a page ended at, which may be one that its reader must not know of. It
is signed, so that nobody changes it, but whoever decodes it can read it.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from cryptography.fernet import Fernet, InvalidToken
from fastapi import Depends, Request

from apps.service import After, Problem

PURPOSE = b"cursors of stories\n"


@dataclass(frozen=True, slots=True)
class Sealed:
    """The place after which a list goes on, as its client sent it, and a seal for the next."""

    seal: Fernet
    after: str | None

    def next(self, cursor: str | None) -> str | None:
        """Give a cursor to a client."""
        return None if cursor is None else self.seal.encrypt(cursor.encode()).decode()


def _opened(request: Request, after: After = None) -> Sealed:
    secret = request.app.state.service.settings.secret.encode()
    seal = Fernet(urlsafe_b64encode(sha256(PURPOSE + secret).digest()))
    if after is None:
        return Sealed(seal, None)
    try:
        return Sealed(seal, seal.decrypt(after.encode()).decode())
    except InvalidToken:
        raise Problem(400, "after is not a cursor that was given here") from None


Place = Annotated[Sealed, Depends(_opened)]
