"""An index of each kind, and a store with a stream."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from singletable.streams.search import Document, OpenSearch, SearchIndex, Tantivy
from singletable.streams.search.keeping import Keeper
from tests.streams.search.library import BOOKS, NOTES, Library, Make
from tests.streams.search.opensearch_server import Cluster, serving


@pytest.fixture
def store() -> Iterator[Library]:
    """A store in memory, with a stream."""
    with Library.connect(":memory:") as connected:
        yield connected


@pytest.fixture
def opensearch() -> Iterator[tuple[str, Cluster]]:
    """A cluster that speaks OpenSearch's wire format."""
    with serving() as served:
        yield served


@pytest.fixture(params=["fts5", "tantivy", "opensearch"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Something that opens an index, the same one each time."""
    with ExitStack() as opened:
        url = ""
        if request.param == "opensearch":
            url, _ = opened.enter_context(serving())

        def keeper(**options: Any) -> Keeper | str:
            if request.param == "opensearch":
                return OpenSearch(url, **options)
            if request.param == "tantivy":
                return Tantivy(tmp_path / "index", **options)
            return str(tmp_path / "search.db")

        def made(*documents: Document, **options: Any) -> SearchIndex:
            where = keeper(**({"clock": options["clock"]} if "clock" in options else {}))
            index = SearchIndex(where, *(documents or (NOTES, BOOKS)), **options)
            opened.callback(index.close)
            return index

        yield made


@pytest.fixture
def index(make: Make) -> SearchIndex:
    """An index of notes and books, of each kind."""
    return make()
