"""What commands change in the process that runs them is put back."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _same_path() -> Iterator[None]:
    """A target in a file has its folder put on the path, where processes begun later look too."""
    before = sys.path[:]
    yield
    sys.path[:] = before
