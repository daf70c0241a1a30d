"""What the clients of the proof edit together: notes, counters, and accounts that sum up to 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from singletable import Entity, Query, Store, Table, Transaction, add, pattern, subtract
from singletable.sync import Mutates, Mutation, Sync, mutator

TENANT = "acme"
desk = Table("desk")


class Note(Entity, table=desk, pk="TENANT#{tenant_id}", sk="NOTE#{note_id}"):
    tenant_id: str = TENANT
    note_id: str
    text: str


class Counter(Entity, table=desk, pk="TENANT#{tenant_id}", sk="COUNTER#{name}"):
    tenant_id: str = TENANT
    name: str
    total: int = 0


class Account(Entity, table=desk, pk="TENANT#{tenant_id}", sk="ACCOUNT#{name}"):
    tenant_id: str = TENANT
    name: str
    balance: int = 0


class Desk(Store, table=desk):
    @pattern
    def notes(self, tenant_id: str) -> Query[Note]:
        """The notes of a tenant."""
        return Note.query(tenant_id=tenant_id)

    @pattern
    def counters(self, tenant_id: str) -> Query[Counter]:
        """The counters of a tenant."""
        return Counter.query(tenant_id=tenant_id)

    @pattern
    def accounts(self, tenant_id: str) -> Query[Account]:
        """The accounts of a tenant."""
        return Account.query(tenant_id=tenant_id)


class Write(BaseModel):
    note_id: str
    text: str


class Add(BaseModel):
    name: str
    amount: int


class Move(BaseModel):
    source: str
    target: str
    amount: int


class DeskSync(Sync[Desk, str]):
    """Every user may edit everything; the edits that are skipped are counted."""

    def __init__(self, store: Desk) -> None:
        super().__init__(store)
        self.skipped: list[tuple[Mutation, Exception]] = []
        self.tears = 0

    def scope(self, user: str) -> Mapping[str, Any]:
        return {"tenant_id": TENANT}

    def view(self, user: str) -> Iterable[Query[Any]]:
        """What is moved between accounts shows in two reads, which others may come between."""
        accounts = Account.query(tenant_id=TENANT)
        yield accounts.le("a")
        yield Note.query(tenant_id=TENANT)
        yield Counter.query(tenant_id=TENANT)
        yield accounts.gt("a")

    def failed(self, user: str, mutation: Mutation, error: Exception) -> None:
        self.skipped.append((mutation, error))

    def torn(self, user: str, attempts: int) -> None:
        self.tears += 1

    @mutator
    def write(self, tx: Transaction, args: Write, user: str) -> None:
        tx.put(Note(note_id=args.note_id, text=args.text))

    @mutator
    def erase(self, tx: Transaction, args: str, user: str) -> Mutates:
        note = yield Note.get(tenant_id=TENANT, note_id=args)
        if note is not None:
            tx.delete(note)

    @mutator
    def add(self, tx: Transaction, args: Add, user: str) -> None:
        tx.upsert(Counter.key(tenant_id=TENANT, name=args.name), total=add(args.amount))

    @mutator
    def move(self, tx: Transaction, args: Move, user: str) -> None:
        source, target = (Account.key(tenant_id=TENANT, name=n) for n in (args.source, args.target))
        tx.upsert(source, balance=subtract(args.amount))
        tx.upsert(target, balance=add(args.amount))

    @mutator
    def refused(self, tx: Transaction, args: Write, user: str) -> None:
        tx.put(Note(note_id=args.note_id, text=args.text))
        raise PermissionError(f"nobody may write {args.note_id}")


def contents(sync: DeskSync) -> dict[str, Any]:
    """Give what is in the table, as clients know it, by the store's own patterns."""
    store = sync.store
    found = [*store.notes(TENANT), *store.counters(TENANT), *store.accounts(TENANT)]
    return {sync.key(one, "anyone"): sync.value(one, "anyone") for one in found}
