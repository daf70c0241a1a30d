"""A confined store: nothing it sends leaves its scope, whatever made the request."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import OutOfScope, SingletableError, UsageError
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.fields import Unique, sequence, version
from singletable.model.indexes import Index
from singletable.model.patterns import pattern
from singletable.model.reads import Query, get_many
from singletable.model.table import GlobalIndex, LocalIndex, Table
from singletable.model.views import collect
from singletable.store.reading.cursors import VERSION, _tag, binding
from singletable.store.scopes import Scope
from singletable.store.store import Store

table = Table(
    "scopes",
    indexes=[
        "GSI1",
        "GSI2",
        LocalIndex("LSI1"),
        GlobalIndex("places", pk=["tenant_id", "country"], sk=["city"]),
    ],
)


class Doc(Entity, table=table, pk="TENANT#{tenant_id}", sk="DOC#{name}"):
    """Belongs to a tenant."""

    by_owner = Index("GSI1", pk="TENANT#{tenant_id}#OWNER#{owner}", sk="{name}")
    anywhere = Index("GSI2", pk="DOCS", sk="{name}")
    by_size = Index("LSI1", sk="{size:03d}")
    places = Index("places", pk=["tenant_id", "country"], sk=["city"])

    tenant_id: str
    name: str
    owner: str = "me"
    size: int = 0
    country: str = "ch"
    city: str = "Bern"


class Invoice(Entity, table=table, pk="INVOICES#{tenant_id}", sk="INVOICE#{number:05d}"):
    """Numbered within its tenant."""

    tenant_id: str
    number: int = sequence("NUMBERS#{tenant_id}")
    code: Annotated[str, Unique(within="CODES#{tenant_id}")] = "a"
    version: int = version()


class Mail(Entity, table=table, pk="TENANT#{tenant_id}", sk="MAIL#{address}"):
    """Unique everywhere, which no tenant alone can tell."""

    tenant_id: str
    address: Annotated[str, Unique()]


class Note(Entity, table=table, pk="USER#{user_id}", sk="NOTE"):
    """Belongs to no tenant."""

    user_id: str


@dataclass
class Name:
    """A smaller shape."""

    name: str


@dataclass
class Docs:
    """All of a tenant."""

    docs: list[Doc]


class Scoped(Store, table=table):
    """Reads documents."""

    @pattern(page=2)
    def docs(self, tenant_id: str) -> Query[Doc]:
        """All of a tenant."""
        return Doc.query(tenant_id=tenant_id)


@pytest.fixture
def store() -> Iterator[Scoped]:
    """A table with documents of two tenants whose names begin alike."""
    with Scoped.connect(":memory:") as made:
        for tenant in ("t1", "t10"):
            made.put_many(Doc(tenant_id=tenant, name=f"{tenant}-{at}") for at in range(5))
        made.put(Note(user_id="t1"))
        yield made


def update(store: Scoped, tenant: str) -> Any:
    return store.update(Doc.key(tenant_id=tenant, name="t1-0"), size=1)


def transaction(store: Scoped, tenant: str) -> None:
    with store.transaction() as act:
        act.put(Doc(tenant_id="t1", name="mine"))
        act.put(Doc(tenant_id=tenant, name="n"))


def places(tenant: str) -> Query[Doc]:
    return Doc.places.query(tenant_id=tenant, country="ch")


REQUESTS: dict[str, Callable[[Scoped, str], Any]] = {
    "put": lambda store, tenant: store.put(Doc(tenant_id=tenant, name="n")),
    "create": lambda store, tenant: store.create(Doc(tenant_id=tenant, name="new")),
    "numbered": lambda store, tenant: store.create(Invoice(tenant_id=tenant)),
    "delete": lambda store, tenant: store.delete(Doc.key(tenant_id=tenant, name="n")),
    "upsert": lambda store, tenant: store.upsert(Doc(tenant_id=tenant, name="n")),
    "put_many": lambda store, tenant: store.put_many(
        [Doc(tenant_id="t1", name="n"), Doc(tenant_id=tenant, name="n2")]
    ),
    "delete_many": lambda store, tenant: store.delete_many([Doc.key(tenant_id=tenant, name="n")]),
    "transaction": transaction,
    "get": lambda store, tenant: store.bind(Doc.get(tenant_id=tenant, name="n")).first(),
    "get_many": lambda store, tenant: store.bind(
        get_many([Doc.get(tenant_id="t1", name="n"), Doc.get(tenant_id=tenant, name="n")])
    ).all(),
    "query": lambda store, tenant: store.docs(tenant).all(),
    "filter": lambda store, tenant: store.docs(tenant).filter(F("size") == 0).only(Name).all(),
    "count": lambda store, tenant: store.docs(tenant).count(),
    "index": lambda store, tenant: store.bind(
        Doc.by_owner.query(tenant_id=tenant, owner="me")
    ).all(),
    "update": update,
    "local": lambda store, tenant: store.bind(Doc.by_size.query(tenant_id=tenant)).all(),
    "attributes": lambda store, tenant: store.bind(places(tenant)).all(),
    "collection": lambda store, tenant: store.bind(collect(Docs, tenant_id=tenant)).all(),
}


@pytest.mark.parametrize("kind", REQUESTS)
def test_what_stays_inside_is_sent(store: Scoped, kind: str) -> None:
    REQUESTS[kind](store.confined(tenant_id="t1"), "t1")


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize("tenant", ["t10", "t", "T1", "t1 "])
def test_what_leaves_is_refused_and_not_sent(store: Scoped, kind: str, tenant: str) -> None:
    before = store.bind(Doc.scan()).count()
    with pytest.raises(OutOfScope):
        REQUESTS[kind](store.confined(tenant_id="t1"), tenant)
    assert store.bind(Doc.scan()).count() == before


ANYWHERE: dict[str, Callable[[Scoped], Any]] = {
    "scan": lambda store: store.bind(Doc.scan()).all(),
    "scan of an index": lambda store: store.bind(Doc.anywhere.scan()).count(),
    "an index without the field": lambda store: store.bind(Doc.anywhere.query()).all(),
    "an entity without the field": lambda store: store.bind(Note.get(user_id="t1")).first(),
    "a value that is unique everywhere": lambda store: store.put(Mail(tenant_id="t1", address="a")),
    "the table": lambda store: store.create_table(),
}


@pytest.mark.parametrize("kind", ANYWHERE)
def test_what_names_no_partition_of_the_scope_is_refused(store: Scoped, kind: str) -> None:
    with pytest.raises(OutOfScope):
        ANYWHERE[kind](store.confined(tenant_id="t1"))


def test_a_forged_cursor_stays_in_the_partition_of_its_query(store: Scoped) -> None:
    inside = store.confined(tenant_id="t1")
    cursor = inside.docs("t1").page().next
    assert cursor is not None
    assert inside.docs("t1").page(cursor)
    key = {"PK": {"S": "TENANT#t10"}, "SK": {"S": "DOC#t"}}
    payload = orjson.dumps({"": key})
    # Without a secret, anybody who reads the source can make the checksum anew.
    tag = _tag(b"", binding("docs", inside.docs("t1").request()), payload)
    forged = base64.urlsafe_b64encode(VERSION + tag + payload).decode().rstrip("=")
    assert {one.tenant_id for one in inside.docs("t1").page(forged)} == {"t1"}


def test_confining_a_confined_store_only_narrows(store: Scoped) -> None:
    first = store.confined(tenant_id="t1")
    both = first.confined(tenant_id="t10")
    for tenant in ("t1", "t10"):
        with pytest.raises(OutOfScope):
            both.docs(tenant).all()
    assert first.docs("t1").all()
    assert store.docs("t10").all()


def test_a_scope_that_no_partition_key_has_is_refused(store: Scoped) -> None:
    with pytest.raises(UsageError, match="has colour in its partition key"):
        store.confined(colour="red")
    with pytest.raises(UsageError, match="has owner in its partition key"):
        store.confined(owner="me")
    with pytest.raises(UsageError, match="at least one field"):
        store.confined()


def test_a_partition_that_could_be_anothers_is_refused() -> None:
    twisted = Table("twisted")

    class One(Entity, table=twisted, pk="X#{tenant_id}#{other}", sk="ONE"):
        tenant_id: str
        other: str

    class Two(Entity, table=twisted, pk="X#{other}#{tenant_id}", sk="TWO"):
        tenant_id: str
        other: str

    scope = Scope(twisted, {"tenant_id": "t1"})
    for other in (One, Two):
        key = other.key(tenant_id="t1", other="t2").item_key
        with pytest.raises(OutOfScope):
            scope.check("GetItem", {"Key": key})
    scope.check("GetItem", {"Key": One.key(tenant_id="t1", other="t1").item_key})


UNREADABLE: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {}),
    ("GetItem", {"Key": {"SK": {"S": "DOC#a"}}}),
    ("GetItem", {"Key": {"PK": {"N": "1"}}}),
    ("BatchGetItem", {"RequestItems": {}}),
    ("BatchWriteItem", {"RequestItems": {"scopes": [{"PutRequest": {"Item": {}}}]}}),
    ("TransactGetItems", {"TransactItems": []}),
    ("ExecuteStatement", {"Statement": "SELECT * FROM scopes"}),
    ("Query", {"KeyConditions": {}}),
    ("DeleteTable", {"TableName": "scopes"}),
]


@pytest.mark.parametrize(("operation", "request_"), UNREADABLE)
def test_a_request_that_cannot_be_read_is_refused(operation: str, request_: dict[str, Any]) -> None:
    with pytest.raises(OutOfScope):
        Scope(table, {"tenant_id": "t1"}).check(operation, request_)


@given(st.text(min_size=1, max_size=6), st.text(min_size=1, max_size=6))
def test_no_other_value_is_taken_for_the_scopes(mine: str, theirs: str) -> None:
    scope = Scope(table, {"tenant_id": mine})
    try:
        key = Doc.key(tenant_id=theirs, name="n").item_key
    except SingletableError:
        return
    if mine == theirs:
        scope.check("GetItem", {"Key": key})
    else:
        with pytest.raises(OutOfScope):
            scope.check("GetItem", {"Key": key})
