"""Batches: the limits of a request, and one event of a group in each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from singletable.streams.events.batches import Entry, batches
from tests.streams.events.samples import event

ENTRIES = st.lists(st.tuples(st.integers(1, 100), st.sampled_from(["", "", "A", "B"])))


def _entries(told: list[tuple[int, str]]) -> list[Entry]:
    return [
        Entry(number, event(number), {}, size, group) for number, (size, group) in enumerate(told)
    ]


@given(told=ENTRIES, size_max=st.integers(1, 200))
def test_batches_hold_all_in_order_within_the_limits(
    told: list[tuple[int, str]], size_max: int
) -> None:
    entries = _entries(told)
    made = list(batches(entries, size_max))
    assert [entry for batch in made for entry in batch] == entries
    for batch in made:
        groups = [entry.group for entry in batch if entry.group]
        assert 1 <= len(batch) <= 10
        assert len(set(groups)) == len(groups)
        assert len(batch) == 1 or sum(entry.size_bytes for entry in batch) <= size_max


def test_batches_are_as_large_as_they_may_be() -> None:
    assert [len(batch) for batch in batches(_entries([(30, "")] * 7), 90)] == [3, 3, 1]
    assert [len(batch) for batch in batches(_entries([(1, "")] * 21), 90)] == [10, 10, 1]
