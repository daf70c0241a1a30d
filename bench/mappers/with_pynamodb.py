"""PynamoDB: models with attributes of its own, over botocore."""

from typing import Any

from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UTCDateTimeAttribute,
)
from pynamodb.models import Model

from bench.mappers.base import ANY, REGION, Mapper, create_table, keyed

TABLE = "bench-pynamodb"


class Place(MapAttribute):
    """Where a session took place."""

    name = UnicodeAttribute()
    x = NumberAttribute()
    y = NumberAttribute()


class Session(Model):
    """An item of the benchmark."""

    class Meta:
        """Which table, and where."""

        table_name = TABLE
        region = REGION
        aws_access_key_id = ANY
        aws_secret_access_key = ANY

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    user = UnicodeAttribute()
    number = UnicodeAttribute()
    title = UnicodeAttribute()
    status = UnicodeAttribute()
    created_at = UTCDateTimeAttribute()
    duration_s = NumberAttribute()
    archived = BooleanAttribute()
    players: ListAttribute = ListAttribute(of=UnicodeAttribute)
    place = Place()
    body = UnicodeAttribute()
    version = NumberAttribute()


class PynamoDB(Mapper):
    """The four operations as its documentation has them."""

    def made(self, values: dict[str, Any]) -> Session:
        """Make a model."""
        return Session(**{**keyed(values), "place": Place(**values["place"])})

    def get(self, user: str, number: str) -> Session:
        """Get by both parts of the key."""
        return Session.get(f"USER#{user}", f"SESSION#{number}")

    def put(self, entity: Session) -> Any:
        """Save the model."""
        return entity.save()

    def update(self, entity: Session, status: str) -> Any:
        """Update the model; it is refreshed from the answer."""
        actions = [Session.status.set(status), Session.version.add(1)]
        return entity.update(actions=actions, condition=Session.pk.exists())

    def query(self, user: str) -> list[Any]:
        """Query a partition to its end."""
        return list(Session.query(f"USER#{user}", Session.sk.startswith("SESSION#")))


def open_mapper(endpoint: str, client: Any) -> PynamoDB:
    """Point the model at the endpoint."""
    Session.Meta.host = endpoint
    create_table(client, TABLE)
    return PynamoDB()
