"""The difference of two views, of which only the chunks that differ are looked at."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.sync.views import CHUNK_ROWS, Seen, joined

SIZES = st.sampled_from([0, 1, 5, CHUNK_ROWS - 1, CHUNK_ROWS, 2 * CHUNK_ROWS, 5 * CHUNK_ROWS])


def view(size: int, changed: set[int], gone: set[int]) -> Seen:
    rows = {f"Task/{n}": {"n": n, "new": n in changed} for n in range(size) if n not in gone}
    return Seen(rows, {"c1": size, "c2": 7} if size else {})


SOME = st.sets(st.integers(0, 5 * CHUNK_ROWS), max_size=8)


@settings(max_examples=60)
@given(sizes=st.tuples(SIZES, SIZES), changed=SOME, gone=st.tuples(SOME, SOME))
def test_a_difference_leads_from_one_view_to_the_other(
    sizes: tuple[int, int], changed: set[int], gone: tuple[set[int], set[int]]
) -> None:
    old, new = view(sizes[0], set(), gone[0]), view(sizes[1], changed, gone[1])
    parts = [old.chunks[digest] for digest in old.chunks.keys() - new.chunks.keys()]
    answer = new.since(joined(parts), old.chunks)
    rows = dict(old.rows)
    for one in answer["patch"]:
        if one["op"] == "del":
            del rows[one["key"]]
        else:
            assert rows.get(one["key"]) != one["value"]
            rows[one["key"]] = one["value"]
    assert rows == new.rows
    told = answer["lastMutationIDChanges"]
    assert told == {c: n for c, n in new.clients.items() if old.clients.get(c) != n}


def test_one_row_more_is_one_chunk_more() -> None:
    old, new = view(1_000, set(), {500}), view(1_000, set(), set())
    assert len(new.chunks.keys() - old.chunks.keys()) == 1
    assert len(old.chunks) > 8


def test_clients_are_not_mistaken_for_rows() -> None:
    seen = Seen({"c1": "a row"}, {"c1": 3})
    assert seen.since(None, ()) == {
        "lastMutationIDChanges": {"c1": 3},
        "patch": [{"op": "clear"}, {"op": "put", "key": "c1", "value": "a row"}],
    }
