"""``Engine``: the methods, arguments and answers of boto3's low-level client, over a database."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, Self

import orjson

from singletable.errors import (
    BY_CODE,
    AccessDeniedException,
    DatabaseCorrupt,
    SerializationException,
    ServiceError,
    SingletableError,
    TransactionCanceledException,
    UnknownOperationException,
    ValidationException,
    class_of,
)
from singletable.values import CanonicalItem, Item

from . import wire
from .accesses import accesses
from .catalog import Catalog
from .connections import Connect, connect_sqlite
from .database import Database
from .expiry import expire
from .failures import TableGone
from .loading import Load, named
from .methods import Methods
from .operations import OPERATIONS, Answer, Operation
from .operations.contents import judge
from .paginators import Paginator, Waiter, can_paginate
from .policies import Document, Policy, Variables
from .rewinding import rewind
from .shapes import IN_PROCESS, WIRE, Source, UnknownParameter
from .shapes.places import UNREADABLE, note_place
from .shapes.tables import TIMESTAMP
from .storage import Storage
from .sweeping import Sweeper

if TYPE_CHECKING:
    from .hardships import Hardships
    from .metering import Meter

LOOKS_MAX = 100
"""How often the tables may change under one call before that can only be a fault."""

REFUSALS = (ValidationException, TransactionCanceledException, AccessDeniedException)
"""They may be due to a definition that another process has changed since."""

ENDPOINT = "http://in-process.invalid"
"""A name that cannot be looked up, should anything ever try."""


class Engine(Methods):
    """A DynamoDB in a file, or in memory when no path (or ``":memory:"``) is given.

    Threads may share an engine, and processes a file. ``durable=False`` leaves out the waiting for
    the disk: for tests, where a power cut may cost the data. Items whose time to live is over are
    deleted every ``ttl_interval`` seconds; with None, only when ``expire`` is called. The streams
    that it opens have ``stream_shards`` shards each, for trying what real tables have.
    """

    exceptions = SimpleNamespace(**BY_CODE, ClientError=ServiceError, from_code=class_of)
    is_metered = False
    """Whether what requests are for should be said, for a meter."""
    _policy: Policy | None = None

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        durable: bool = True,
        clock: Callable[[], float] = time.time,
        region: str = "us-east-1",
        ttl_interval: float | None = 1.0,
        stream_shards: int = 1,
        connect: Connect = connect_sqlite,
    ) -> None:
        if stream_shards < 1:
            raise ValueError(f"stream_shards is {stream_shards}: a stream has one shard or more")
        if ttl_interval is not None and ttl_interval <= 0:
            raise ValueError(f"ttl_interval is {ttl_interval}: give seconds, or None for expire()")
        storage = Storage(_file(path), durable=durable, connect=connect)
        try:
            catalog = Catalog(storage)
            self._db = Database(storage, catalog, clock, region, stream_shards=stream_shards)
        except BaseException:
            storage.close()
            raise
        self._sweeper = Sweeper(self._db, ttl_interval)
        self._wire_db = replace(self._db, decode=orjson.Fragment)
        self._run = os.urandom(10).hex()
        self._numbers = count(10**11)
        self._sweeper.watch()

    @property
    def region(self) -> str:
        """Name the region that the ARNs of this engine are in."""
        return self._db.region

    @cached_property
    def meta(self) -> SimpleNamespace:
        """Name region and endpoint as boto3's client does: ``region_name``, ``endpoint_url``."""
        return SimpleNamespace(region_name=self.region, endpoint_url=ENDPOINT)

    def call(self, operation: str, request: dict[str, Any]) -> Answer:
        """Carry out an operation, named as in the API, in boto3's forms."""
        return self.perform(_operation(operation), request)

    def call_json(self, operation: str, body: bytes) -> bytes:
        """Carry out an operation with the wire's JSON in and out."""
        request = wire.decode(body)
        return wire.encode(self.perform(_operation(operation), request, WIRE))

    @property
    def in_memory(self) -> bool:
        """Tell whether there is no file."""
        return self._db.storage.path is None

    def call_json_now(self, operation: str, body: bytes) -> bytes | None:
        """Do as ``call_json`` does, but give None rather than wait for others who are at work.

        Of a file this is for reading alone: a writer waits for the disk.
        """
        storage = self._db.storage
        if not self.in_memory:
            return self.call_json(operation, body)
        # In memory all take turns.
        if not storage.lock.acquire(blocking=False):
            return None
        try:
            return self.call_json(operation, body)
        finally:
            storage.lock.release()

    def perform(
        self, operation: Operation, request: dict[str, Any], source: Source = IN_PROCESS
    ) -> Answer:
        """Carry out an operation in the forms of the request's source: boto3's, or the wire's."""
        db = self._db if source is IN_PROCESS else self._wire_db
        at_work = db.storage.at_work
        gone: SingletableError
        for _ in range(LOOKS_MAX):
            looked = db.catalog.looked
            try:
                accepted = operation.shape.accept(request, source)
                if self._policy is not None:
                    self._authorize(self._policy, operation, accepted)
                return operation.run(db, accepted)
            except TableGone as error:
                # Another process dropped a table that was known here: look again.
                gone = error
                self._db.catalog.forget()
            except ServiceError as error:
                if isinstance(error, REFUSALS) and db.catalog.look() != looked:
                    gone = error
                    continue
                error.operation_name, error.request_id = operation.name, self.request_id()
                if isinstance(error, SerializationException) and source is IN_PROCESS:
                    note_place(error, operation.shape, request)
                raise
            except UnknownParameter as error:
                note_place(error, operation.shape, request)
                raise
            except orjson.JSONDecodeError as error:
                raise db.storage.failures.damage(error) from error  # requests are read already
            except BaseException as error:
                db.storage.abandon(error, at_work)
                raise
        raise DatabaseCorrupt(
            f"the catalog is at odds with the database ({gone}): restore the file from a backup"
        )

    def _authorize(self, policy: Policy, operation: Operation, request: dict[str, Any]) -> None:
        for access in accesses(self._db, operation.name, request):
            policy.check(access)

    def request_id(self) -> str:
        """Give an identifier of a request, unique in this engine."""
        return self._run + str(next(self._numbers))

    def can_paginate(self, operation_name: str) -> bool:
        """Tell whether a method has pages, as boto3's client does."""
        return can_paginate(operation_name)

    def get_paginator(self, operation_name: str) -> Paginator:
        """Give a paginator over a method of this engine, as boto3's client does."""
        return Paginator(self, operation_name)

    def get_waiter(self, waiter_name: str) -> Waiter:
        """Give a waiter for the state of a table and its settings, as boto3's client does."""
        return Waiter(self, waiter_name)

    def as_role(
        self, policy: Document | Iterable[Document], variables: Variables | None = None
    ) -> Engine:
        """Give this engine as a principal sees it that has one or more IAM policies.

        What they do not allow is refused with ``AccessDeniedException``. ``variables`` are what
        the principal brings, such as ``{"cognito-identity.amazonaws.com:sub": "u1"}``. Only
        actions of the API are judged, and closing is left to the engine itself.
        """
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__, _policy=Policy(policy, variables or {}))
        return view

    def under(self, hardships: Hardships) -> Engine:
        """Give this engine as DynamoDB is on a bad day: throttled, lagging, failing at times.

        Closing is left to the engine itself.
        """
        from .hardships.ordeal import Ordeal
        from .views import View

        return View.over(self, Ordeal(hardships).hardened)

    def metered(self, meter: Meter) -> Engine:
        """Give this engine with a meter on it, which counts what its requests consume.

        Closing is left to the engine itself. What is not asked for by a request is not counted:
        the items of ``prepare``, and those that expire.
        """
        from .views import View

        return View.over(self, meter.metered, is_metered=True)

    def fork(self, *, as_of: datetime | None = None) -> Engine:
        """Copy everything into a new engine in memory, in milliseconds for a test's data.

        With ``as_of`` the copy has the items that there were at a moment, and its clock goes on
        from there. It has the tables that point-in-time recovery is on for, and reaches as far
        back as that; definitions and settings are those of now.
        """
        clock, now = self._db.clock, self._db.clock()
        moment = now if as_of is None else TIMESTAMP.read(as_of, IN_PROCESS)
        copy = Engine(
            clock=clock if as_of is None else lambda: clock() - now + moment,
            region=self._db.region,
            ttl_interval=self._sweeper.interval,
            stream_shards=self._db.stream_shards,
        )
        try:
            self._db.storage.copy_to(copy._db.storage)
            copy._db.catalog.forget()
            if as_of is not None:
                rewind(copy._db, moment, now)
        except BaseException:
            copy.close()
            raise
        copy._sweeper.watch()
        return copy

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have all that this thread writes in the block reach the disk at once, at its end.

        For loads of many items: a commit for all of them, instead of one for each request. Others
        wait to write until then, and see none of it before; reads of this thread do. If the block
        raises, nothing was written, though requests in it were answered. A request that is refused
        is taken back alone; one that fails halfway, as when the disk is full, ends the block so.
        In asyncio, await nothing in it: other tasks share the thread, and would write into it.
        """
        storage, catalog = self._db.storage, self._db.catalog
        at_work = storage.at_work
        # Locked a little longer: the next to write must find the catalog settled.
        with storage.lock:
            try:
                with storage.together():
                    catalog.refresh()  # nobody else changes a table before the end
                    yield
            except BaseException as error:
                storage.abandon(error, at_work)
                raise
            finally:
                if catalog.hidden:
                    catalog.settle()

    def prepare(self, table_name: str, items: Sequence[Item]) -> Load:
        """Make any number of items ready to be put at once, by ``write`` of what this gives.

        For loads of many items: what can be done before is done here, while others may write. Items
        are judged as PutItem judges them, and must not be changed any more.
        """
        put = OPERATIONS["PutItem"]
        with named(put.name):
            judged = [self._judged(put, table_name, one) for one in items]
            try:
                return Load(self._db, table_name, judged)
            except ServiceError:
                self._db.catalog.forget()  # another process may have changed the table
                return Load(self._db, table_name, judged)

    def _judged(self, put: Operation, table_name: str, item: Item) -> Item:
        if type(item) is CanonicalItem and self._policy is None:
            return item
        given = {"TableName": table_name, "Item": item}
        try:
            request = put.shape.accept(given, IN_PROCESS)
        except UNREADABLE as error:
            note_place(error, put.shape, given)
            raise
        if self._policy is not None:
            self._authorize(self._policy, put, request)
        judge(request)
        judged: Item = request["Item"]
        return judged

    def expire(self) -> int:
        """Delete now what has expired, and give the number of items."""
        return sum(expire(self._db))

    def close(self) -> None:
        """Close the database; later calls fail."""
        if self._policy is not None:
            return
        self._sweeper.stop()
        self._db.storage.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an engine is neither copied nor sent to another process: "
            "fork() makes a copy in memory, and each process opens the file itself"
        )

    def __repr__(self) -> str:
        return f"Engine({self._db.storage.path or ':memory:'!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _file(path: str | os.PathLike[str] | None) -> str | None:
    """Give the path of the file, or None for memory."""
    name = None if path is None else os.fsdecode(path)
    if name == "":
        raise ValueError("the path is empty: give the name of a file, or none for memory")
    return None if name == ":memory:" else name


def _operation(name: str) -> Operation:
    try:
        return OPERATIONS[name]
    except KeyError:
        raise UnknownOperationException(f"unknown operation: {name}") from None
