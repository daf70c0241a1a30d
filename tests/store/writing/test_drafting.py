"""A draft says of each change what it does, however often the same change was drafted before."""

from __future__ import annotations

import pytest

from singletable.errors import UsageError
from singletable.expressions import encode
from singletable.model.changes import add
from singletable.store.writing.drafting import Draft
from tests.store.bench import Plain


def drafted(amount: float) -> dict[str, object]:
    draft = Draft(Plain.__schema__)
    draft.change("size", add(amount))
    return encode(dict(enumerate(draft.clauses)))  # type: ignore[arg-type]  # any names will do


def test_a_counter_that_was_drafted_before_is_the_same() -> None:
    assert drafted(1) == drafted(1)
    assert drafted(1) != drafted(2)


def test_what_equals_a_number_and_is_none_is_refused_still() -> None:
    drafted(1)
    with pytest.raises(UsageError, match="BOOL"):
        drafted(True)
    with pytest.raises(UsageError, match="whole numbers"):
        drafted(1.5)
