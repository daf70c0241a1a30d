"""This library, over a boto3 client or the engine, and the bare requests that it sends."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from bench.mappers.base import Arguments, Mapper
from singletable import Entity, Get, Query, Store, Table, add, pattern

table = Table("bench-singletable", pk="pk", sk="sk")


class Place(BaseModel):
    """Where a session took place."""

    name: str
    x: float
    y: float


class Session(Entity, table=table, pk="USER#{user}", sk="SESSION#{number}"):
    """An item of the benchmark."""

    user: str
    number: str
    title: str
    status: str
    created_at: datetime
    duration_s: float
    archived: bool
    players: list[str]
    place: Place
    body: str
    version: int


class Sessions(Store, table=table):
    """The access patterns of the benchmark."""

    @pattern()
    def session(self, user: str, number: str) -> Get[Session]:
        """One session."""
        return Session.get(user=user, number=number)

    @pattern()
    def sessions(self, user: str) -> Query[Session]:
        """The sessions of a user."""
        return Session.query(user=user)


class Typed(Mapper):
    """Entities through the store."""

    def __init__(self, store: Sessions) -> None:
        self._store = store

    def made(self, values: dict[str, Any]) -> Session:
        """Make an entity."""
        return Session(**values)

    def get(self, user: str, number: str) -> Session | None:
        """Run an access pattern that gives one item."""
        return self._store.session(user, number).first()

    def put(self, entity: Session) -> Session:
        """Put the entity."""
        return self._store.put(entity)

    def update(self, entity: Session, status: str) -> Session:
        """Update by the key alone; the answer is the item as it has become."""
        key = Session.key(user=entity.user, number=entity.number)
        return self._store.update(key, status=status, version=add(1))

    def query(self, user: str) -> list[Session]:
        """Run an access pattern that gives one page."""
        return self._store.sessions(user).page().items

    def requests(self, operation: str) -> list[Arguments]:
        """Give the requests that an operation sends, for a client to send them by itself."""
        return [self._request(operation, each) for each in self.arguments(operation)]

    def _request(self, operation: str, arguments: Arguments) -> Arguments:
        [call] = self._store.show(lambda store: getattr(Typed(store), operation)(**arguments))
        return call.request


def open_mapper(_endpoint: str, client: Any, table_name: str | None = None) -> Typed:
    """Connect to what a boto3 client is connected to, or to an engine."""
    return Typed(Sessions.connect(client, create=True, table_name=table_name))
