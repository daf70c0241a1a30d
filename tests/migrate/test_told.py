"""What changes tell of a row is put together, whenever it was told."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.migrate import told
from singletable.migrate.migration import Rule
from singletable.migrate.sources.source import Changed, Row

SESSIONS = Rule("sessions", {"summaries": "session_id"}, lambda *_: ())


def session(**old: Any) -> Changed:
    return Changed("sessions", ("s1",), old)


def summary(name: str, **old: Any) -> Changed:
    return Changed("summaries", (name,), old)


def made(change: Changed) -> Any:
    """Say that keys are made of the values named so."""
    return tuple((change.old or {}).get(name) for name in ("campaign", "type"))


def shown(images: told.Images, row: Row | None = None) -> list[tuple[Any, list[Any]]]:
    rows = told.older(SESSIONS, ("s1",), row, images)
    return [(one["campaign"], [each["type"] for each in one.related["summaries"]]) for one in rows]


def test_each_way_a_row_was_meets_each_way_those_were_that_came_along() -> None:
    kept = told.Told()
    kept.add("sessions/s1", [session(campaign="a")], made)
    kept.add("sessions/s2", [session(campaign="other")], made)
    images = kept.add("sessions/s1", [summary("m1", type="GM"), summary("m2", type="PLAYER")], made)
    related = {"summaries": [Row("summaries", ("m3",), {"type": "NEW"})]}
    now = Row("sessions", ("s1",), {"campaign": "b"}, related)
    everything = ["NEW", "GM", "PLAYER"]
    assert shown(images, now) == [("a", everything), ("b", everything)]
    kept.close()


def test_one_that_came_along_in_two_ways_is_there_once_each_time() -> None:
    kept = told.Told()
    two = [summary("m1", type="GM"), summary("m1", type="PLAYER"), session(campaign="a")]
    assert shown(kept.add("sessions/s1", two, made)) == [("a", ["GM"]), ("a", ["PLAYER"])]
    kept.close()


def test_the_first_way_is_kept_of_a_row_that_changes_all_the_time() -> None:
    kept = told.Told()
    for number in range(1000):
        images = kept.add("sessions/s1", [session(campaign=number)], made)
    first, *last = [image["campaign"] for image in images["sessions", ("s1",)].values()]
    assert (first, last) == (0, list(range(1000 - told.IMAGES + 1, 1000)))
    kept.close()


def test_of_ways_that_made_the_same_keys_one_is_enough() -> None:
    kept = told.Told()
    kept.add("sessions/s1", [session(campaign="a", name="One")], made)
    again = [session(campaign="a", name="Two"), session(campaign="a", name="One")]
    assert shown(kept.add("sessions/s1", again, made)) == [("a", [])]
    kept.close()


def test_ages_pass_where_a_source_never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = told.Told()
    kept.add("sessions/s1", [session(campaign="a")], made)
    assert kept.forget_older("1") is None  # it is too young
    monkeypatch.setattr(told, "AGE_S", -1)
    assert kept.forget_older("2") is None
    assert shown(kept.add("sessions/s1", [session(campaign="b")], made)) == [("a", []), ("b", [])]
    assert kept.forget_older("3") == "2"
    assert shown(kept.add("sessions/s1", [], made)) == [("b", [])]
    assert kept.forget_older("4") == "3"
    assert shown(kept.add("sessions/s1", [], made)) == []
    kept.close()


def test_all_is_forgotten_when_the_source_rests() -> None:
    kept = told.Told()
    assert kept.is_empty
    kept.add("sessions/s1", [session(campaign="a")], made)
    assert not kept.is_empty
    kept.forget()
    assert kept.is_empty
    assert kept.add("sessions/s1", [], made) == {}
    kept.close()
