"""The report of migrations holds what was measured against what is promised."""

from __future__ import annotations

from bench.migrate import Copy, goals_of, markdown

SMALL = Copy(rows=10_000, seconds=2.0, cpu_s=3.0, resident_mb=(120.0, 90.0))


def test_the_largest_copy_is_held_to_the_speed_and_each_to_the_memory() -> None:
    large = Copy(rows=1_000_000, seconds=80.0, cpu_s=150.0, resident_mb=(310.0, 100.0))
    goals = goals_of([SMALL, large], loop_per_s=1_000)
    assert [goal.met for goal in goals[10_000]] == [True]
    assert [goal.met for goal in goals[1_000_000]] == [False, True, True]


def test_the_report_names_what_was_missed() -> None:
    text = markdown({"cores": 2}, [SMALL], loop_per_s=1_000)
    assert "| 10,000     | 5,000  | 5.0    | 300        | 120 + 90           |" in text
    assert "- ≥ 10000 rows/s: FAIL (5e+03)" in text
    assert "- ≥ 10x loop: FAIL (5)" in text
