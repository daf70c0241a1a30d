"""What goes over the wire to OpenSearch, and what becomes of its refusals."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from singletable import UsageError
from singletable.errors import InvalidAddress, Throttled, Unreachable
from singletable.streams.search import OpenSearch, SearchIndex
from singletable.streams.search.opensearch_wire import SearchRefused, Wire
from tests import components
from tests.streams.search.library import (
    BOOKS,
    NOTES,
    Kept,
    Library,
    Note,
    batch_of,
    follow,
    names,
    records_of,
)
from tests.streams.search.opensearch_server import Cluster

ANN = {"user_id": "ann"}
Served = tuple[str, Cluster]


Opened = Callable[..., SearchIndex]


@pytest.fixture
def opened(opensearch: Served) -> Iterator[Opened]:
    """Something that opens an index at the cluster."""
    with ExitStack() as stack:

        def make(**options: Any) -> SearchIndex:
            index = SearchIndex(OpenSearch(opensearch[0], **options), NOTES, BOOKS)
            return stack.enter_context(index)

        yield make


def note(number: int, name: str = "dragon") -> Note:
    return Note(user_id="ann", note_id=str(number), name=name)


def asked(cluster: Cluster, ending: str) -> list[Any]:
    return [
        json.loads(content)
        for _, path, content in cluster.requests
        if path.endswith(ending) and content
    ]


def test_an_index_whose_name_begins_alike_is_left_alone(opened: Opened, store: Library) -> None:
    """The indexes of "notes" are called notes-g000001, and those of "notes-good" begin alike."""
    store.put(note(1))
    beside, index = opened(name="notes-good"), opened(name="notes")
    for each in (beside, index):
        follow(each, store)
    index.rebuild(store)
    for each in (beside, index):
        assert names(each.search("dragon", scope=ANN)) == ["1"]


def test_the_scope_is_a_filter_of_the_query_and_words_are_values(
    opensearch: Served, opened: Opened
) -> None:
    index = opened()
    index.search('dragon "the ale" ta* OR', scope=ANN, entity=Note, status="DONE")
    (body,) = asked(opensearch[1], "_search")
    query = body["query"]["bool"]
    assert query["filter"][0] == {"terms": {"realm": [NOTES.realm(ANN)]}}
    assert query["filter"][2] == {"terms": {"f2": ["S:DONE"]}}
    fields = ["w0^3", "w1^1"]
    assert query["must"] == [
        {"multi_match": {"query": "dragon", "fields": fields, "type": "phrase"}},
        {"multi_match": {"query": "the ale", "fields": fields, "type": "phrase"}},
        {
            "multi_match": {
                "query": "ta",
                "fields": fields,
                "type": "phrase_prefix",
                "max_expansions": 1000,
            }
        },
        {"multi_match": {"query": "OR", "fields": fields, "type": "phrase"}},
    ]


def test_the_first_index_is_made_with_strict_mappings(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    index = opened(settings={"number_of_shards": 1})
    store.put(note(1))
    follow(index, store)
    (body,) = asked(opensearch[1], "search-g000001")
    assert body["settings"]["number_of_shards"] == 1
    assert body["mappings"]["dynamic"] == "strict"
    assert body["mappings"]["properties"]["w0"] == {"type": "text", "analyzer": "words"}


def test_what_is_written_holds_for_the_version_that_it_was_decided_on(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    """Another writer comes first, with a newer change: this one looks again, and leaves it."""
    index, other = opened(), opened()
    for name in ("first", "second", "third"):
        store.put(note(1, name))
    first, second, third = records_of(store)
    index.deliver(batch_of([first]), Kept())
    opensearch[1].before["/_bulk"] = lambda: other.deliver(batch_of([third]), Kept())
    index.deliver(batch_of([second]), Kept())
    assert names(index.search("third", scope=ANN, entity=Note)) == ["1"]


def test_two_that_write_a_new_document_at_once_agree(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    index, other = opened(), opened()
    store.put(note(1, "first"))
    store.delete(Note.key(user_id="ann", note_id="1"))
    first, gone = records_of(store)
    opensearch[1].before["/_bulk"] = lambda: other.deliver(batch_of([gone]), Kept())
    index.deliver(batch_of([first]), Kept())
    assert not index.search("first", scope=ANN, entity=Note)


def test_an_index_that_is_replaced_while_it_is_written_to_is_found_anew(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    index, other = opened(), opened()
    store.put(note(1, "first"))
    follow(index, store)
    store.put(note(1, "second"))
    opensearch[1].before["/_mget"] = lambda: other.rebuild(store)
    follow(index, store)
    assert names(index.search("second", scope=ANN, entity=Note)) == ["1"]
    assert sorted(opensearch[1].indexes) == ["search-g000002"]


def test_documents_of_a_rebuild_are_there_before_it_is_put_in_place(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    opensearch[1].refreshes = False
    index = opened()
    store.put(note(1))
    index.rebuild(store)
    assert names(index.search("dragon", scope=ANN, entity=Note)) == ["1"]
    (actions,) = asked(opensearch[1], "/_aliases")
    assert [next(iter(one)) for one in actions["actions"]] == ["remove_index", "remove", "add"]


def test_long_documents_are_written_in_several_lots(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    index = opened()
    for number in range(20):
        store.put(Note(user_id="ann", note_id=str(number), name="dragon", text="long " * 70_000))
    follow(index, store)
    lots = [content for _, path, content in opensearch[1].requests if path == "/_bulk"]
    assert len(lots) == 2
    assert max(map(len, lots)) <= 5_000_000
    assert len(index.search("dragon", scope=ANN, entity=Note)) == 20


def test_where_it_is_busy_the_delivery_waits(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    index = opened()
    store.put(note(1))
    opensearch[1].busy = 1
    with pytest.raises(Throttled):
        follow(index, store)
    follow(index, store)
    assert names(index.search("dragon", scope=ANN, entity=Note)) == ["1"]


def test_where_it_is_not_there_the_delivery_waits(store: Library) -> None:
    nowhere = f"http://127.0.0.1:{components.free_port()}"
    index = SearchIndex(OpenSearch(nowhere), NOTES, BOOKS)
    store.put(note(1))
    with pytest.raises(Unreachable, match="No answer from OpenSearch"):
        follow(index, store)


def test_a_refusal_is_told_in_its_words(opensearch: Served) -> None:
    wire = Wire(opensearch[0], user=None, aws=False, timeout_s=50)
    with pytest.raises(SearchRefused, match=r"404 index_not_found_exception: no such index"):
        wire.send("GET", "/nothing")
    with pytest.raises(SearchRefused, match="unknown key"):
        wire.send("POST", "/_aliases", {"action": []})
    wire.close()


def test_a_user_and_a_password_are_sent(opensearch: Served, opened: Opened) -> None:
    opened(user=("ann", "x")).search("dragon", scope=ANN)
    assert opensearch[1].headers[0]["Authorization"] == "Basic YW5uOng="


def test_requests_are_signed_for_aws(
    opensearch: Served, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in [
        ("AWS_ACCESS_KEY_ID", "AKID"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
    ]:
        monkeypatch.setenv(name, value)
    opened(aws=True).search("dragon", scope=ANN)
    signature = opensearch[1].headers[0]["Authorization"]
    assert signature.startswith("AWS4-HMAC-SHA256 Credential=AKID/")
    assert "/eu-west-1/es/aws4_request" in signature


def test_several_indexes_stand_side_by_side(
    opensearch: Served, opened: Opened, store: Library
) -> None:
    notes, library = opened(name="notes"), opened(name="library")
    store.put(note(1))
    follow(notes, store)
    library.rebuild(store)
    notes.rebuild(store)
    assert sorted(opensearch[1].indexes) == ["library-g000002", "notes-g000002"]


@pytest.mark.parametrize("url", ["localhost:9200", "ftp://x", "http://", "http://x/?a=b"])
def test_what_is_no_endpoint_is_refused(url: str) -> None:
    with pytest.raises(InvalidAddress):
        OpenSearch(url)


def test_a_name_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(UsageError, match="'Search' cannot name an index"):
        OpenSearch("http://localhost:9200", "Search")
