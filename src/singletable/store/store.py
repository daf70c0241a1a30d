"""The store: a class whose methods are the access patterns of a design, and its connection.

Every call goes down once (description → plan → request → backend) and comes up once. What is done
is written in programs that know no IO; here they meet a backend, sync or, with the prefix ``a``,
async.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from os import PathLike
from typing import Any, ClassVar, Self, TypeVar

from singletable.backends import Backend
from singletable.backends.address import as_backend
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import DesignError, StoreError
from singletable.model.entity import Entity
from singletable.model.fields import now
from singletable.model.large import Large
from singletable.model.patterns import Pattern, patterns_of
from singletable.model.running import Action, Read
from singletable.model.table import Table

from .context import REMEDY, Context
from .creation import create_table
from .drivers import run
from .large.contents import load
from .large.objects import MEMORY, Objects
from .large.sweeping import GRACE, Swept, sweep
from .observing.events import Observer, Observers
from .reading.cursors import Cursors, Secret
from .reading.programs import program, requests
from .retries import Retries
from .scopes import Scope
from .showing import Recorder, Shown
from .steps import Call
from .writer import Writer
from .writing.claiming import Claimed, claim
from .writing.effects import rules_of

R = TypeVar("R")
T = TypeVar("T", str, bytes)
D = TypeVar("D", bound=Read[Any])


class Store(Writer):
    """The base of a class whose methods are access patterns.

    ``class Campaigns(Store, table=table)`` declares one, ``Campaigns.connect("campaigns.db")``
    opens it.
    """

    table: ClassVar[Table]
    patterns: ClassVar[Mapping[str, Pattern]] = {}
    ignored: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Findings of ``singletable check`` that are accepted: code → what it is on → the reason."""
    _remedy: ClassVar[str] = REMEDY
    """What makes the table where it is missing."""
    _is_view = False
    """Whether another store connected, and is the one to close."""

    def __init_subclass__(cls, *, table: Table | None = None) -> None:
        super().__init_subclass__()
        cls.patterns = patterns_of(cls)
        for name in cls.patterns:
            if hasattr(Store, name) or name in {"table", "backend"}:
                raise DesignError(
                    f"The access pattern {cls.__name__}.{name} would take the place of "
                    f"Store.{name}, which every store has: give it another name"
                )
        if table is not None:
            cls.table = table
        if not hasattr(cls, "table"):
            raise DesignError(f"{cls.__name__} has no table: class {cls.__name__}(Store, table=…)")
        for schema in cls.table.entities.values():
            rules_of(schema)  # so that one that cannot be kept is refused here, not by a write

    def __init__(
        self,
        backend: Any,
        *,
        table_name: str | None = None,
        cursor_secret: Secret | Sequence[Secret] | None = None,
        observers: Iterable[Observer] = (),
        retries: Retries | None = None,
        objects: Any = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.backend = as_backend(backend)
        self._context = _kind_of_context(self.backend)(
            table=self.table,
            table_name=table_name or self.table.name,
            where=_where(backend),
            remedy=self._remedy,
            clock=clock,
            retries=retries or Retries(),
            observers=Observers(observers),
            cursors=Cursors(cursor_secret),
            objects=objects
            if objects is None or isinstance(objects, Objects)
            else Objects(objects),
        )

    @classmethod
    def connect(cls, address: Any, *, create: bool | None = None, **options: Any) -> Self:
        """Open a store: a file, ":memory:", "aws:eu-west-1" or the URL of an endpoint.

        An engine, a boto3 client or another backend will do as well. A table in a file or in
        memory is created if it is missing; elsewhere only when asked to by ``create``. The options
        are those of the store; ``objects`` says where large content is kept: a folder, "memory://",
        "s3://bucket/prefix" or a store of obstore. Without, it is split over items of the table.
        """
        store = cls(address, **options)
        if create or (create is None and isinstance(store.backend, EmbeddedBackend)):
            store.create_table()
        return store

    def confined(self, **scope: Any) -> Self:
        """Give this store confined to a scope, such as ``tenant_id="t1"``.

        Every request that it makes is proved to stay in that scope's partitions before it is
        sent; one that cannot be is refused with ``OutOfScope``.
        """
        guard = Scope(self.table, scope, self._context.guard)
        return self._with(replace(self._context, guard=guard))

    @property
    def table_name(self) -> str:
        """Name the table where this store is connected."""
        return self._context.table_name

    @property
    def context(self) -> Context:
        """Give what every program of this store is given."""
        return self._context

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request of any kind as the store sends its own: retried, observed, confined."""
        return self._run(self._context.send(operation, request))

    async def asend(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request of any kind as the store sends its own: retried, observed, confined."""
        return await self._arun(self._context.send(operation, request))

    def through(self, backend: Backend) -> Self:
        """Give this store with its requests sent through another backend."""
        other = self._with(self._context)
        other.backend = backend
        return other

    def bind(self, read: D) -> D:
        """Give a description that is no declared pattern the means to run."""
        return read.but(runner=self)

    def show(self, work: Callable[[Self], object]) -> list[Call]:
        """Give the requests of a call without sending them: ``store.show(lambda s: s.put(x))``.

        They are what the call would send if the table were empty, as far as it goes there: to
        edit an item that is not there ends with the read. Objects are not stored either.
        """
        objects = self._context.objects and Objects(MEMORY)
        recorder = Recorder()
        other = self._with(replace(self._context, objects=objects)).through(recorder)
        with suppress(Shown, StoreError):
            work(other)
        return recorder.calls

    def load(self, large: Large[T]) -> T:
        """Give large content; sends nothing where it is in the item."""
        return self._run(load(self._context, large))

    async def aload(self, large: Large[T]) -> T:
        """Give large content; sends nothing where it is in the item."""
        return await self._arun(load(self._context, large))

    def sweep(self, older_than: timedelta = GRACE, *, dry_run: bool = False) -> Swept:
        """Delete large content that no item points at; reads the whole table.

        A process that was stopped leaves such content, and so do items that expire. What is not
        ``older_than`` this stays: whoever stored it may be about to point at it.
        """
        return self._run(sweep(self._context, older_than, dry_run=dry_run))

    def claim_unique(self, entity: type[Entity]) -> Claimed:
        """Guard the values of items from before a field was unique; reads the whole table.

        Values that several items have stay as they are, and are reported: the first has the guard.
        It can be repeated, and run while others write, if all of them know that the field is
        unique.
        """
        return self._run(claim(self._context, entity.__schema__))

    async def aclaim_unique(self, entity: type[Entity]) -> Claimed:
        """Guard the values of items from before a field was unique; reads the whole table."""
        return await self._arun(claim(self._context, entity.__schema__))

    async def asweep(self, older_than: timedelta = GRACE, *, dry_run: bool = False) -> Swept:
        """Delete large content that no item points at; reads the whole table."""
        return await self._arun(sweep(self._context, older_than, dry_run=dry_run))

    def create_table(self) -> None:
        """Create the table from the design; one that is there is left as it is."""
        self._run(create_table(self._context))

    async def acreate_table(self) -> None:
        """Create the table from the design; one that is there is left as it is."""
        await self._arun(create_table(self._context))

    def do(self, action: Action, read: Read[Any], after: str | None = None, /) -> Any:
        """Run a description in one of its ways."""
        if action == "requests":
            return requests(self._context, read)
        return run(program(self._context, action, read, after or None), self.backend)

    async def ado(self, action: Action, read: Read[Any], after: str | None = None, /) -> Any:
        """Run a description in one of its ways, without blocking the event loop."""
        return await self._arun(program(self._context, action, read, after or None))

    def close(self) -> None:
        """Close what was opened to connect; of a confined store, leave that to its parent."""
        if not self._is_view:
            self.backend.close()

    async def aclose(self) -> None:
        """Close what was opened to connect; of a confined store, leave that to its parent."""
        if not self._is_view:
            await self.backend.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _with(self, context: Context) -> Self:
        """Give this store with another context, on the same backend."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._context = context
        other._is_view = True
        return other


def _kind_of_context(backend: Backend) -> type[Context]:
    """Choose how requests are sent: with a word on what for, if there is a meter."""
    if not (isinstance(backend, EmbeddedBackend) and backend.engine.is_metered):
        return Context
    from .metering import MeteredContext

    return MeteredContext


def _where(backend: Any) -> str:
    """Name what a store is connected to, as far as it has a name."""
    if isinstance(backend, str | PathLike):
        return f" at {backend}"
    endpoint = getattr(getattr(backend, "meta", None), "endpoint_url", None)
    # A name below .invalid, as an engine in this process has it, leads nowhere.
    return "" if endpoint is None or endpoint.endswith(".invalid") else f" at {endpoint}"
