"""What tests of writes share: a design, a bench to carry out actions on, and faults to inject."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from singletable import Engine
from singletable.backends.embedded import EmbeddedBackend
from singletable.model.entity import Entity
from singletable.model.fields import (
    Attribute,
    Unique,
    count_of,
    created,
    expires,
    sequence,
    updated,
    version,
)
from singletable.model.indexes import Index
from singletable.model.reads import Get, Key
from singletable.model.table import Table
from singletable.store.context import Context
from singletable.store.creation import create_request
from singletable.store.drivers import run
from singletable.store.retries import Retries
from singletable.store.writing.actions import Action
from singletable.store.writing.committing import commit, write
from singletable.store.writing.transactions import Transaction
from singletable.values import AttributeValue

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

table = Table("writes", indexes=["GSI1", "GSI2"])


class Plain(Entity, table=table, pk="PLAIN#{name}", sk="ITEM"):
    """Nothing is kept true of it."""

    name: str
    size: int = 0
    note: str | None = None
    tags: set[str] = Field(default_factory=set)


class Task(Entity, table=table, pk="LIST#{list_id}", sk="TASK#{task_id}"):
    """Index keys are made from its fields."""

    by_status = Index("GSI1", pk="LIST#{list_id}#{status}", sk="{updated_at}#{task_id}")
    by_owner = Index("GSI2", pk="OWNER#{owner}", sk="{priority:03d}#{due}", when={"open": True})

    list_id: str
    task_id: str
    status: Literal["NEW", "DONE"] = "NEW"
    owner: str | None = None
    priority: int = 0
    due: str = "never"
    open: bool = True
    created_at: datetime = created()
    updated_at: datetime = updated()


class Stats(BaseModel):
    """A map inside an item."""

    reads: int = 0
    days: list[str] = Field(default_factory=list)


class Doc(Entity, table=table, pk="DOC#{name}", sk="DOC"):
    """It is frozen, has a map inside, validators, and an attribute that had another name."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: Annotated[str, Attribute("title", "heading")] = ""
    code: str = ""
    stats: Stats = Stats()

    @field_validator("code")
    @classmethod
    def _short(cls, value: str) -> str:
        code = value.strip().upper()
        if len(code) > 3:
            raise ValueError("it has more than three letters")
        return code

    @model_validator(mode="after")
    def _titled(self) -> Self:
        if self.title == self.code != "":
            raise ValueError("the title is more than a code")
        return self


class Page(Entity, table=table, pk="PAGE#{page_id}", sk="PAGE"):
    """It has a version."""

    page_id: str
    text: str = ""
    reads: int = 0
    version: int = version()


class Lease(Entity, table=table, pk="LEASE#{name}", sk="LEASE"):
    """Its time may be over, and its holder has one lease only."""

    name: str
    holder: Annotated[str, Unique()]
    until: datetime = expires(hours=1)
    uses: int = count_of("Use")


class Use(Entity, table=table, pk="USE#{use_id}", sk="USE"):
    """It counts for a lease."""

    use_id: str
    name: str


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """It has a unique address, a nickname that is unique in its team, and two counts."""

    user_id: str
    email: Annotated[str | None, Unique()] = None
    team: str = "red"
    nick: Annotated[str | None, Unique(within="TEAM#{team}")] = None
    name: str = ""
    posts: int = count_of("Post", user_id="author")
    likes: int = count_of("Vote", when={"kind": "UP"})


class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
    """It counts for its author, who may change."""

    post_id: str
    author: str | None = None
    text: str = ""


class Vote(Entity, table=table, pk="USER#{user_id}", sk="VOTE#{voter}"):
    """It counts for a user if it is a kind one."""

    user_id: str
    voter: str
    kind: Literal["UP", "DOWN"] = "UP"


class Invoice(Entity, table=table, pk="SHOP#{shop}", sk="INVOICE#{number:06d}"):
    """Its number is part of its key."""

    shop: str
    number: int = sequence("SHOP#{shop}")
    total: int = 0


class Ticket(Entity, table=table, pk="TICKET#{ticket_id}", sk="TICKET"):
    """Its number is not part of its key."""

    ticket_id: str
    number: int = sequence("TICKETS")
    text: str = ""


class Event(Entity, table=table, pk="EVENT#{name}", sk="EVENT"):
    """The time of its creation is part of an index key."""

    by_time = Index("GSI1", pk="EVENTS", sk="{created_at}#{name}")

    name: str
    text: str = ""
    created_at: datetime = created()


class Loan(Entity, table=table, pk="CARD#{card}", sk="LOAN#{loan_id}"):
    """It is in an index while it is out, under a field that its key does not tell."""

    due_at = Index("GSI2", pk="DUE#{branch}", sk="{due}#{loan_id}", when={"state": "OUT"})

    card: str
    loan_id: str
    branch: str | None = "north"
    due: str = "may"
    state: Literal["OUT", "LATE", "BACK"] = "OUT"
    renewals: int = 0


