"""Objects in files, in memory and in S3."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import boto3
import pytest

from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import (
    InvalidAddress,
    ObjectStoreFailed,
    UsageError,
)
from singletable.model.large import Large
from singletable.store.drivers import arun, run
from singletable.store.large.contents import load
from singletable.store.large.objects import Objects
from singletable.store.large.sweeping import sweep
from tests import components
from tests.store.large.shelf import (
    LONG,
    OTHER,
    Transcript,
    abandoned,
    context_of,
    put,
)


def test_a_failing_object_store_is_an_error_of_the_library(
    backend: EmbeddedBackend, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    context = context_of(objects=Objects(folder))
    (folder / "notes").write_text("in the way of a folder")
    with pytest.raises(ObjectStoreFailed, match=f"The object store {folder} failed"):
        run(put(context, Transcript(id="1", text=Large(LONG))), backend)
    with pytest.raises(ObjectStoreFailed):
        asyncio.run(arun(put(context, Transcript(id="1", text=Large(LONG))), backend))


def test_a_file_is_on_the_disk_before_an_item_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(
        "singletable.store.large.objects._flush",
        lambda path: flushed.append(path.relative_to(tmp_path).as_posix()),
    )
    Objects(tmp_path).put("a/b/file", b"1").perform()
    asyncio.run(Objects(tmp_path).put("c", b"1").aperform())  # type: ignore[arg-type]  # it is one
    assert flushed == ["a/b/file", "a/b", "a", ".", "c", "."]


def test_objects_that_are_not_there_are_none_and_deleted_twice() -> None:
    store = Objects("memory://")
    assert store.get("none").perform() is None
    store.delete("none").perform()

    async def work() -> None:
        assert await store.get("none").aperform() is None
        await store.delete("none").aperform()

    asyncio.run(work())


def test_an_address_that_names_no_object_store_is_refused() -> None:
    with pytest.raises(InvalidAddress, match="'nonsense://x' is no address of an object store"):
        Objects("nonsense://x")


def test_the_extra_is_named_to_who_lacks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(UsageError, match=r'pip install "singletable\[objects\]"'):
        Objects("memory://")


def test_content_is_kept_in_s3(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    program = components.script("moto_server", "moto[server]")
    port = components.free_port()
    with components.server([program, "-H", "127.0.0.1", "-p", str(port)], port) as url:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": url,
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1")
        client.create_bucket(Bucket="files")
        context = context_of(objects=Objects("s3://files/some/prefix"))
        made = run(put(context, Transcript(id="1", text=Large(LONG))), backend)
        assert made.text is not None
        assert run(load(context, made.text), backend) == LONG
        made = asyncio.run(arun(put(context, Transcript(id="1", text=Large(OTHER))), backend))
        run(abandoned(context, Transcript(id="2", text=Large(LONG))), backend)
        swept = run(sweep(context, timedelta(seconds=-5)), backend)
        assert (swept.objects, swept.size_bytes) == (1, len(LONG.encode()))
        (left,) = client.list_objects_v2(Bucket="files")["Contents"]
        assert made.text is not None
        assert made.text.stored is not None
        assert left["Key"] == f"some/prefix/{made.text.stored.path}"
        client.close()


def test_what_is_deleted_later_is_there_until_then_and_for_good_if_the_block_fails(
    tmp_path: Path,
) -> None:
    objects = Objects(tmp_path)
    for name in ("goes", "stays", "comes-again"):
        objects.put(name, b"1").perform()

    def fail() -> None:
        with objects.deleting_later():
            objects.delete("stays").perform()
            raise ConnectionError

    with pytest.raises(ConnectionError):
        fail()
    with objects.deleting_later():
        objects.delete("goes").perform()
        objects.delete("comes-again").perform()
        objects.put("comes-again", b"2").perform()
        assert objects.get("goes").perform() == b"1"
    names = ("goes", "stays", "comes-again")
    assert [objects.get(name).perform() for name in names] == [None, b"1", b"2"]
