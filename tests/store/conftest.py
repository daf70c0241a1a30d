"""What tests of the store may ask for."""

import pytest

from tests.store.bench import Bench


@pytest.fixture
def bench() -> Bench:
    """Give an empty table and what is needed to write to it."""
    return Bench()
