"""Tasks of several tenants, the mutators that clients call, and a client to look into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from singletable import (
    Entity,
    Get,
    Query,
    Retries,
    Store,
    Table,
    Transaction,
    add,
    pattern,
    version,
)
from singletable.backends import Backend
from singletable.sync import Mutates, Mutation, Sync, mutator

tasks = Table("tasks")
QUICK = Retries(base_s=0.001, cap_s=0.01)


class Tenant(Entity, table=tasks, pk="TENANT#{tenant_id}", sk="TENANT"):
    tenant_id: str
    name: str


class Task(Entity, table=tasks, pk="TENANT#{tenant_id}", sk="TASK#{task_id}"):
    tenant_id: str
    task_id: str
    title: str
    version: int = version()


class Tally(Entity, table=tasks, pk="TENANT#{tenant_id}", sk="TALLY#{name}"):
    tenant_id: str
    name: str
    total: int = 0


class Tasks(Store, table=tasks):
    @pattern
    def task(self, tenant_id: str, task_id: str) -> Get[Task]:
        """A task."""
        return Task.get(tenant_id=tenant_id, task_id=task_id)

    @pattern
    def tasks(self, tenant_id: str) -> Query[Task]:
        """The tasks of a tenant."""
        return Task.query(tenant_id=tenant_id)

    @pattern
    def tally(self, tenant_id: str, name: str) -> Get[Tally]:
        """A tally."""
        return Tally.get(tenant_id=tenant_id, name=name)


@dataclass(frozen=True)
class User:
    user_id: str = "ann"
    tenant_id: str = "acme"


ANN = User()


class NewTask(BaseModel):
    task_id: str
    title: str = Field(min_length=1)


class TaskSync(Sync[Tasks, User]):
    """Keeps what it is told, for tests to look at."""

    def __init__(self, store: Tasks, *, create: bool | None = None) -> None:
        super().__init__(store, create=create)
        self.skipped: list[tuple[Mutation, Exception]] = []
        self.tears = 0

    def owner(self, user: User) -> str:
        return user.user_id

    def scope(self, user: User) -> Mapping[str, Any]:
        return {"tenant_id": user.tenant_id}

    def view(self, user: User) -> Iterable[Query[Any] | Get[Any]]:
        yield Tenant.get(tenant_id=user.tenant_id)
        yield Task.query(tenant_id=user.tenant_id)
        yield Tally.query(tenant_id=user.tenant_id)

    def failed(self, user: User, mutation: Mutation, error: Exception) -> None:
        self.skipped.append((mutation, error))

    def torn(self, user: User, attempts: int) -> None:
        self.tears += 1

    @mutator
    def create(self, tx: Transaction, args: NewTask, user: User) -> None:
        tx.create(Task(tenant_id=user.tenant_id, **args.model_dump()))

    @mutator
    def rename(self, tx: Transaction, args: NewTask, user: User) -> Mutates:
        task = yield Task.get(tenant_id=user.tenant_id, task_id=args.task_id)
        self.between()
        tx.update(task, title=args.title)

    @mutator
    def shout(self, tx: Transaction, args: str, user: User) -> None:
        tx.edit(Task.key(tenant_id=user.tenant_id, task_id=args), self._shouted)

    def _shouted(self, task: Task) -> Task:
        self.between()
        return task.model_copy(update={"title": task.title.upper()})

    @mutator
    def remove(self, tx: Transaction, args: str, user: User) -> None:
        tx.delete(Task.key(tenant_id=user.tenant_id, task_id=args))

    @mutator
    def remove_all(self, tx: Transaction, args: None, user: User) -> Mutates:
        for task in (yield Task.query(tenant_id=user.tenant_id)):
            tx.delete(task)

    @mutator
    def fill(self, tx: Transaction, args: int, user: User) -> None:
        for number in range(args):
            tx.put(Tally(tenant_id=user.tenant_id, name=f"f{number:03d}"))

    @mutator
    def add(self, tx: Transaction, args: dict[str, int], user: User) -> None:
        for name, amount in args.items():
            tx.upsert(Tally.key(tenant_id=user.tenant_id, name=name), total=add(amount))

    @mutator
    def fail(self, tx: Transaction, args: str, user: User) -> None:
        tx.put(Task(tenant_id=user.tenant_id, task_id="half", title="done"))
        raise PermissionError(args)

    @mutator
    def nothing(self, tx: Transaction, args: Any, user: User) -> None:
        pass

    @mutator(name="takeOver")
    def take_over(self, tx: Transaction, args: str, user: User) -> None:
        tx.put(Task(tenant_id=args, task_id="mine", title="now"))

    def between(self) -> None:
        """Is called between a read and a write."""


@dataclass
class Tab:
    """A client: numbers its mutations, and does with an answer what Replicache does."""

    sync: Sync[Any, Any]
    user: Any = ANN
    group: str = "g1"
    name: str = "c1"
    last: int = 0
    cookie: Any = None
    rows: dict[str, Any] = field(default_factory=dict)
    lasts: dict[str, int] = field(default_factory=dict)

    def mutation(self, name: str, args: Any = None) -> dict[str, Any]:
        self.last += 1
        return {"id": self.last, "name": name, "args": args, "clientID": self.name, "timestamp": 1}

    def push(self, *mutations: dict[str, Any]) -> dict[str, Any]:
        return self.sync.push(self.user, self.pushed(*mutations))

    def pushed(self, *mutations: dict[str, Any]) -> dict[str, Any]:
        shared = {"profileID": "p", "clientGroupID": self.group, "schemaVersion": ""}
        return {**shared, "pushVersion": 1, "mutations": list(mutations)}

    def do(self, name: str, args: Any = None) -> None:
        assert self.push(self.mutation(name, args)) == {}

    def pulled(self) -> dict[str, Any]:
        shared = {"profileID": "p", "clientGroupID": self.group, "schemaVersion": ""}
        return {**shared, "pullVersion": 1, "cookie": self.cookie}

    def pull(self) -> dict[str, Any]:
        answer = self.sync.pull(self.user, self.pulled())
        self.apply(answer)
        return answer

    def apply(self, answer: dict[str, Any]) -> None:
        """Take over an answer; refuse what Replicache refuses."""
        before = -1 if self.cookie is None else self.cookie
        assert answer["cookie"] >= before
        changes = answer["patch"] or answer["lastMutationIDChanges"]
        assert answer["cookie"] > before or not changes
        for client, last in answer["lastMutationIDChanges"].items():
            assert last > self.lasts.get(client, 0)
            self.lasts[client] = last
        for operation in answer["patch"]:
            self._patch(**operation)
        self.cookie = answer["cookie"]

    def _patch(self, op: str, key: str = "", value: Any = None) -> None:
        match op:
            case "clear":
                self.rows.clear()
            case "del":
                del self.rows[key]
            case "put":
                assert self.rows.get(key) != value
                self.rows[key] = value


class Between:
    """A backend that shows what passes, and lets a test spoil it."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.before: list[Exception] = []
        """What the next transactions are answered, in place of being run."""
        self.after: list[Exception] = []
        """What the next transactions are answered although they are run."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        self.calls.append((operation, request))
        writes = operation == "TransactWriteItems"
        if writes and self.before:
            raise self.before.pop(0)
        answer = self.backend.call(operation, request)
        if writes and self.after:
            raise self.after.pop(0)
        return answer

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self.call(operation, request)

    def close(self) -> None:
        self.backend.close()

    async def aclose(self) -> None:
        self.backend.close()

    def sent(self, operation: str) -> list[dict[str, Any]]:
        return [request for name, request in self.calls if name == operation]


def spied(sync: TaskSync) -> tuple[TaskSync, Between]:
    """Give another server on the same tables, whose requests can be seen and spoiled."""
    between = Between(sync.store.backend)
    return type(sync)(sync.store.through(between)), between
