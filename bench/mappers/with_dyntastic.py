"""dyntastic: pydantic models over boto3's resources."""

import os
from datetime import datetime
from decimal import Decimal
from typing import Any

from dyntastic import A, Dyntastic
from pydantic import BaseModel

from bench.mappers.base import ANY, REGION, Mapper, create_table, keyed

TABLE = "bench-dyntastic"


class Place(BaseModel):
    """Where a session took place."""

    name: str
    x: Decimal
    y: Decimal


class Session(Dyntastic):
    """An item of the benchmark."""

    __table_name__ = TABLE
    __table_region__ = REGION
    __hash_key__ = "pk"
    __range_key__ = "sk"

    pk: str
    sk: str
    user: str
    number: str
    title: str
    status: str
    created_at: datetime
    duration_s: Decimal  # it refuses floats
    archived: bool
    players: list[str]
    place: Place
    body: str
    version: int


class WithDyntastic(Mapper):
    """The four operations as its documentation has them."""

    def made(self, values: dict[str, Any]) -> Session:
        """Make a model."""
        return Session(**keyed(values))

    def get(self, user: str, number: str) -> Session:
        """Get by both parts of the key."""
        return Session.get(f"USER#{user}", f"SESSION#{number}")

    def put(self, entity: Session) -> Any:
        """Save the model."""
        return entity.save()

    def update(self, entity: Session, status: str) -> Any:
        """Update the model; it reads the item again to refresh it."""
        return entity.update(
            A.status.set(status),
            A.version.set(A.version + 1),
            condition=A.pk.exists(),
            require_condition=True,
        )

    def query(self, user: str) -> list[Any]:
        """Query a partition to its end."""
        return list(Session.query(f"USER#{user}", range_key_condition=A.sk.begins_with("SESSION#")))


def open_mapper(endpoint: str, client: Any) -> WithDyntastic:
    """Point the model at the endpoint; credentials it takes from the environment alone."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", ANY)
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", ANY)
    Session.__table_host__ = endpoint
    create_table(client, TABLE)
    return WithDyntastic()
