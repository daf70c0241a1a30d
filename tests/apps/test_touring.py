"""A tour of each service: every access pattern, on the data to begin with."""

import pytest

from apps.demo import NAMES, App


@pytest.mark.parametrize("name", NAMES)
def test_every_pattern_is_on_the_tour(name: str) -> None:
    app = App.named(name)
    steps = list(app.steps())

    assert sorted(step.pattern for step in steps) == sorted(app.store.patterns)
    # What data to begin with has none of: no request was sent twice, and nobody was told anything.
    nothing = {step.pattern for step in steps if not step.items}
    assert nothing <= {"receipt", "notification", "notifications", "sync_queue"}
    assert all(step.units for step in steps)
