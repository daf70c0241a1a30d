"""Field paths: how they are written, and that every path can be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import UsageError
from singletable.model.paths import Elements, field_of, format_path, parse_path

NAMES = st.text(min_size=1, max_size=6) | st.text(".[]\\0a\n", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("path", "elements"),
    [
        ("status", ("status",)),
        ("stats.reads", ("stats", "reads")),
        ("photos[0]", ("photos", 0)),
        ("a[1][20].b c", ("a", 1, 20, "b c")),
        (r"a.b\.c", ("a", "b.c")),
        (r"a.\[0\]", ("a", "[0]")),
        ("a.0", ("a", "0")),
    ],
)
def test_dots_lead_into_maps_and_brackets_into_lists(path: str, elements: Elements) -> None:
    assert parse_path(path) == elements
    assert format_path(elements) == path


@given(NAMES, st.lists(NAMES | st.integers(0, 99), max_size=4))
def test_every_path_is_read_as_it_was_written(field: str, rest: list[str | int]) -> None:
    path = format_path((field, *rest))
    assert parse_path(path) == (field, *rest)
    assert field_of(path) == field


@pytest.mark.parametrize(
    "path",
    ["", ".", "a.", ".a", "a..b", "[0]", "a[]", "a[-1]", "a[x]", "a[0", "a]", "a[0]b", "a\\"],
)
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="is no path"):
        parse_path(path)


@pytest.mark.parametrize("elements", [(0,), ("",), ("a", ""), ("a", -1)])
def test_elements_that_no_item_can_have_are_refused(elements: Elements) -> None:
    with pytest.raises(UsageError, match=r"begins with|empty|no index"):
        format_path(elements)
