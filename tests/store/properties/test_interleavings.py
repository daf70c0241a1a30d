"""Eight writers, step by step in any order: what a store keeps true stays true at every moment.

Programs of a store are generators, so nothing here is left to chance: a failure is shown as the
jobs of the writers and the turns that they took, made as few as possible.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from .jobs import FEW, Job, any_job
from .scheduler import EVENTS, FAULTS, Scheduler, Turn

WRITERS = 8


Queues = list[list[Job]]


@st.composite
def queues(draw: st.DrawFn) -> Queues:
    """Draw the jobs of each writer."""
    kinds = draw(st.sampled_from(FEW))

    def pick(options: Any) -> Any:
        return draw(st.sampled_from(options))

    lengths = draw(st.lists(st.integers(1, 4), min_size=WRITERS, max_size=WRITERS))
    return [[any_job(pick, kinds) for _ in range(length)] for length in lengths]


def turns(*what: str) -> st.SearchStrategy[list[Turn]]:
    """Draw who is next, and what befalls them; most often nothing."""
    weighted = ["", "", "", "", *what]
    turn = st.tuples(st.integers(0, WRITERS - 1), st.sampled_from(weighted))
    return st.lists(turn, min_size=40, max_size=160)


@given(queues(), turns())
def test_promises_are_kept_whoever_is_faster(jobs: Queues, order: list[Turn]) -> None:
    Scheduler(jobs).run(order)


@given(queues(), turns(*FAULTS))
def test_promises_are_kept_whatever_fails(jobs: Queues, order: list[Turn]) -> None:
    Scheduler(jobs).run(order)


@given(queues(), turns(*FAULTS, *EVENTS, *EVENTS))
def test_promises_are_kept_as_time_passes(jobs: Queues, order: list[Turn]) -> None:
    """What is expired counts no longer, whether or not the service has deleted it yet."""
    Scheduler(jobs).run(order)
