"""What a query knows becomes key conditions, or an error that says why it cannot."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import pytest

from singletable.errors import KeyValueError, UsageError
from singletable.model.entity import Entity
from singletable.model.fields import expires
from singletable.model.indexes import Index
from singletable.model.reads import Query, between
from singletable.model.table import GlobalIndex, Table, camel_case
from singletable.store.reading.key_conditions import Test as Condition
from singletable.store.reading.key_conditions import partitions, sort_tests

table = Table(
    "conditions",
    attribute_names=camel_case,
    ttl="gone",
    indexes=[
        "GSI1",
        "GSI2",
        "GSI3",
        "GSI4",
        "GSI5",
        "GSI6",
        "GSI7",
        GlobalIndex("by_mark", pk="MARK", sk=["at"]),
        GlobalIndex("by_place", pk=["tenantId", "country"], sk=["city", "zip"]),
        GlobalIndex("by_time", pk=["tenantId"], sk=["at"]),
        GlobalIndex("by_end", pk=["tenantId"], sk=["gone"]),
    ],
)


class Order(Entity, table=table, pk="TENANT#{tenant_id}", sk="ORDER#{status}#{number:05d}"):
    """An order, in indexes of every kind."""

    by_month = Index("GSI1", pk="ORDERS#{at:%Y-%m}", sk="{at}#{number:05d}")
    by_day = Index("GSI2", pk="DAY#{at:%Y-%m-%d}", sk="{status}#{number:05d}")
    anywhere = Index("GSI3", pk="ORDERS#{number:shard 3}", sk="{status}#{number:05d}")
    by_hour = Index("GSI4", pk="HOUR#{at:%Y-%m-%dT%H}", sk="{number:05d}")
    spread = Index("GSI5", pk="SPREAD#{at:shard 2}", sk="{at:desc}#{number:05d}")
    by_due = Index("GSI6", pk="DUE#{due:%Y-%m}", sk="{due}#{number:05d}")
    by_year = Index("GSI7", pk="YEAR#{at:%Y}", sk="{number:05d}")
    by_mark = Index("by_mark", pk="MARK#{at:%Y-%m}", sk=["at"])
    by_place = Index("by_place", pk=["tenant_id", "country"], sk=["city", "zip"])
    by_time = Index("by_time", pk=["tenant_id"], sk=["at"])
    by_end = Index("by_end", pk=["tenant_id"], sk=["ends"])

    tenant_id: str
    status: Literal["NEW", "NEWER", "DONE"] = "NEW"
    number: int
    at: datetime
    due: date = date(2026, 4, 30)
    country: str = "ch"
    city: str = "Bern"
    zip: int = 3000
    ends: datetime | None = expires()


class Reminder(Entity, table=table, pk="DUE#{due}", sk="{number:05d}"):
    """Lies in the partition of a day, which its key does not say is a bucket."""

    due: date
    number: int


class Base(Entity, table=table):
    """Has no partition key."""

    tenant_id: str


NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def conditions(query: Query[Any]) -> list[tuple[str, str, list[Any]]]:
    return [
        (attribute, operator, [next(iter(value.values())) for value in values])
        for attribute, operator, values in sort_tests(query.keys, query.known, query.comparison)
    ]


def texts(query: Query[Any]) -> list[list[Any]]:
    groups = partitions(query.keys, query.known)
    return [[[value["S"] for value in key.values()] for key in group] for group in groups]


def test_what_is_known_is_a_prefix_that_ends_at_a_delimiter() -> None:
    assert conditions(Order.query(tenant_id="t")) == [("SK", "begins_with", ["ORDER#"])]
    assert conditions(Order.query(tenant_id="t", status="NEW")) == [
        ("SK", "begins_with", ["ORDER#NEW#"])
    ]
    whole = Order.query(tenant_id="t", status="NEW", number=7)
    assert conditions(whole) == [("SK", "=", ["ORDER#NEW#00007"])]


def test_comparisons_are_of_the_next_field() -> None:
    query = Order.query(tenant_id="t", status="NEW")
    assert conditions(query.ge(3)) == [("SK", "BETWEEN", ["ORDER#NEW#00003", "ORDER#NEW$"])]
    assert conditions(query.between(3, 5)) == [
        ("SK", "BETWEEN", ["ORDER#NEW#00003", "ORDER#NEW#00005"])
    ]


def test_a_partition_key_of_several_attributes_and_sort_attributes_from_the_left() -> None:
    query = Order.by_place.query(tenant_id="t", country="ch")
    assert partitions(query.keys, query.known) == [
        [{"tenantId": {"S": "t"}, "country": {"S": "ch"}}]
    ]
    assert conditions(query) == []
    bern = Order.by_place.query(tenant_id="t", country="ch", city="Bern")
    assert conditions(query.begins_with("B")) == [("city", "begins_with", ["B"])]
    assert conditions(bern.gt(3000)) == [("city", "=", ["Bern"]), ("zip", ">", ["3000"])]
    span = Order.by_place.query(tenant_id="t", country="ch", city="Bern", zip=between(1, 2))
    assert conditions(span) == [("city", "=", ["Bern"]), ("zip", "BETWEEN", ["1", "2"])]
    exact = Order.by_place.query(tenant_id="t", country="ch", city="Bern", zip=1)
    assert conditions(exact) == [("city", "=", ["Bern"]), ("zip", "=", ["1"])]


def test_a_date_is_the_whole_day_for_a_key_that_is_a_field_too() -> None:
    query = Order.by_time.query(tenant_id="t")
    last = "2026-03-31T23:59:59.999999Z"
    assert conditions(query.le(date(2026, 3, 31))) == [("at", "<=", [last])]
    assert conditions(query.gt(date(2026, 3, 31))) == [("at", ">", [last])]
    first = "2026-03-31T00:00:00.000000Z"
    assert conditions(query.lt(date(2026, 3, 31))) == [("at", "<", [first])]
    assert conditions(query.between(date(2026, 3, 31), date(2026, 3, 31))) == [
        ("at", "BETWEEN", [first, last])
    ]


def test_an_expiry_is_compared_as_it_is_stored() -> None:
    moment = datetime(2026, 3, 31, tzinfo=UTC)
    query = Order.by_end.query(tenant_id="t").le(moment)
    assert sort_tests(query.keys, query.known, query.comparison) == [
        Condition("gone", "<=", ({"N": str(int(moment.timestamp()))},))
    ]


def test_a_moment_names_its_bucket_where_the_sort_key_does_not_tell_it() -> None:
    query = Order.by_day.query(at=NOON, status="NEW")
    assert texts(query) == [[["DAY#2026-03-31"]]]
    assert conditions(query) == [("GSI2SK", "begins_with", ["NEW#"])]


def test_a_moment_that_may_be_a_bucket_or_itself_is_refused() -> None:
    for index in (Order.by_month, Order.by_mark):
        with pytest.raises(UsageError, match=r"give at a date .* or at=between\(low, high\)"):
            conditions(index.query(at=NOON))
    text = "2026-03-31T12:00:00.000000Z"
    only = Order.by_month.query(at=between(NOON, NOON))
    assert texts(only) == [[["ORDERS#2026-03"]]]
    assert conditions(only) == [("GSI1SK", "BETWEEN", [text, f"{text}$"])]


def test_a_moment_with_what_stands_behind_it_is_itself() -> None:
    text = "2026-03-31T12:00:00.000000Z"
    assert conditions(Order.by_month.query(at=NOON, number=7)) == [
        ("GSI1SK", "=", [f"{text}#00007"])
    ]
    compared = conditions(Order.by_month.query(at=NOON).ge(7))
    assert compared == [("GSI1SK", "BETWEEN", [f"{text}#00007", f"{text}$"])]


DAY = date(2026, 3, 31)
FIRST, LAST = "2026-03-31T00:00:00.000000Z", "2026-03-31T23:59:59.999999Z"


def test_a_date_is_the_whole_day_of_a_moment() -> None:
    """In a bucket, behind one, in a sort key alone, as an attribute, falling, and in shards."""
    assert texts(Order.by_day.query(at=DAY)) == [[["DAY#2026-03-31"]]]
    assert conditions(Order.by_day.query(at=DAY)) == []
    assert texts(Order.by_month.query(at=DAY)) == [[["ORDERS#2026-03"]]]
    assert conditions(Order.by_month.query(at=DAY)) == [("GSI1SK", "BETWEEN", [FIRST, f"{LAST}$"])]
    hours = [[[f"HOUR#2026-03-31T{hour:02d}"]] for hour in range(24)]
    assert texts(Order.by_hour.query(at=DAY)) == hours
    timed = Order.by_time.query(tenant_id="t", at=DAY)
    assert conditions(timed) == [("at", "BETWEEN", [FIRST, LAST])]
    spread = Order.spread.query(at=DAY)
    assert texts(spread) == [[["SPREAD#0"], ["SPREAD#1"]]]
    assert [one[:2] for one in conditions(spread)] == [("GSI5SK", "BETWEEN")]


def test_a_date_is_a_day_and_no_span_where_the_field_is_one() -> None:
    assert texts(Order.by_due.query(due=DAY)) == [[["DUE#2026-03"]]]
    assert conditions(Order.by_due.query(due=DAY)) == [("GSI6SK", "begins_with", ["2026-03-31#"])]


def test_a_date_of_which_the_key_tells_too_little_is_refused() -> None:
    with pytest.raises(KeyValueError, match="the key tells only its bucket"):
        conditions(Order.by_year.query(at=DAY))


def test_what_stands_behind_a_day_is_of_no_use() -> None:
    with pytest.raises(UsageError, match="cannot use number without at"):
        conditions(Order.by_month.query(at=DAY, number=7))


def test_a_span_is_buckets_in_order_and_a_range_of_the_sort_key() -> None:
    query = Order.by_month.query(at=between(NOON, NOON + timedelta(days=40)))
    assert texts(query) == [[["ORDERS#2026-03"]], [["ORDERS#2026-04"]], [["ORDERS#2026-05"]]]
    assert [one[:2] for one in conditions(query)] == [("GSI1SK", "BETWEEN")]


def test_a_span_of_whole_buckets_needs_no_sort_key() -> None:
    query = Order.by_day.query(at=between(date(2026, 3, 31), date(2026, 4, 1)))
    assert texts(query) == [[["DAY#2026-03-31"]], [["DAY#2026-04-01"]]]
    assert conditions(query) == []


def test_a_span_that_ends_inside_a_bucket_is_refused_where_the_sort_key_cannot_narrow_it() -> None:
    query = Order.by_day.query(at=between(NOON, NOON + timedelta(hours=1)))
    with pytest.raises(KeyValueError, match="the key tells only its bucket"):
        conditions(query)


def test_an_unknown_shard_is_all_shards_side_by_side() -> None:
    query = Order.anywhere.query(status="NEW")
    assert texts(query) == [[["ORDERS#0"], ["ORDERS#1"], ["ORDERS#2"]]]


def test_a_known_shard_is_one_where_the_sort_key_says_the_rest() -> None:
    [[partition]] = texts(Order.anywhere.query(status="NEW", number=5))
    assert partition[0].startswith("ORDERS#")
    assert conditions(Order.anywhere.query(status="NEW", number=5)) == [
        ("GSI3SK", "=", ["NEW#00005"])
    ]


REFUSED = {
    "a field that no key has": (
        Order.query(tenant_id="t", city="Bern"),
        "has no use for city.*say filter",
    ),
    "a field behind an unknown one": (
        Order.query(tenant_id="t", number=1),
        "cannot use number without status",
    ),
    "a span of a field behind an unknown one": (
        Order.query(tenant_id="t", number=between(1, 2)),
        "cannot use a span of number",
    ),
    "a span of a field that no key has": (
        Order.query(tenant_id="t", zip=between(1, 2)),
        "has no use for zip",
    ),
    "a shard that would not narrow": (
        Order.anywhere.query(number=1),
        "cannot use number for more than to choose a shard without status",
    ),
    "a gap in sort attributes": (
        Order.by_place.query(tenant_id="t", country="ch", zip=1),
        "cannot use zip without city",
    ),
    "two comparisons": (
        Order.by_month.query(at=between(NOON, NOON)).ge(NOON),
        "takes one comparison",
    ),
    "two comparisons of attributes": (
        Order.by_place.query(tenant_id="t", country="ch", city=between("a", "b")).ge("c"),
        "takes one comparison",
    ),
    "a comparison behind the whole key": (
        Order.query(tenant_id="t", status="NEW", number=1).ge(2),
        "nothing is left to compare",
    ),
    "a comparison behind all attributes": (
        Order.by_place.query(tenant_id="t", country="ch", city="Bern", zip=1).ge(2),
        "nothing left for ge",
    ),
    "a comparison of text that must be a number": (
        Order.by_place.query(tenant_id="t", country="ch", city="Bern").ge("3000"),
        "the attribute has the type N",
    ),
    "the beginning of a number": (
        Order.by_time.query(tenant_id="t").begins_with("2026"),
        "begins_with needs text",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_known_and_of_no_use_is_refused(case: str) -> None:
    query, message = REFUSED[case]
    with pytest.raises(UsageError, match=message):
        conditions(query)


UNKNOWN: dict[str, tuple[Query[Any], str]] = {
    "a field": (Order.query(), "has to know tenant_id"),
    "a bucket": (Order.by_month.query(), r"has to know at \(a date, or at=between"),
    "an attribute": (Order.by_place.query(tenant_id="t"), "has to know country"),
    "a span": (
        Order.query(tenant_id=between("a", "b")),
        "has to know tenant_id, and not a span of it$",
    ),
    "a span of an attribute": (
        Order.by_place.query(tenant_id="t", country=between("a", "b")),
        "has to know country, and not a span of it$",
    ),
    "a span of days that are no buckets": (
        Reminder.query(due=between(date(2026, 1, 1), date(2026, 1, 7))),
        r"has to know due, and not a span of it: \{due:%Y-%m-%d\} in the key makes it a bucket",
    ),
    "no partition": (Base.query(tenant_id="t"), "no partition to query"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_partition_must_be_known(case: str) -> None:
    query, message = UNKNOWN[case]
    with pytest.raises(UsageError, match=message):
        texts(query)


WRONG: dict[str, Query[Any]] = {
    "a delimiter": Order.query(tenant_id="a#b"),
    "nothing": Order.query(tenant_id=None),
    "empty": Order.query(tenant_id=""),
    "a number": Order.query(tenant_id=7),
    "a number for an attribute": Order.by_place.query(tenant_id=7, country="ch"),
    "nothing for an attribute": Order.by_place.query(tenant_id=None, country="ch"),
    "a naive moment": Order.by_month.query(at=datetime(2026, 1, 1)),  # noqa: DTZ001 - the point
}


@pytest.mark.parametrize("case", WRONG)
def test_a_value_that_would_make_another_key_is_refused(case: str) -> None:
    with pytest.raises(KeyValueError):
        texts(WRONG[case])


@pytest.mark.parametrize("status", ["OPEN", "NEW#", "", None, 1])
def test_a_value_that_no_item_can_have_is_refused(status: Any) -> None:
    with pytest.raises(KeyValueError):
        conditions(Order.query(tenant_id="t", status=status))
