"""pydynantic: pydantic models with key templates, over a boto3 client."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel
from pydynantic import Entity, Table, attr_exists, key

from bench.mappers.base import Mapper, create_table

TABLE = "bench-pydynantic"
# Without a client it would look for credentials; it is given the right one when it is opened.
table = Table(name=TABLE, pk="pk", sk="sk", client=object())


class Place(BaseModel):
    """Where a session took place."""

    name: str
    x: float
    y: float


class Session(Entity, table=table, name="session"):
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

    class Meta:
        """The key."""

        primary = key(pk="USER#{user}", sk="SESSION#{number}")


class Pydynantic(Mapper):
    """The four operations as its documentation has them."""

    def made(self, values: dict[str, Any]) -> Session:
        """Make an entity."""
        return Session(**values)

    def get(self, user: str, number: str) -> Any:
        """Get by the fields of the key."""
        return Session.get(user=user, number=number)

    def put(self, entity: Session) -> Any:
        """Put the entity."""
        return Session.put(entity)

    def update(self, entity: Session, status: str) -> Any:
        """Update by the key alone; the answer is the item as it has become."""
        return Session.update(
            user=entity.user,
            number=entity.number,
            set={"status": status},
            add={"version": 1},
            condition=attr_exists("pk"),
        )

    def query(self, user: str) -> list[Any]:
        """Query a partition to its end."""
        found: list[Any] = Session.query.primary(user=user).begins_with("SESSION#").all()
        return found


def open_mapper(_endpoint: str, client: Any) -> Pydynantic:
    """Give the table its client."""
    table.client = client
    create_table(client, TABLE)
    return Pydynantic()
