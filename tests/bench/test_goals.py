"""Promises are held against rows that are alike, and only against those."""

from bench.goals import Row, Rows


def rows(*, engine: float, local: float) -> Rows:
    return Rows(
        [
            Row("engine", "memory", "GetItem", 1, ops_per_s=engine),
            Row("local", "memory", "GetItem", 1, ops_per_s=local),
            Row("local", "file", "GetItem", 1, ops_per_s=1.0),
        ]
    )


def test_a_promise_kept_passes() -> None:
    measured = rows(engine=2_000, local=100)
    assert [str(goal) for goal in measured.goals(measured.all[0])] == ["≥ 20x local: pass (20)"]


def test_a_promise_broken_fails_beside_what_was_measured() -> None:
    measured = rows(engine=1_900, local=100)
    assert [str(goal) for goal in measured.goals(measured.all[0])] == ["≥ 20x local: FAIL (19)"]


def test_without_a_like_row_there_is_nothing_to_compare() -> None:
    alone = Rows([Row("engine", "file", "GetItem", 1, ops_per_s=1.0)])
    assert alone.times_local(alone.all[0]) is None
    assert list(alone.goals(alone.all[0])) == []


def test_a_failed_row_is_no_yardstick() -> None:
    failed = Row("local", "memory", "Query", 1, failure="it hung")
    row = Row("engine", "memory", "Query", 1, ops_per_s=1.0)
    assert Rows([row, failed]).times_local(row) is None
