"""Where files go: to S3 by a presigned address, or through the service itself to a folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import jwt
import obstore
from fastapi import APIRouter, Path, Request
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore, S3Store, from_url
from pydantic import BaseModel

from singletable import ObjectStoreFailed

from .problems import Problem, documented

LIFETIME = timedelta(hours=1)
AUDIENCE = "upload"


class Upload(BaseModel):
    """Says where an object is to be sent, with PUT."""

    url: str
    expires_at: datetime


class UploadRefused(Exception):
    """An address for an upload is not one of ours, or too old."""


def open_objects(address: str | None) -> Any:
    """Open the object store at an address: ``s3://…``, a folder; without one, in memory."""
    if address is None:
        return MemoryStore()
    if "://" in address:
        return from_url(address)
    return LocalStore(address, mkdir=True)


@dataclass(frozen=True, slots=True)
class Uploads:
    """Gives addresses for files, and keeps what is sent to those of its own."""

    objects: Any
    secret: str

    def address(self, key: str, root: str = "") -> Upload:
        """Give an address that takes one object, for an hour; our own are below a root."""
        expires_at = datetime.now(UTC) + LIFETIME
        if isinstance(self.objects, S3Store):
            return Upload(
                url=obstore.sign(self.objects, "PUT", key, LIFETIME), expires_at=expires_at
            )
        claims = {"key": key, "exp": expires_at, "aud": AUDIENCE}
        token = jwt.encode(claims, self.secret, "HS256")
        return Upload(url=f"{root}/uploads/{token}", expires_at=expires_at)

    async def keep(self, token: str, content: AsyncIterator[bytes]) -> None:
        """Keep what was sent to an address of our own, piece by piece."""
        try:
            claims = jwt.decode(token, self.secret, algorithms=["HS256"], audience=AUDIENCE)
        except jwt.PyJWTError as error:
            raise UploadRefused(str(error)) from error
        with _reached():
            await obstore.put_async(self.objects, claims["key"], content)

    def is_there(self, key: str) -> bool:
        """Tell whether an object was sent."""
        try:
            with _reached():
                obstore.head(self.objects, key)
        except FileNotFoundError:
            return False
        return True

    def delete(self, key: str) -> None:
        """Delete an object, if it is there."""
        with suppress(FileNotFoundError), _reached():
            obstore.delete(self.objects, key)


@contextmanager
def _reached() -> Iterator[None]:
    """Tell an object store that fails as the library does."""
    try:
        yield
    except BaseError as error:
        raise ObjectStoreFailed(str(error)) from error


router = APIRouter(tags=["uploads"])


@router.put(
    "/uploads/{token}",
    status_code=204,
    responses=documented(400, 401, 413, 422, 503),
    openapi_extra={
        "requestBody": {
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            }
        }
    },
)
async def receive(token: Annotated[str, Path(max_length=2000)], request: Request) -> None:
    """Take a file, at an address that was given for it."""
    uploads: Uploads = request.app.state.uploads
    try:
        await uploads.keep(token, request.stream())
    except UploadRefused as error:
        raise Problem(401, f"This address takes nothing: {error}") from error