class Desk(Entity, table=table, pk="DESK#{desk}", sk="DESK"):
    """It counts the holds that wait at it."""

    desk: str
    holds: int = count_of("Hold", when={"state": "WAITING"})


class Hold(Entity, table=table, pk="HOLD#{hold_id}", sk="HOLD"):
    """It counts for a desk, and is in an index until it is fetched."""

    to_fetch = Index("GSI2", pk="FETCH#{floor}", sk="{since}", when={"state": ("NEW", "WAITING")})

    hold_id: str
    desk: str = "d"
    floor: str = "first"
    since: str = "may"
    state: Literal["NEW", "WAITING", "FETCHED"] = "NEW"


class Banner(Entity, table=table, pk="BANNER#{name}#{copy}", sk="BANNER", copies=3):
    """It is read so often that there are three of it."""

    name: str
    text: str = ""


def item_key(key: Key[Any]) -> dict[str, Any]:
    """Give a key as DynamoDB has it."""
    return key.schema.item_key(key.fields)


class Bench:
    """Carries out actions on an engine, and keeps what was sent."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.engine.call("CreateTable", create_request(table, table.name))
        self.backend = EmbeddedBackend(self.engine)
        self.now = NOW
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.before: Callable[[str, dict[str, Any]], None] = lambda *_: None
        """Is called before each request, and may write meanwhile, or raise."""
        self.after: Callable[[str, dict[str, Any]], None] = lambda *_: None
        """Is called after each request, and may raise, so that the answer is lost."""
        self.context = Context(
            table=table,
            table_name=table.name,
            clock=self.clock,
            retries=Retries(attempts=4, random=lambda: 0.0),
        )

    def clock(self) -> datetime:
        """Tell a time that moves only when told to."""
        return self.now

    def later(self, **span: float) -> datetime:
        """Move the time on."""
        self.now += timedelta(**span)
        return self.now

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Be a backend that keeps every request."""
        self.before(operation, request)
        self.sent.append((operation, request))
        answer = self.backend.call(operation, request)
        self.after(operation, request)
        return answer

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Be a backend that keeps every request."""
        return self.call(operation, request)

    def close(self) -> None:
        """Close nothing."""

    async def aclose(self) -> None:
        """Close nothing."""

    def run(self, program: Any) -> Any:
        """Run a program; what was sent before is forgotten."""
        self.sent.clear()
        return run(program, self)

    async def arun(self, program: Any) -> Any:
        """Run a program, as a store does for ``async with``."""
        return self.run(program)

    def do(self, action: Action[Any]) -> Any:
        """Carry out one action."""
        return self.run(write(self.context, action))

    def commit(self, *actions: Action[Any], token: str | None = None) -> list[Any]:
        """Carry out several actions in one transaction."""
        results: list[Any] = self.run(commit(self.context, actions, token))
        return results

    def transaction(self, token: str | None = None) -> Transaction:
        """Begin a transaction."""
        return Transaction(self.context, self.run, self.arun, token)

    def meanwhile(self, *actions: Action[Any], operation: str = "TransactWriteItems") -> None:
        """Let somebody else write just before the next request of a kind."""

        def interrupt(sent: str, _: dict[str, Any]) -> None:
            if sent == operation:
                self.before = lambda *_: None
                for action in actions:
                    run(write(self.context, action), self.backend)

        self.before = interrupt

    def set(self, key: Key[Any], **attributes: AttributeValue) -> None:
        """Let somebody else give an item attributes, past the store."""
        request = {
            "TableName": table.name,
            "Key": key.item_key,
            "UpdateExpression": "SET " + ", ".join(f"#{name} = :{name}" for name in attributes),
            "ExpressionAttributeNames": {f"#{name}": name for name in attributes},
            "ExpressionAttributeValues": {f":{name}": one for name, one in attributes.items()},
        }
        self.backend.call("UpdateItem", request)

    def get(self, get: Get[Any]) -> Any:
        """Read an entity past the store; None where there is none."""
        item = self.item(get.key)
        return None if item is None else get.key.schema.items.read(item)

    def item(self, key: Key[Any]) -> dict[str, Any] | None:
        """Read an item as it is stored."""
        request = {"TableName": table.name, "Key": key.item_key, "ConsistentRead": True}
        return self.backend.call("GetItem", request).get("Item")

    def raw(self, pk: str, sk: str) -> dict[str, Any] | None:
        """Read any item."""
        request = {"TableName": table.name, "Key": {"PK": {"S": pk}, "SK": {"S": sk}}}
        return self.backend.call("GetItem", {**request, "ConsistentRead": True}).get("Item")

    def items(self) -> Iterator[dict[str, Any]]:
        """Read the whole table."""
        yield from self.backend.call("Scan", {"TableName": table.name})["Items"]

    @property
    def operations(self) -> list[str]:
        """Name what was sent by the last action."""
        return [operation for operation, _ in self.sent]

    @property
    def request(self) -> dict[str, Any]:
        """Give the last request."""
        return self.sent[-1][1]
