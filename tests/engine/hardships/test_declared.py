"""What hardships may be declared, and what is refused."""

from typing import Any

import pytest

from singletable import Hardships

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({}, "throttled=0.1"),
    "a seed alone": ({"seed": 7}, "these hardships are none"),
    "percents": ({"throttled": 10}, "throttled is 10: give a share from 0 to 1"),
    "less than nothing": ({"unprocessed": -0.1}, "unprocessed is -0.1"),
    "a lag of seconds": ({"lag": 0.5}, "lag is 0.5: give a number of requests"),
    "a lag into the future": ({"lag": -1}, "lag is -1"),
}


@pytest.mark.parametrize(("given", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Hardships(**given)


def test_there_are_all_kinds_at_once() -> None:
    every = Hardships.of_all_kinds(seed=7)
    assert every.seed == 7
    assert all((every.throttled, every.failing, every.conflicting, every.unprocessed))
    assert every.lag
    assert every.limits
