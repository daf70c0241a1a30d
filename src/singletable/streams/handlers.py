"""Handlers: methods that are called for changes; their annotations say for which.

    class AfterWrites(Handlers[Campaigns]):
        @handler
        def welcome(self, change: Created[User]) -> None: ...

A handler for one change may also ask for a ``Transaction``, in which it does what is to be done
once. One that asks for a list is called once for all changes of a batch. What a handler returns is
written, or sent where its decorator says.
"""

from __future__ import annotations

import inspect
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity
from singletable.store.store import Store

from .bookkeeping import Books
from .changes import Change
from .consumers import PASSING, Batch, Failures
from .declaring import Handler, declared
from .events.event import Event
from .failing import logger
from .marks import done_mark
from .once import once
from .outbox import Outbox

if TYPE_CHECKING:
    from asyncio import Runner

S = TypeVar("S", bound=Store)
T = TypeVar("T")


class Handlers(Generic[S]):
    """The base of a class whose methods are handlers; ``store`` is what they work with.

    It is known by its name, that of the class unless ``name`` says otherwise, in its body or as a
    keyword: under this name is kept what it has done, so a class that is renamed begins anew.
    """

    name: ClassVar[str]
    handlers: ClassVar[tuple[Handler, ...]] = ()

    def __init_subclass__(cls, *, name: str | None = None) -> None:
        super().__init_subclass__()
        cls.name = name or vars(cls).get("name") or cls.__name__
        if not cls.name.replace("-", "_").isidentifier():
            raise DesignError(f"{cls.name!r} cannot name handlers: use letters, digits, _ and -")
        cls.handlers = tuple(declared(cls))

    def __init__(self, store: S) -> None:
        self._check(store)
        self.store = store
        self._books = Books.beside(store)
        self._called: dict[tuple[type, type], tuple[Handler, ...]] = {}
        self._loop: Runner | None = None

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Call the handlers of each change, in order, then those of the whole batch."""
        self._check_loop()
        called, outbox = self._called, Outbox(self.name)
        for change in batch.changes:
            kind = (type(change), change.schema.entity)
            found = called.get(kind)
            if found is None:
                found = called[kind] = self._handlers_of(change)
            for one in found:
                work = partial(self._call, one, change, outbox)
                failures.attempt(work, change, f"{self.name}.{one.name}")
        for one in self.handlers:
            if one.signature.batched:
                self._call_once(one, batch.changes, outbox, failures)
        outbox.send(failures)

    @property
    def labels(self) -> frozenset[str]:
        """Name the handlers as their dead letters do."""
        return frozenset(f"{self.name}.{one.name}" for one in self.handlers)

    def _check(self, store: Store) -> None:
        """Refuse what would never be called, rather than be silent for ever."""
        if not self.handlers:
            raise DesignError(f"{type(self).__name__} has no handler: mark its methods @handler")
        entities = [schema.entity for schema in store.table.entities.values()]
        for one in self.handlers:
            for _, wanted in one.signature.wanted:
                if not any(issubclass(entity, wanted) for entity in entities):
                    raise DesignError(
                        f"{self.name}.{one.name} is for changes of {wanted.__name__}, of which "
                        f"{store.table} has none"
                    )

    def _handlers_of(self, change: Change[Any]) -> tuple[Handler, ...]:
        return tuple(
            one for one in self.handlers if not one.signature.batched and one.takes(change)
        )

    def _call_once(
        self, one: Handler, changes: Sequence[Change[Any]], outbox: Outbox, failures: Failures
    ) -> None:
        """Call a handler for all changes together, or, if it fails, for each by itself."""
        wanted = [change for change in changes if one.takes(change)]
        label = f"{self.name}.{one.name}"
        try:
            if len(wanted) > 1:
                self._give(one, wanted[-1], outbox, wanted)
                return
        except PASSING:
            raise
        except Exception:  # noqa: BLE001 - a handler may raise anything; here one change is at fault
            message = "%s failed at %d changes together, and is given each by itself"
            logger.warning(message, label, len(wanted), exc_info=True)
        for change in wanted:
            work = partial(self._give, one, change, outbox, [change])
            failures.attempt(work, change, label)

    def _call(self, one: Handler, change: Change[Any], outbox: Outbox) -> None:
        if one.signature.transactional:
            mark = done_mark(self._books, f"{self.name}.{one.name}", change.id)
            once(self.store, mark, lambda tx: self._give(one, change, outbox, change, tx))
        else:
            self._give(one, change, outbox, change)

    def _give(self, one: Handler, change: Change[Any], outbox: Outbox, *arguments: Any) -> None:
        """Call a handler, and see to what it returns."""
        result = one.method(self, *arguments)
        if inspect.iscoroutine(result):
            result = self._awaited(result)
        if result is None:
            return
        is_one = isinstance(result, Entity | Event | str | Mapping)
        results = [result] if is_one or not isinstance(result, Iterable) else list(result)
        if one.sink is not None:
            outbox.take(one, change, _all(Event, results, one))
            return
        for entity in _all(Entity, results, one):
            self.store.put(entity)

    def _check_loop(self) -> None:
        """Refuse to await where a loop is running, before each change becomes a dead letter."""
        is_async = any(inspect.iscoroutinefunction(one.method) for one in self.handlers)
        if is_async and _in_a_loop():
            raise UsageError(
                f"{self.name} has async handlers, and this is in an event loop already: deliver in "
                "a thread, await asyncio.to_thread(worker.run)"
            )

    def _awaited(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run an async handler, all of them in one event loop, to which clients may be bound."""
        import asyncio
        from weakref import finalize

        if self._loop is None:
            self._loop = asyncio.Runner()
            finalize(self, self._loop.close)
        return self._loop.run(work)


def _in_a_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _all(kind: type[T], results: list[Any], one: Handler) -> list[T]:
    """Give what a handler returned, if that is what can be seen to."""
    for result in results:
        if not isinstance(result, kind):
            raise UsageError(
                f"{one.name} returned {result!r}: a handler returns entities, which are put, or, "
                "with @handler(to=…), events"
            )
    return results
