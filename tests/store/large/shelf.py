"""Entities with large fields, and what tests of them put in, count and break."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, TypeVar

from singletable import Store, expires, get_many, version
from singletable.backends.embedded import EmbeddedBackend
from singletable.model.entity import Entity
from singletable.model.large import InObjects, InParts, Large, Preview
from singletable.model.table import Table
from singletable.store.context import Context
from singletable.store.drivers import run
from singletable.store.large.objects import Found
from singletable.store.large.saving import Contents
from singletable.store.steps import Program
from singletable.store.writing.committing import write
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.whole import Putting

E = TypeVar("E", bound=Entity)
R = TypeVar("R")

AT_ONCE = timedelta(0)
LONG = "lång " * 100_000
"""Text that takes two parts, cut inside a character."""
OTHER = "something else " * 50_000
SHORT = "a few words"

notes = Table("notes")
flat = Table("flat", sk=None)


class Transcript(Entity, table=notes, pk="TENANT#{tenant}", sk="T#{id}"):
    """Has large fields: one where the store likes, one in each place."""

    tenant: str = "t1"
    id: str
    text: Large[str] | None = None
    image: Annotated[Large[bytes] | None, InParts()] = None
    audio: Annotated[Large[bytes] | None, InObjects()] = None
    notes: Annotated[Large[str] | None, Preview(5)] = None


class Page(Entity, table=flat, pk="PAGE#{id}"):
    """Kept in a table without a sort key."""

    id: str
    text: Large[str]


class Hot(Entity, table=notes, pk="HOT#{id}#{copy}", sk="META", copies=3):
    """Kept in several copies."""

    id: str
    text: Large[str]


KEY = Transcript.key(tenant="t1", id="1")


def context_of(table: Table = notes, **options: Any) -> Context:
    return Context(table=table, table_name=table.name, **options)


def put(context: Context, entity: E) -> Program[E]:
    """Put an entity as a store does."""
    return write(context, Putting(entity))


def delete(context: Context, entity: Entity) -> Program[None]:
    """Delete an item as a store does."""
    return write(context, Deleting(entity))


def abandoned(context: Context, entity: Entity) -> Program[None]:
    """Store the content of an entity, and never write its item."""
    made = Contents(context)
    made.placed(Putting(entity), entity.__dict__, None)
    yield from made.store()


def items(backend: EmbeddedBackend, table: str = "notes") -> list[dict[str, Any]]:
    """Give all items of the table."""
    found: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": table}
    while True:
        answer = backend.call("Scan", request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def entities(backend: EmbeddedBackend) -> list[Transcript]:
    """Give all transcripts as they are stored."""
    read = Transcript.__schema__.items.read
    found = [read(item) for item in items(backend) if item["Type"] == {"S": "Transcript"}]
    return [entity for entity in found if isinstance(entity, Transcript)]


def parts(backend: EmbeddedBackend, table: str = "notes") -> list[dict[str, Any]]:
    """Give all parts in the table."""
    return [item for item in items(backend, table) if item["Type"] == {"S": "Part"}]


def objects(context: Context) -> list[Found]:
    """Give all objects."""
    if context.objects is None:
        return []
    found: list[Found] = context.objects.list("").perform()
    return found


def contents(context: Context, backend: EmbeddedBackend) -> int:
    """Count the contents that are stored outside of items."""
    ids = {item["SK"]["S"].split("#")[1] for item in parts(backend)}
    return len(ids) + len(objects(context))


def failing(program: Program[R], backend: EmbeddedBackend, error: Exception, *calls: str) -> R:
    """Run a program in which some calls fail."""

    class Failing(EmbeddedBackend):
        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            if operation in calls:
                raise error
            return super().call(operation, request)

    return run(program, Failing(backend.engine))


class Notes(Store, table=notes):
    """Writes and loads."""

    has_objects = False


class Draft(Entity, table=notes, pk="DRAFT#{id}", sk="DRAFT"):
    """Has a version, and a time that may be over."""

    id: str
    text: Large[str]
    size: int = 0
    version: int = version()
    until: datetime | None = expires()


def orphans(store: Notes) -> int:
    """Count what no item points at."""
    swept = store.sweep(AT_ONCE, dry_run=True)
    return swept.parts + swept.objects


def loaded(store: Notes, key: Any) -> tuple[str, int]:
    """Load what an item points at."""
    (found,) = store.bind(get_many([Draft.get(**key.fields)])).all()
    return store.load(found.text), found.size


DRAFT = Draft.key(id="1")
