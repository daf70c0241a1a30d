"""An engine and a store for content in each place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import Engine
from singletable.store.context import Context
from singletable.store.creation import create_table
from singletable.store.drivers import run
from singletable.store.large.objects import Objects
from tests.store.large.shelf import (
    Notes,
    context_of,
    flat,
    notes,
)


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    """An engine that has the tables."""
    with Engine() as engine:
        backend = EmbeddedBackend(engine)
        for table in (notes, flat):
            run(create_table(Context(table=table, table_name=table.name)), backend)
        yield backend


@pytest.fixture(params=["parts", "folder", "memory"])
def context(request: pytest.FixtureRequest, tmp_path: Path) -> Context:
    """A context that keeps content in parts, in files, or in memory."""
    addresses = {"folder": str(tmp_path / "files"), "memory": "memory://"}
    address = addresses.get(request.param)
    return context_of(objects=Objects(address) if address else None)


@pytest.fixture(params=["parts", "memory://"])
def store(request: pytest.FixtureRequest) -> Iterator[Notes]:
    """A store with each kind of place."""
    objects = None if request.param == "parts" else request.param
    with Notes.connect(":memory:", objects=objects) as made:
        made.has_objects = objects is not None
        yield made
