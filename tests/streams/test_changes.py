"""A record becomes typed changes of the entities of a design."""

from __future__ import annotations

from datetime import datetime

import pytest

from singletable import Entity, Table, UsageError
from singletable.streams.changes import Created, Deleted, Expired, Modified, Removed, changes_of
from singletable.streams.records import Record

from .design import NOW, Basket, Customer, FrontPage, Order, changes, item, record

FIRST = Order(customer_id="c1", order_id="1", total=5)
PAID = Order(customer_id="c1", order_id="1", total=5, status="PAID")


def test_an_item_comes_changes_and_goes() -> None:
    created, modified, deleted = changes(
        record(None, FIRST), record(FIRST, PAID), record(PAID, None)
    )
    assert isinstance(created, Created)
    assert created.new == FIRST
    assert isinstance(modified, Modified)
    assert (modified.old, modified.new) == (FIRST, PAID)
    assert isinstance(deleted, Deleted)
    assert deleted.old == PAID


def test_what_dynamodb_deletes_itself_is_told_apart_from_a_delete() -> None:
    basket = Basket(basket_id="b")
    expired, deleted = changes(record(basket, None, expired=True), record(basket, None))
    assert type(expired) is Expired
    assert type(deleted) is Deleted
    assert isinstance(expired, Removed)


def test_the_key_is_parsed_back() -> None:
    [change] = changes(record(None, FIRST))
    assert change.key == Order.key(customer_id="c1", order_id="1")
    assert repr(change) == "Created(Order.key(customer_id='c1', order_id='1'))"


def test_a_change_knows_which_fields_are_new() -> None:
    [change] = changes(record(FIRST, PAID))
    assert isinstance(change, Modified)
    assert change.changed("total", "status")
    assert not change.changed("total")
    assert change.became(status="PAID")
    assert not change.became(status="PAID", total=6)
    assert not change.became(total=5)


def test_what_an_older_schema_wrote_is_upgraded() -> None:
    now = item(Customer(customer_id="c1"))
    older = {name: value for name, value in now.items() if name != "full_name"}
    older |= {"SchemaVersion": {"N": "1"}, "name": {"S": "Ann"}}
    [change] = changes(record(older, now))
    assert isinstance(change, Modified)
    assert change.old.full_name == "Ann"


def test_an_item_that_takes_anothers_place_is_two_changes() -> None:
    basket = item(Basket(basket_id="b"))
    stranger = {**basket, "Type": {"S": "Order"}, "customer_id": {"S": "c"}, "order_id": {"S": "o"}}
    gone, come = changes(record(basket, stranger))
    assert (type(gone), gone.entity) == (Deleted, Basket)
    assert (type(come), come.entity) == (Created, Order)
    assert gone.id != come.id


def test_items_that_the_design_does_not_know_are_no_changes() -> None:
    stranger = {"PK": {"S": "X"}, "SK": {"S": "Y"}, "Type": {"S": "Unique"}}
    nameless = {"PK": {"S": "X"}, "SK": {"S": "Y"}}
    assert changes(record(None, stranger), record(nameless, None)) == []


def test_of_a_hot_item_one_copy_is_a_change() -> None:
    page = FrontPage(order_ids=["1"])
    schema = FrontPage.__schema__
    copies = [{**item(page), **schema.item_key({}, number)} for number in range(3)]
    assert len(changes(*(record(None, copy) for copy in copies))) == 1


def test_an_entity_is_known_by_its_key_where_the_stream_tells_no_more() -> None:
    told = record(None, FIRST)
    keys_only = Record("INSERT", "1", NOW, told.keys)
    [change] = changes(keys_only)
    assert change.key == Order.key(customer_id="c1", order_id="1")
    assert isinstance(change, Created)
    with pytest.raises(UsageError, match=r"declare Table\(…, stream='NEW_IMAGE'\)"):
        _ = change.new


def test_a_key_that_tells_a_day_alone_is_completed_from_the_item() -> None:
    table = Table("days", stream="NEW_AND_OLD_IMAGES")

    class Visit(Entity, table=table, pk="DAY#{at:%Y-%m-%d}", sk="VISIT#{visit_id}"):
        at: datetime
        visit_id: str

    visit = Visit(at=NOW, visit_id="v")
    [change] = changes_of(table, record(None, visit))
    assert change.key == Visit.key(at=NOW, visit_id="v")
