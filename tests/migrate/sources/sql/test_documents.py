"""JSON with every digit."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.migrate.sources.sql.documents import dumps, loads

DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(DOCUMENTS)
def test_a_document_is_read_as_it_was_written(document: Any) -> None:
    assert loads(dumps(document)) == document


def test_a_number_that_no_float_can_hold_is_a_decimal() -> None:
    text = '{"exact":1.1000000000000000001,"usual":1.5,"huge":1e400}'
    document = loads(text)
    assert document == {
        "exact": Decimal("1.1000000000000000001"),
        "usual": 1.5,
        "huge": Decimal("1e400"),
    }
    assert isinstance(document["usual"], float)
    assert loads(dumps(document)) == document


def test_large_integers_and_decimals_stand_side_by_side() -> None:
    document = {"a": [2**100, {"b": Decimal("0.10")}]}
    assert dumps(document) == '{"a":[1267650600228229401496703205376,{"b":0.10}]}'


@pytest.mark.parametrize("value", [object(), Decimal("NaN"), {"a": {1, 2}}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        dumps(value)
