"""What is stored comes back, binaries included."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.values import dumps, item_size, loads, normalize_item

SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text()),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda blob: {"B": blob}, st.binary()),
    st.builds(lambda truth: {"BOOL": truth}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda texts: {"SS": list(texts)}, st.sets(st.text(), min_size=1)),
    st.builds(lambda blobs: {"BS": list(blobs)}, st.sets(st.binary(), min_size=1)),
)
VALUES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(lambda values: {"L": values}, st.lists(inner, max_size=4)),
        st.builds(
            lambda values: {"M": values}, st.dictionaries(st.text(min_size=1), inner, max_size=4)
        ),
    ),
    max_leaves=8,
)
ITEMS = st.dictionaries(st.sampled_from(["B", "BS", "S", "plain", '"B":"']), VALUES)


@given(ITEMS)
def test_an_item_survives_storage(item: dict[str, dict[str, Any]]) -> None:
    normal = normalize_item(item)
    assert loads(dumps(normal)) == normal


@given(ITEMS)
def test_normal_form_is_a_fixed_point(item: dict[str, dict[str, Any]]) -> None:
    normal = normalize_item(item)
    assert normalize_item(normal) == normal


def test_sizes_follow_the_rules() -> None:
    """Names and values; 3 for a list or map and 1 for each element."""
    item: dict[str, dict[str, Any]] = {
        "s": {"S": "é"},
        "b": {"B": b"123"},
        "t": {"BOOL": True},
        "l": {"L": [{"NULL": True}, {"S": "ab"}]},
        "m": {"M": {"k": {"N": "12"}}},
        "ss": {"SS": ["a", "bc"]},
    }
    assert item_size(item) == (1 + 2) + (1 + 3) + (1 + 1) + (1 + 3 + 2 + 3) + (1 + 3 + 1 + 3) + (
        2 + 3
    )
