"""``Sync``: what clients see of a store, and what they may ask of it."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import quote

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.model.reads import Collection as Rows
from singletable.model.reads import Get, Query
from singletable.store.drivers import arun, run
from singletable.store.steps import Program
from singletable.store.store import Store

from .bookkeeping import Books
from .mutators import Mutator, declared
from .protocol import Answer, Mutation, Pull, Push, unsupported
from .pulling import Pulling
from .pushing import Pushing
from .sessions import Session

S = TypeVar("S", bound=Store)
U = TypeVar("U")

logger = logging.getLogger("singletable.sync")


class Sync(ABC, Generic[S, U]):
    """The base of a class that says what clients see, and whose mutators make their edits.

    A user may be anything; ``owner`` and ``scope`` say what it means. What a class says of a user
    holds for all clients of that user: a view must not depend on which of them asks.
    """

    mutators: ClassVar[Mapping[str, Mutator]] = {}
    schemas: ClassVar[Collection[str] | None] = None
    """The ``schemaVersion`` of the clients that are served; None serves all."""
    rows_max: ClassVar[int] = 20_000
    """How many rows a view may have: a pull reads all of them, whatever has changed.

    Those that ``value`` leaves out are read, too, and count.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.mutators = {mutator.name: mutator for mutator in declared(cls)}

    def __init__(self, store: S, *, create: bool | None = None) -> None:
        self.store = store
        self._books = Books.beside(store, create=create)

    def owner(self, user: U) -> str:
        """Give the id of a user, to whom client groups belong."""
        if isinstance(user, str):
            return user
        raise DesignError(f"{type(self).__name__}.owner(user) has to give the id of a user, a text")

    def scope(self, user: U) -> Mapping[str, Any]:
        """Give what a user is confined to, as in ``{"tenant_id": user.tenant_id}``.

        No mutator writes and no view reads outside of it, whatever they ask for.
        """
        return {}

    @abstractmethod
    def view(self, user: U) -> Iterable[Query[Any] | Get[Any] | Rows[Any]]:
        """Give the reads that find what a user's clients see; not of global indexes, which lag.

        Of a ``collect`` clients get what it is made of, row by row.
        """

    def key(self, entity: Entity, user: U) -> str:
        """Name a row as clients know it: ``SurveySection/s1/x7``, without what the scope tells."""
        schema, scope = entity.__schema__, self.scope(user)
        fields = [name for name in schema.key_fields if name not in scope]
        return "/".join([schema.type, *(_part(getattr(entity, name)) for name in fields)])

    def value(self, entity: Entity, user: U) -> Any:
        """Give the JSON that clients have of an entity; None for one that they do not see."""
        return entity.model_dump(mode="json")

    def failed(self, user: U, mutation: Mutation, error: Exception) -> None:
        """Be told of a mutation that can never be made, and was skipped."""
        of = f"{mutation.client_id} of {self.owner(user)}"
        logger.warning("%s %d from %s was skipped", mutation.name, mutation.id, of, exc_info=error)

    def torn(self, user: U, attempts: int) -> None:
        """Be told that others wrote during every attempt of a pull.

        What it read is sent: some of another client's mutation may show before the rest, until
        the next pull. To have the client try again instead, raise an error here.
        """
        logger.info("Others wrote while %s pulled, %d times", self.owner(user), attempts)

    def push(self, user: U, body: Any) -> Answer:
        """Make the edits that a user's clients have sent; give the JSON to answer with."""
        return run(self._push(user, body), self.store.backend)

    async def apush(self, user: U, body: Any) -> Answer:
        """Make the edits that a user's clients have sent; give the JSON to answer with."""
        return await arun(self._push(user, body), self.store.backend)

    def pull(self, user: U, body: Any) -> Answer:
        """Tell a client how what it sees has changed; give the JSON to answer with."""
        return run(self._pull(user, body), self.store.backend)

    async def apull(self, user: U, body: Any) -> Answer:
        """Tell a client how what it sees has changed; give the JSON to answer with."""
        return await arun(self._pull(user, body), self.store.backend)

    def _push(self, user: U, body: Any) -> Program[Answer]:
        request = Push.of(body)
        if answer := unsupported(request, self.schemas):
            return answer
        pushing = Pushing(self._session(user), request.client_group_id)
        return (yield from pushing.run(request.mutations))

    def _pull(self, user: U, body: Any) -> Program[Answer]:
        request = Pull.of(body)
        if answer := unsupported(request, self.schemas):
            return answer
        return (yield from Pulling(self._session(user), request).run())

    def _session(self, user: U) -> Session:
        scope = dict(self.scope(user))
        store = self.store.confined(**scope) if scope else self.store
        return Session(self, user, self.owner(user), scope, store.context, self._books)


def _part(value: Any) -> str:
    """Write a value so that it can stand between slashes."""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return quote(text, safe=" @:+,")
