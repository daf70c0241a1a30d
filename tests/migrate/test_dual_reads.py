"""Reads come from the side that answers now; in the shadow both are read, and compared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import Unreachable
from singletable.migrate import Cutover
from singletable.migrate.bookkeeping import PhaseName
from singletable.migrate.dual.reads import KEPT, Difference, Failure, Shadow


@pytest.fixture
def store() -> Iterator[Campaigns]:
    with Campaigns.connect(":memory:") as store:
        yield store


@pytest.fixture
def cutover(store: Campaigns) -> Cutover:
    return Cutover(store, "ToOneTable", refresh_s=0.01)


@pytest.fixture
def shadow(cutover: Cutover) -> Shadow:
    cutover.advance("shadow", by="ann", force=True)
    return Shadow(cutover)


def answers(*given: Any) -> Callable[[], Any]:
    """Answer one after the other, and the last from then on."""
    left = list(given)

    def read() -> Any:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return read


def forbidden() -> str:
    raise AssertionError("It must not be read")


@pytest.mark.parametrize("phase", ["dual", "done"])
def test_one_side_is_read_outside_the_shadow(cutover: Cutover, phase: PhaseName) -> None:
    cutover.advance(phase, by="ann", force=True)
    shadow = Shadow(cutover)
    old, new = (answers("it"), forbidden) if phase == "dual" else (forbidden, answers("it"))
    assert shadow.read("u1", old=old, new=new) == "it"
    assert shadow.report.compared == 0


def test_readers_come_over_by_their_share(cutover: Cutover) -> None:
    cutover.advance("new-50", by="ann", force=True)
    shadow = Shadow(cutover)
    read = [shadow.read(n, old=answers("old"), new=answers("new")) for n in range(200)]
    assert 60 < read.count("new") < 140
    assert read == [shadow.read(n, old=answers("old"), new=answers("new")) for n in range(200)]


def test_the_old_side_answers_in_the_shadow_and_differences_are_told(shadow: Shadow) -> None:
    told: list[Difference] = []
    shadow.tell = told.append
    assert shadow.read("u1", old=answers("a"), new=answers("a")) == "a"
    assert shadow.read("u2", old=answers("a"), new=answers("b")) == "a"
    assert told == [Difference("u2", "a", "b")]
    report = shadow.report
    assert (report.compared, report.differing, report.failed) == (2, 1, 0)
    assert report.old.reads == 2
    assert report.new.reads == 3  # once more, to be sure
    assert report.as_data()["new"]["longest_s"] <= report.new.total_s
    [kept] = shadow.kept()
    assert (kept.reader, kept.old, kept.new) == ("u2", "'a'", "'b'")


def test_errors_of_the_new_side_never_reach_the_caller(shadow: Shadow) -> None:
    fault = ValueError("broken")
    told: list[Difference] = []
    shadow.tell = told.append
    assert shadow.read("u1", old=answers("a"), new=answers(fault)) == "a"
    assert told == [Difference("u1", "a", Failure(fault))]
    assert (shadow.report.differing, shadow.report.failed) == (1, 1)


def test_errors_of_the_old_side_do(shadow: Shadow) -> None:
    with pytest.raises(ValueError, match="broken"):
        shadow.read("u1", old=answers(ValueError("broken")), new=answers("a"))


def test_a_write_in_between_is_no_difference(shadow: Shadow) -> None:
    assert shadow.read("u1", old=answers("a", "b"), new=answers("b")) == "b"
    assert (shadow.report.compared, shadow.report.differing) == (1, 0)


def test_the_caller_may_say_what_is_the_same(shadow: Shadow) -> None:
    alike = lambda old, new: old == new.upper()  # noqa: E731 - as a caller writes it
    shadow.read("u1", old=answers("A"), new=answers("a"), same=alike)
    assert shadow.report.differing == 0


def test_what_cannot_be_compared_or_told_differs_and_harms_nobody(shadow: Shadow) -> None:
    def lost(_: Difference) -> None:
        raise OSError("the log is full")

    shadow.tell = lost
    alike = lambda old, new: old == new.upper()  # noqa: E731 - as a caller writes it
    assert shadow.read("u1", old=answers("A"), new=answers(None), same=alike) == "A"
    assert (shadow.report.compared, shadow.report.differing) == (1, 1)
    assert [one.new for one in shadow.kept()] == ["None"]


def test_only_the_last_differences_are_kept(shadow: Shadow) -> None:
    for number in range(KEPT + 5):
        shadow.read(number, old=answers("a"), new=answers("b"))
    kept = {one.reader for one in shadow.kept()}
    assert kept == {str(number) for number in range(5, KEPT + 5)}


def test_a_difference_that_cannot_be_kept_harms_nobody(
    shadow: Shadow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: Any) -> Any:
        raise Unreachable("The network is down", perhaps_done=False)

    monkeypatch.setattr(EmbeddedBackend, "call", cut)
    assert shadow.read("u1", old=answers("a"), new=answers("b")) == "a"
    assert shadow.report.differing == 1


def test_in_asyncio(shadow: Shadow) -> None:
    async def read() -> str:
        async def old() -> str:
            return "a"

        async def new() -> str:
            raise ValueError("broken")

        return await shadow.aread("u1", old=old, new=new)

    assert asyncio.run(read()) == "a"
    assert (shadow.report.compared, shadow.report.failed) == (1, 1)
    assert [one.new for one in shadow.kept()] == ["Failure(error=ValueError('broken'))"]
