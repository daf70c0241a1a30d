"""The contract between whoever runs requests and what runs them."""

from __future__ import annotations

import pytest

from singletable.backends import Backend
from singletable.engine import Engine
from singletable.errors import ResourceNotFoundException


def test_an_engine_is_a_backend_as_it_is() -> None:
    with Engine() as engine:
        backend: Backend = engine
        assert backend.call("ListTables", {}) == {"TableNames": []}
        with pytest.raises(ResourceNotFoundException):
            backend.call("DescribeTable", {"TableName": "Nope"})
