"""Ids as JSON keeps them, and back."""

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import ip_address
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.sql import ids

VALUES: st.SearchStrategy[Any] = st.one_of(
    st.text(),
    st.sampled_from(["str", "uuid", "int", "date"]).flatmap(
        lambda tag: st.text().map(lambda text: f"@{tag}:{text}")
    ),
    st.integers(),
    st.booleans(),
    st.uuids(),
    st.binary(),
    st.decimals(allow_nan=False),
    st.floats(allow_nan=False),
    st.dates(),
    st.datetimes(timezones=st.none() | st.just(UTC)),
    st.times(),
    st.timedeltas(),
)


@given(st.lists(VALUES, min_size=1, max_size=4).map(tuple))
@example((2**63,))
@example((-(2**63),))
@example(("@str:x", "@str:@str:x", "@unknown:x", "@"))
def test_an_id_survives_json_with_its_types(values: tuple[Any, ...]) -> None:
    written = ids.written(values)
    back = ids.read(json.loads(json.dumps(written)))
    assert back == values
    assert [type(one) for one in back] == [type(one) for one in values]
    assert tuple(json.loads(json.dumps(written))) == written
    assert hash(written) is not None


@given(st.decimals())
def test_a_decimal_keeps_its_digits(value: Decimal) -> None:
    (back,) = ids.read(ids.written([value]))
    assert str(back) == str(value)


def test_texts_and_integers_stay_as_they_are() -> None:
    assert ids.written(["a", 1, "550e8400"]) == ("a", 1, "550e8400")


def test_other_values_are_tagged() -> None:
    written = ids.written(
        [
            UUID(int=1),
            Decimal("1.50"),
            b"\xff",
            date(2024, 1, 2),
            datetime(2024, 1, 2, tzinfo=UTC),
            time(3),
            timedelta(1),
        ]
    )
    assert written == (
        "@uuid:00000000-0000-0000-0000-000000000001",
        "@decimal:1.50",
        "@bytes:/w==",
        "@date:2024-01-02",
        "@datetime:2024-01-02T00:00:00+00:00",
        "@time:03:00:00",
        "@timedelta:1/0/0",
    )


def test_a_network_address_is_its_text() -> None:
    assert ids.written([ip_address("::1")]) == ("::1",)


def test_a_value_that_cannot_be_kept_is_refused() -> None:
    with pytest.raises(SourceUnusable, match=r"\[1\] in a key is a list"):
        ids.written([[1]])
