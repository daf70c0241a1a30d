"""Workers take turns at a file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from singletable.migrate.turns import Turn

pytest.importorskip("fcntl")


def test_a_turn_is_waited_for_until_the_other_is_done(tmp_path: Path) -> None:
    path = tmp_path / "work" / "copy.turn"

    def take() -> str:
        with closing(Turn(path)) as turn, turn:
            return "taken"

    with closing(Turn(path)) as mine, ThreadPoolExecutor(1) as threads:
        with mine:
            waiting = threads.submit(take)
            with pytest.raises(TimeoutError):
                waiting.result(0.05)
        assert waiting.result(50) == "taken"
