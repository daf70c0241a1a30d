"""What is kept of the requests seen last."""

from __future__ import annotations

from singletable.expressions.recent import GENERATION_MAX, SIZE_MAX, Recent


def test_only_so_much_is_kept_and_nothing_of_a_large_request() -> None:
    recent: Recent[str] = Recent()
    for key in range(5 * GENERATION_MAX):
        recent.keep(key, "made", size=10)
        assert recent.get(0) == "made"
    assert GENERATION_MAX <= len(recent) <= 2 * GENERATION_MAX
    assert recent.get(1) is None
    recent.keep("large", "made", size=SIZE_MAX + 1)
    assert recent.get("large") is None
