"""Numbers come one after the other, without gaps, however many writers there are."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import AlreadyExists, ConditionFailed, Unreachable
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import Bench, Invoice, Ticket


@pytest.mark.parametrize("action", [Creating, Putting, Upserting])
def test_a_new_item_gets_the_next_number(bench: Bench, action: Any) -> None:
    numbers = [bench.do(action(Invoice(shop="s"))).number for _ in range(3)]

    assert numbers == [1, 2, 3]


def test_the_counter_stands_in_the_partition_that_is_named(bench: Bench) -> None:
    bench.do(Creating(Invoice(shop="s")))

    assert bench.raw("SHOP#s", "SEQUENCE#Invoice#number") == {
        "PK": {"S": "SHOP#s"},
        "SK": {"S": "SEQUENCE#Invoice#number"},
        "Type": {"S": "Sequence"},
        "Value": {"N": "1"},
    }


def test_each_partition_counts_for_itself(bench: Bench) -> None:
    bench.do(Creating(Invoice(shop="s")))

    assert bench.do(Creating(Invoice(shop="t"))).number == 1


def test_a_number_that_is_given_is_kept(bench: Bench) -> None:
    invoice = bench.do(Creating(Invoice(shop="s")))
    again = bench.do(Putting(invoice.model_copy(update={"total": 5})))

    assert (again.number, again.total) == (1, 5)
    assert bench.do(Creating(Invoice(shop="s"))).number == 2


@pytest.mark.parametrize("action", [Putting, Upserting])
def test_an_item_that_has_a_number_keeps_it(bench: Bench, action: Any) -> None:
    bench.do(Creating(Ticket(ticket_id="a")))
    bench.do(Creating(Ticket(ticket_id="b")))

    assert bench.do(action(Ticket(ticket_id="a", text="new"))).number == 1
    assert bench.get(Ticket.get(ticket_id="a")).text == "new"


def test_a_number_is_not_used_again(bench: Bench) -> None:
    bench.do(Deleting(bench.do(Creating(Invoice(shop="s")))))

    assert bench.do(Creating(Invoice(shop="s"))).number == 2


def test_who_comes_second_takes_the_number_after(bench: Bench) -> None:
    bench.meanwhile(Creating(Invoice(shop="s", total=1)))
    mine = bench.do(Creating(Invoice(shop="s", total=2)))

    assert mine.number == 2
    assert bench.get(Invoice.get(shop="s", number=1)).total == 1
    assert bench.operations == ["GetItem", "TransactWriteItems"] * 2


def test_a_write_that_fails_leaves_no_gap(bench: Bench) -> None:
    def fail(operation: str, _: dict[str, Any]) -> None:
        if operation == "TransactWriteItems":
            raise Unreachable("cut off", perhaps_done=False)

    bench.before = fail
    with pytest.raises(Unreachable):
        bench.do(Creating(Invoice(shop="s")))
    bench.before = lambda *_: None
    assert bench.do(Creating(Invoice(shop="s"))).number == 1


def test_a_number_that_somebody_took_by_hand_is_in_the_way(bench: Bench) -> None:
    bench.do(Creating(Invoice(shop="s", number=1)))

    with pytest.raises(AlreadyExists):
        bench.do(Creating(Invoice(shop="s")))
    with pytest.raises(ConditionFailed):
        bench.do(Putting(Invoice(shop="s")))


def test_several_numbers_in_one_transaction_follow_each_other(bench: Bench) -> None:
    bench.do(Creating(Invoice(shop="s")))
    results = bench.commit(
        Creating(Invoice(shop="s", total=1)),
        Creating(Invoice(shop="t", total=2)),
        Creating(Invoice(shop="s", total=3)),
    )

    assert [(each.shop, each.number) for each in results] == [("s", 2), ("t", 1), ("s", 3)]
    assert bench.do(Creating(Invoice(shop="s"))).number == 4


def test_an_update_of_a_numbered_item_is_one_plain_request(bench: Bench) -> None:
    invoice = bench.do(Creating(Invoice(shop="s")))
    bench.do(Updating(invoice, changes={"total": 5}))

    assert bench.operations == ["UpdateItem"]
