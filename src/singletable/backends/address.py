"""Where a store is, in one string: an address names a backend, and this reads it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from singletable.errors import InvalidAddress, UsageError

from . import Backend

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from singletable.engine import Engine

MEMORY = ":memory:"
AWS = "aws:"
FORMS = (
    '":memory:", the path of a file ("campaigns.db", "./campaigns"), a region of AWS '
    '("aws:eu-west-1", or "aws:" for the one that is configured), or the URL of an endpoint '
    '("http://localhost:8000")'
)
_REGION = re.compile(r"[a-z]{2,}(-[a-z]+)+-\d+")
# A name with neither a folder nor a suffix is more likely a slip than a file. What stands before a
# colon is a scheme or a host, except for a Windows drive.
_PATH = re.compile(r"[^:]*[./\\][^:]*|[^:]*[/\\].*|[A-Za-z]:[/\\].*", re.DOTALL)


def connect(address: str | os.PathLike[str], **options: Any) -> Backend:
    """Make the backend that an address names; nothing is sent anywhere yet.

    The options are those of ``Engine`` for memory and files, those of ``AwsBackend`` for the rest.
    """
    if isinstance(address, str):
        if address.startswith(AWS):
            return _aws(_region(address), **options)
        if address.startswith(("http://", "https://")):
            return _aws(options.pop("region", None), endpoint=_endpoint(address), **options)
        if address != MEMORY and not _PATH.fullmatch(address):
            raise InvalidAddress(f"{address!r} is not an address: it can be {FORMS}")
    return _embedded(address, **options)


def as_backend(thing: Backend | Engine | DynamoDBClient | str | os.PathLike[str]) -> Backend:
    """Give the backend of an address, an engine, a boto3 or an aiobotocore client, or itself.

    Only what an address opened is closed with the backend.
    """
    if isinstance(thing, str | os.PathLike):
        return connect(thing)
    if isinstance(thing, Backend):
        return thing
    return _of_client(thing) or _of_engine(thing)


def _embedded(path: str | os.PathLike[str], **options: Any) -> Backend:
    from singletable.engine import Engine

    from .embedded import EmbeddedBackend

    return EmbeddedBackend(Engine(path, **options), owned=True)


def _aws(region: str | None, **options: Any) -> Backend:
    from .aws import AwsBackend

    return AwsBackend(region, **options)


def _region(address: str) -> str | None:
    region = address.removeprefix(AWS)
    if region and not _REGION.fullmatch(region):
        raise InvalidAddress(f'{address!r} names no region of AWS: write it as "aws:eu-west-1"')
    return region or None


def _endpoint(address: str) -> str:
    if not _is_endpoint(address):
        raise InvalidAddress(
            f"{address!r} is not an endpoint: it has a host and a port alone, "
            'as in "http://localhost:8000"'
        )
    return address


def _is_endpoint(address: str) -> bool:
    try:
        url = urlsplit(address)
        named = url.hostname is not None and url.port != 0
    except ValueError:  # the port is no number, or the brackets do not match
        return False
    return (
        named and "@" not in url.netloc and not (url.path.strip("/") or url.query or url.fragment)
    )


def _of_client(thing: Any) -> Backend | None:
    meta = getattr(thing, "meta", None)
    service = getattr(meta, "service_model", None)
    if service is None or service.service_name != "dynamodb":
        return None
    from .client import AsyncClientBackend, ClientBackend

    of_aiobotocore = hasattr(thing, "__aenter__")
    return AsyncClientBackend(thing) if of_aiobotocore else ClientBackend(thing)


def _of_engine(thing: Any) -> Backend:
    from singletable.engine import Engine

    from .embedded import EmbeddedBackend

    if isinstance(thing, Engine):
        return EmbeddedBackend(thing)
    raise UsageError(
        f"a store cannot be connected to {thing!r}: give an address, an Engine, "
        "a DynamoDB client of boto3 or aiobotocore, or a Backend"
    )
