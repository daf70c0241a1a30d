"""pydynox: models with attributes of its own, over a client written in Rust."""

from typing import Any

from pydynox import DynamoDBClient, Model, ModelConfig, set_default_client
from pydynox.attributes import (
    BooleanAttribute,
    DatetimeAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    StringAttribute,
)

from bench.mappers.base import ANY, REGION, Mapper, create_table, keyed

TABLE = "bench-pydynox"


class Session(Model):
    """An item of the benchmark."""

    model_config = ModelConfig(table=TABLE)

    pk = StringAttribute(partition_key=True)
    sk = StringAttribute(sort_key=True)
    user = StringAttribute()
    number = StringAttribute()
    title = StringAttribute()
    status = StringAttribute()
    created_at = DatetimeAttribute()
    duration_s = NumberAttribute()
    archived = BooleanAttribute()
    players = ListAttribute()
    place = MapAttribute()
    body = StringAttribute()
    version = NumberAttribute()


class Pydynox(Mapper):
    """The four operations as its documentation has them."""

    def made(self, values: dict[str, Any]) -> Session:
        """Make a model."""
        return Session(**keyed(values))

    def get(self, user: str, number: str) -> Any:
        """Get by both parts of the key."""
        return Session.sync_get(pk=f"USER#{user}", sk=f"SESSION#{number}")

    def put(self, entity: Session) -> None:
        """Save the whole model, in place of its changes since it was saved last."""
        entity.sync_save(full_replace=True)

    def update(self, entity: Session, status: str) -> None:
        """Update the model, which is not read again."""
        entity.sync_update(
            atomic=[Session.status.set(status), Session.version.add(1)],
            condition=Session.pk.exists(),
        )

    def query(self, user: str) -> list[Any]:
        """Query a partition to its end."""
        condition = Session.sk.begins_with("SESSION#")
        return list(Session.sync_query(partition_key=f"USER#{user}", sort_key_condition=condition))


def open_mapper(endpoint: str, client: Any) -> Pydynox:
    """Point the library at the endpoint."""
    set_default_client(
        DynamoDBClient(region=REGION, access_key=ANY, secret_key=ANY, endpoint_url=endpoint)
    )
    create_table(client, TABLE)
    return Pydynox()
