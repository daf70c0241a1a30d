"""Words in large content, which is loaded for the index."""

from __future__ import annotations

import pytest

from singletable import Large
from singletable.errors import ObjectStoreFailed
from singletable.streams import Worker
from singletable.streams.search import Document, SearchIndex
from tests.streams.search.library import Library, Make, Secret

LONG = "a gate of iron " * 600 + "and a lamp"
DOCUMENT = Document(Secret, text="long", scope="user_id")
ANN = {"user_id": "ann"}


@pytest.fixture
def index(make: Make, store: Library) -> SearchIndex:
    return make(DOCUMENT, load=store.load)


def _secret(text: str) -> Secret:
    return Secret(user_id="ann", secret_id="s1", long=Large(text))


def test_the_end_of_long_content_is_found(index: SearchIndex, store: Library) -> None:
    store.put(_secret(LONG))
    Worker(store, index).drain()

    assert len(index.search("lamp", scope=ANN)) == 1


def test_content_that_was_replaced_is_no_fault(index: SearchIndex, store: Library) -> None:
    store.put(_secret(LONG))
    store.put(_secret(LONG.replace("lamp", "candle")))
    Worker(store, index).drain()

    assert len(index.search("candle", scope=ANN)) == 1
    assert len(index.search("lamp", scope=ANN)) == 0
    assert index.verify(store).is_right


def test_content_that_cannot_be_loaded_is_tried_again(make: Make, store: Library) -> None:
    failures = [ObjectStoreFailed("not now"), ObjectStoreFailed("not now")]

    def load(large: Large[str]) -> str:
        if failures:
            raise failures.pop()
        return store.load(large)

    index = make(DOCUMENT, load=load)
    store.put(_secret(LONG))
    Worker(store, index).drain()

    assert len(index.search("lamp", scope=ANN)) == 1


def test_a_rebuild_loads_it_too(index: SearchIndex, store: Library) -> None:
    store.put(_secret(LONG))
    index.rebuild(store)

    assert len(index.search("lamp", scope=ANN)) == 1
