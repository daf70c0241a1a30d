"""A person sees how far workers are behind, and has changes delivered again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from singletable.streams import Worker, lag, replay
from singletable.streams.watching import groups, has_group
from tests.streams.design import Shop
from tests.streams.support import Clock, Seen, put


def test_lag_is_the_age_of_the_oldest_change_that_is_not_done(store: Shop) -> None:
    put(store, range(3))
    [before] = lag(store)
    assert before.behind is not None
    assert before.behind > timedelta(hours=1)  # by the engine's clock it was long ago
    Worker(store, Seen()).drain()
    [after] = lag(store)
    assert after.behind is None


def test_groups_are_those_that_have_begun_to_read(store: Shop) -> None:
    assert (groups(store), has_group(store, "worker")) == ([], False)
    Worker(store, Seen()).drain()
    Worker(store, Seen(), name="mail").drain()
    assert groups(store) == ["mail", "worker"]
    assert [has_group(store, name) for name in ("mail", "after")] == [True, False]


def test_a_replay_delivers_again_from_a_time_on_and_takes_no_lease(
    store: Shop, clock: Clock
) -> None:
    put(store, range(3))
    Worker(store, Seen()).drain()
    clock.time += 60
    then = datetime.fromtimestamp(clock.time, UTC)
    numbers = put(store, range(3, 5))
    seen = Seen()
    assert replay(store, seen, since=then) == 2
    assert seen.order_ids == numbers
    assert replay(store, seen) == 5
    assert lag(store)[0].behind is not None
