"""Addresses that take a file: S3's own, presigned, or the service's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from obstore.store import LocalStore, MemoryStore, S3Store

from apps.service import Problem
from apps.service.uploads import UploadRefused, Uploads, open_objects
from singletable.errors import ObjectStoreFailed

SECRET = "s" * 32


async def _content(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def test_in_s3_an_address_is_presigned_for_one_object() -> None:
    bucket = S3Store("recordings", region="eu-west-1", access_key_id="a", secret_access_key="b")
    upload = Uploads(bucket, SECRET).address("recordings/ann/s1")

    assert upload.url.startswith("https://s3.eu-west-1.amazonaws.com/recordings/recordings/ann/s1?")
    assert "X-Amz-Signature=" in upload.url
    assert "X-Amz-Expires=3600" in upload.url


def test_elsewhere_the_service_takes_it_piece_by_piece() -> None:
    objects = MemoryStore()
    uploads = Uploads(objects, SECRET)
    address = uploads.address("recordings/ann/s1", "/campaigns").url
    assert address.startswith("/campaigns/uploads/")
    asyncio.run(uploads.keep(address.rpartition("/")[2], _content(b"one", b"two")))

    assert uploads.is_there("recordings/ann/s1")
    assert bytes(objects.get("recordings/ann/s1").bytes()) == b"onetwo"
    uploads.delete("recordings/ann/s1")
    assert not uploads.is_there("recordings/ann/s1")


def test_an_address_of_another_service_takes_nothing() -> None:
    objects = MemoryStore()
    token = Uploads(objects, "t" * 32).address("x").url.rpartition("/")[2]

    with pytest.raises(UploadRefused):
        asyncio.run(Uploads(objects, SECRET).keep(token, _content(b"x")))
    assert not Uploads(objects, SECRET).is_there("x")


def test_objects_are_kept_where_the_address_says(tmp_path: Path) -> None:
    assert isinstance(open_objects(None), MemoryStore)
    assert isinstance(open_objects(str(tmp_path / "objects")), LocalStore)
    assert isinstance(open_objects("s3://recordings"), S3Store)


def test_an_object_store_that_does_not_answer_is_told_as_such() -> None:
    nobody = S3Store(
        "recordings",
        endpoint="http://127.0.0.1:9",
        access_key_id="a",
        secret_access_key="b",
        client_options={"allow_http": True},
        retry_config={"max_retries": 0},
    )

    with pytest.raises(ObjectStoreFailed):
        Uploads(nobody, SECRET).is_there("recordings/ann/s1")


def test_a_body_that_breaks_off_keeps_its_reason() -> None:
    uploads = Uploads(MemoryStore(), SECRET)
    token = uploads.address("x").url.rpartition("/")[2]

    async def broken() -> AsyncIterator[bytes]:
        yield b"one"
        raise Problem(413, "too large")

    with pytest.raises(Problem):
        asyncio.run(uploads.keep(token, broken()))
