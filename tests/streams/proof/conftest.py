"""What the proof changes for itself is as before for the tests that come after it."""

from collections.abc import Iterator

import pytest

from singletable.engine import streams


@pytest.fixture(scope="module", autouse=True)
def _shards_last_as_long_as_before() -> Iterator[None]:
    """`support.connect` has shards close after a second."""
    usual = streams.SHARD_SECONDS
    yield
    streams.SHARD_SECONDS = usual
