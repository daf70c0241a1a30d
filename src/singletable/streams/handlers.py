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
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity
from singletable.store.store import Store

from .bookkeeping import Books
from .changes import Change
from .consumers import PASSING, Batch, Failures
from .events.event import Event, NotSent, Sink
from .failing import logger
from .marks import done_mark
from .once import once
from .signatures import Signature

if TYPE_CHECKING:
    from asyncio import Runner

S = TypeVar("S", bound=Store)
T = TypeVar("T")
M = TypeVar("M", bound=Callable[..., Any])

MARK = "__handler__"


@dataclass(frozen=True, slots=True)
class Handler:
    """Is a method of handlers: what it is called for, and where its results go."""

    name: str
    method: Callable[..., Any]
    signature: Signature
    sink: Sink | None

    def takes(self, change: Change[Any]) -> bool:
        """Tell whether it is called for a change."""
        return self.signature.takes(type(change), change.schema.entity)


@overload
def handler(method: M, /) -> M: ...
@overload
def handler(*, to: Sink | None = None) -> Callable[[M], M]: ...
def handler(method: Callable[..., Any] | None = None, /, *, to: Sink | None = None) -> Any:
    """Have a method called for the changes that the annotation of its parameter names.

    ``to`` says where the events go that it returns.
    """
    if to is not None and not hasattr(to, "send"):
        raise DesignError(f"@handler(to={to!r}): events go to a sink, EventBridge(…) or Webhook(…)")

    def declare(method: Callable[..., Any]) -> Callable[..., Any]:
        setattr(method, MARK, to or MARK)
        return method

    return declare if method is None else declare(method)


class Handlers(Generic[S]):
    """Is the base of a class whose methods are handlers; ``store`` is what they work with.

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
        cls.handlers = tuple(_declared(cls))

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


class Outbox:
    """Holds the events of a batch until its handlers are through, as sinks take several at once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._events: dict[str, tuple[Sink, list[tuple[Change[Any], Event]]]] = {}

    def take(self, one: Handler, change: Change[Any], events: Iterable[Event]) -> None:
        """Take what a handler returned for a change, and give it the change's own id and time."""
        assert one.sink is not None
        _, waiting = self._events.setdefault(one.name, (one.sink, []))
        for number, event in enumerate(events):
            filled = replace(
                event,
                id=event.id or f"{self._name}.{one.name}-{change.id}-{number}",
                at=event.at or change.at,
                subject=event.subject or "/".join(_subject(change)),
            )
            waiting.append((change, filled))

    def send(self, failures: Failures) -> None:
        """Send what there is; what a sink did not take is tried again by itself."""
        for label, (sink, waiting) in self._events.items():
            while waiting:
                first = waiting[0]
                failures.attempt(partial(_send, sink, waiting), first[0], f"{self._name}.{label}")
                waiting[:] = [pair for pair in waiting if pair is not first]  # it was put aside


def _in_a_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _subject(change: Change[Any]) -> Iterator[str]:
    """Name an item for others, who know nothing of keys: its entity, and what tells it apart."""
    yield change.schema.name
    yield from map(str, change.key.fields.values())


def _send(sink: Sink, waiting: list[tuple[Change[Any], Event]]) -> None:
    try:
        sink.send([event for _, event in waiting])
    except NotSent as error:
        left = {event.id for event, _ in error.failed}
        waiting[:] = [pair for pair in waiting if pair[1].id in left]
        raise
    waiting.clear()


def _all(kind: type[T], results: list[Any], one: Handler) -> list[T]:
    """Give what a handler returned, if that is what can be seen to."""
    for result in results:
        if not isinstance(result, kind):
            raise UsageError(
                f"{one.name} returned {result!r}: a handler returns entities, which are put, or, "
                "with @handler(to=…), events"
            )
    return results


def _declared(cls: type) -> Iterator[Handler]:
    found: dict[str, tuple[Any, Any]] = {}
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            mark = getattr(member, MARK, None)
            if mark is not None:
                found[name] = (member, None if mark is MARK else mark)
    for name, (method, sink) in found.items():
        signature = Signature.of(method, f"{cls.__name__}.{name}")
        yield Handler(name, method, signature, sink)
