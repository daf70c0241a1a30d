"""Documents and questions as OpenSearch's JSON, and its answers read; sends nothing."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from .documents import MARKS, Layout
from .facets import AnyOf, Test
from .keeping import NEVER, Entry, Held
from .questions import Match, Question, Term

FRAGMENT_CHARACTERS = 240
EXPANSIONS_MAX = 1000
"""How many words that begin alike are looked for, of those that the index has."""
TOLD = ["id", "key", "digest", "expires", "place", "realm"]
"""What is asked of a document whose texts do not matter."""
_ANALYZER = {"type": "custom", "tokenizer": "standard", "filter": ["lowercase", "asciifolding"]}


def index_body(layout: Layout, settings: Mapping[str, Any], alias: str) -> dict[str, Any]:
    """Describe an index for the documents of a layout, under an alias."""
    kept = {"type": "keyword", "index": False, "doc_values": False}
    fields: dict[str, Any] = dict.fromkeys(("key", "digest", "place"), kept)
    fields |= {"id": {"type": "keyword"}, "realm": {"type": "keyword"}}
    fields |= {"expires": {"type": "double"}, "gone": {"type": "double"}}
    fields |= {column: {"type": "text", "analyzer": "words"} for column in layout.columns}
    for number in range(len(layout.filters)):
        fields |= {f"f{number}": {"type": "keyword"}, f"n{number}": {"type": "double"}}
    return {
        "settings": {**settings, "analysis": {"analyzer": {"words": _ANALYZER}}},
        "mappings": {"dynamic": "strict", "properties": fields},
        "aliases": {alias: {}},
    }


def source(layout: Layout, entry: Entry, now: float) -> dict[str, Any]:
    """Give a document as it is stored; of one that is gone, the trace that it leaves."""
    document = entry.document
    if document is None:
        return {"id": entry.id, "place": entry.place, "gone": now}
    name, realm, key, texts, facets, expires = document
    stored: dict[str, Any] = {"id": name, "place": entry.place, "realm": realm, "key": key}
    stored |= {"digest": document.digest, "expires": NEVER if expires is None else expires}
    stored |= dict(texts)
    for field, facet in facets:
        number = layout.filters.index(field)
        stored.setdefault(f"f{number}", []).append(facet.text)
        if facet.number is not None:
            stored.setdefault(f"n{number}", []).append(facet.number)
    return stored


def query_body(layout: Layout, question: Question) -> dict[str, Any]:
    """Ask for all terms, in any column, of documents of the realms that pass the tests."""
    fields = [f"{column}^{weight}" for column, weight in question.weights.items()]
    filters: list[Any] = [{"terms": {"realm": list(question.realms)}}]
    filters += [{"range": {"expires": {"gt": question.now}}}]
    filters += [_tested(layout, test) for test in question.tests]
    terms = [_anywhere(term, fields) for term in question.terms]
    body: dict[str, Any] = {
        "size": question.limit,
        "track_total_hits": False,
        "query": {"bool": {"must": terms, "filter": filters}},
        "sort": [{"_score": "desc"}, {"id": "desc"}],
        "_source": ["id", "key"],
        "highlight": {
            "pre_tags": [MARKS[0]],
            "post_tags": [MARKS[1]],
            "fragment_size": FRAGMENT_CHARACTERS,
            "number_of_fragments": 1,
            "fields": {column: {} for column in question.weights},
        },
    }
    return body if question.after is None else body | {"search_after": [*question.after]}


def match_of(hit: Mapping[str, Any]) -> Match:
    """Read a document that was found."""
    marked = {column: parts[0] for column, parts in hit.get("highlight", {}).items()}
    stored, (score, _) = hit["_source"], hit["sort"]
    return Match(stored["id"], stored["key"], score, marked)


def held_of(stored: Mapping[str, Any]) -> Held:
    """Read what an index tells of a document."""
    expires = stored["expires"]
    return Held(
        stored["id"], stored["key"], stored["digest"], None if expires == NEVER else expires
    )


def hashed(name: str) -> str:
    """Give the id of a document in OpenSearch, which takes no more than 512 bytes."""
    return sha256(name.encode()).hexdigest()


def _anywhere(term: Term, fields: list[str]) -> dict[str, Any]:
    """Ask for a term in any field: as a phrase, so that nothing in it is syntax."""
    asked: dict[str, Any] = {"query": term.words, "fields": fields, "type": "phrase"}
    if term.prefix:
        asked |= {"type": "phrase_prefix", "max_expansions": EXPANSIONS_MAX}
    return {"multi_match": asked}


def _tested(layout: Layout, test: Test) -> dict[str, Any]:
    number = layout.filters.index(test.field)
    if isinstance(test, AnyOf):
        return {"terms": {f"f{number}": list(test.texts)}}
    ends = {"gte": test.low, "lte": test.high}
    return {"range": {f"n{number}": {end: at for end, at in ends.items() if at is not None}}}
