"""The object store beside a table: content by its path, in a folder, in memory or in S3.

obstore does the work, and is loaded only where there is an object store. Each request is given as
a step, so that one program serves sync and async. Tables of the same name must not share an
object store: each would take the objects of the other for its own.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.errors import InvalidAddress, ObjectStoreFailed, UsageError
from singletable.store.steps import ObjectCall

if TYPE_CHECKING:
    from obstore.store import ObjectStore

MEMORY = "memory://"


@dataclass(frozen=True, slots=True)
class Found:
    """An object as a listing shows it."""

    path: str
    modified: datetime
    size_bytes: int


class Objects:
    """Puts, gets, deletes and lists objects."""

    def __init__(self, address: str | os.PathLike[str] | ObjectStore, **options: Any) -> None:
        self.store = _opened(address, options)
        self.address = _shown(address)
        self.folder = _folder(self.store)
        self._flushed: set[Path] = set()
        self._doomed: dict[str, None] | None = None
        """What is to be deleted later, while that is so."""

    def __repr__(self) -> str:
        return f"Objects({self.address!r})"

    def put(self, path: str, content: bytes) -> ObjectCall:
        """Store an object; in a folder it is on the disk when this is answered."""

        def put() -> None:
            self.store.put(path, content)
            self._settle(path)
            if self._doomed is not None:
                self._doomed.pop(path, None)

        async def aput() -> None:
            await self.store.put_async(path, content)
            if self.folder is not None:
                import asyncio

                await asyncio.to_thread(self._settle, path)

        return self._call(put, aput)

    def get(self, path: str) -> ObjectCall:
        """Read an object; is answered with None where there is none."""

        def get() -> bytes | None:
            with suppress(FileNotFoundError):
                return bytes(self.store.get(path).bytes())
            return None

        async def aget() -> bytes | None:
            with suppress(FileNotFoundError):
                return bytes(await (await self.store.get_async(path)).bytes_async())
            return None

        return self._call(get, aget)

    def delete(self, path: str) -> ObjectCall:
        """Delete an object; that there is none is no error."""

        def delete() -> None:
            if self._doomed is not None:
                self._doomed[path] = None
                return
            with suppress(FileNotFoundError):
                self.store.delete(path)

        async def adelete() -> None:
            with suppress(FileNotFoundError):
                await self.store.delete_async(path)

        return self._call(delete, adelete)

    @contextmanager
    def deleting_later(self) -> Iterator[None]:
        """Delete what is deleted in the block at its end, or not at all if it raises.

        For writes of one thread that reach the disk together at that end: until then what is there
        points at the content of before.
        """
        doomed: dict[str, None] = {}
        self._doomed = doomed
        try:
            yield
        finally:
            self._doomed = None
        for path in doomed:
            with suppress(ObjectStoreFailed):  # it is left to a sweep
                self.delete(path).perform()

    def list(self, folder: str) -> ObjectCall:
        """List the objects in a folder and those in it; is answered with what was found."""

        def found(listed: Any) -> list[Found]:
            return [Found(one["path"], one["last_modified"], one["size"]) for one in listed]

        async def alist() -> list[Found]:
            return found(await self.store.list(folder).collect_async())

        return self._call(lambda: found(self.store.list(folder).collect()), alist)

    def _call(
        self, perform: Callable[[], Any], aperform: Callable[[], Awaitable[Any]]
    ) -> ObjectCall:
        """Give a step whose errors are the library's."""
        from obstore.exceptions import BaseError

        def sync() -> Any:
            try:
                return perform()
            except (BaseError, OSError) as error:
                raise self._failed(error) from error

        async def asynchronous() -> Any:
            try:
                return await aperform()
            except (BaseError, OSError) as error:
                raise self._failed(error) from error

        return ObjectCall(sync, asynchronous)

    def _failed(self, error: Exception) -> ObjectStoreFailed:
        cause = str(error).partition("\n")[0]
        return ObjectStoreFailed(f"The object store {self.address} failed: {cause}")

    def _settle(self, path: str) -> None:
        """Wait until a file and the folders it is in are on the disk: an item will name it.

        The folder of the file has a new entry each time, those above it the first time at most.
        """
        if self.folder is None:
            return
        file = self.folder / path
        _flush(file)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            for folder in file.parents:
                if folder == file.parent or folder not in self._flushed:
                    _flush(folder)
                    self._flushed.add(folder)
                if folder == self.folder:
                    break


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _opened(address: Any, options: dict[str, Any]) -> ObjectStore:
    try:
        from obstore.store import LocalStore, MemoryStore, from_url
    except ModuleNotFoundError as error:
        raise UsageError(
            'An object store needs obstore: pip install "singletable[objects]"'
        ) from error
    if not isinstance(address, str | os.PathLike):
        return address  # type: ignore[no-any-return]  # a store that the caller made
    text = os.fspath(address)
    if text == MEMORY:
        return MemoryStore()
    if "://" not in text:
        return LocalStore(Path(text).absolute(), mkdir=True)
    try:
        return from_url(text, **options)
    except Exception as error:
        raise InvalidAddress(
            f'{text!r} is no address of an object store: it can be a folder ("./files"), '
            f'"{MEMORY}" or a URL ("s3://bucket/prefix"): {str(error).partition(chr(10))[0]}'
        ) from error


def _shown(address: Any) -> str:
    return os.fspath(address) if isinstance(address, str | os.PathLike) else repr(address)


def _folder(store: Any) -> Path | None:
    from obstore.store import LocalStore

    return Path(store.prefix) if isinstance(store, LocalStore) and store.prefix else None
