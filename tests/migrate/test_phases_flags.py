"""A phase says who reads and who writes where, and a reader who came over stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.migrate.bookkeeping import PhaseName
from singletable.migrate.phases.flags import PHASES, Flags

KEYS = [f"user-{number}" for number in range(20_000)]


def flags(phase: PhaseName, migration: str = "ToOneTable") -> Flags:
    return Flags(migration, phase)


@given(st.text() | st.integers() | st.uuids(), st.text())
def test_who_reads_the_new_side_still_does_in_every_later_phase(key: object, name: str) -> None:
    answers = [flags(phase, name).reads_new(key) for phase in PHASES]
    assert answers == sorted(answers)
    assert answers[-2:] == [True, True]
    assert not any(answers[:3])


@pytest.mark.parametrize(("phase", "percent"), [("new-10", 10), ("new-50", 50)])
def test_as_many_readers_come_over_as_the_phase_says(phase: PhaseName, percent: int) -> None:
    over = sum(flags(phase).reads_new(key) for key in KEYS)
    assert over / len(KEYS) * 100 == pytest.approx(percent, abs=1.5)


def test_other_readers_come_first_in_another_migration() -> None:
    first = {key for key in KEYS if flags("new-10", "One").reads_new(key)}
    second = {key for key in KEYS if flags("new-10", "Two").reads_new(key)}
    assert len(first & second) / len(KEYS) * 100 == pytest.approx(1, abs=0.5)


def test_a_reader_has_the_same_place_in_every_process() -> None:
    assert [key for key in KEYS[:40] if flags("new-10").reads_new(key)] == [
        "user-5",
        "user-11",
        "user-14",
        "user-24",
    ]


@pytest.mark.parametrize("before", PHASES[:-1])
def test_what_is_written_in_a_phase_is_read_in_its_neighbour(before: PhaseName) -> None:
    """But for the first step: the new side is complete only when all write to it."""
    one, other = flags(before), flags(PHASES[PHASES.index(before) + 1])
    for writer, reader in ((one, other), (other, one)):
        sides = {reader.reads_new(key) for key in KEYS[:200]}
        assert writer.writes_new or True not in sides
        assert writer.writes_old or False not in sides


def test_the_shadow_is_the_phase_before_anybody_reads_the_new_side() -> None:
    assert [phase for phase in PHASES if flags(phase).is_shadowing] == ["shadow"]
    assert [phase for phase in PHASES if flags(phase).percent] == [*PHASES[3:]]
