"""A loopback server of OpenSearch's wire format, for the requests that an index makes.

It holds to what the API's documentation says, strictly: a member, parameter or query that is not
known here is refused. Words are split and scored in a simple way; what is under test is the wire.
"""

from __future__ import annotations

import fnmatch
import json
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = Any


class Refusal(Exception):
    """An answer with an error."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.body = {"error": {"type": kind, "reason": reason}, "status": status}


@dataclass
class Stored:
    """A version of a document."""

    source: dict[str, Json]
    seq_no: int


@dataclass
class Index:
    """An index: what was written, and what of it can be searched."""

    body: dict[str, Json]
    aliases: set[str]
    documents: dict[str, Stored] = field(default_factory=dict)
    visible: dict[str, dict[str, Json]] = field(default_factory=dict)
    seq_no: int = 0

    @property
    def properties(self) -> dict[str, Json]:
        found: dict[str, Json] = self.body["mappings"]["properties"]
        return found

    def refresh(self) -> None:
        self.visible = {name: one.source for name, one in self.documents.items()}


class Cluster:
    """Answers requests."""

    def __init__(self) -> None:
        self.indexes: dict[str, Index] = {}
        self.requests: list[tuple[str, str, Json]] = []
        self.headers: list[dict[str, str]] = []
        self.busy = 0
        """How many of the next requests are answered with 429."""
        self.refreshes = True
        """Whether everything can be searched at once; else after a refresh."""
        self.before: dict[str, Any] = {}
        """What to do once before a request whose path ends so."""
        self.lock = threading.RLock()

    def answer(self, method: str, target: str, content: bytes, kind: str) -> tuple[int, Json]:
        url = urlsplit(target)
        self.requests.append((method, target, content))
        for ending in [one for one in self.before if url.path.endswith(one)]:
            self.before.pop(ending)()
        with self.lock:
            if self.busy:
                self.busy -= 1
                return 429, {"error": {"type": "too_many", "reason": "busy"}, "status": 429}
            try:
                return 200, self._route(method, url.path, parse_qs(url.query), content, kind)
            except Refusal as refusal:
                return refusal.status, refusal.body

    def _route(  # noqa: C901, PLR0911 - one case for each request
        self, method: str, path: str, query: dict[str, list[str]], content: bytes, kind: str
    ) -> Json:
        match method, path.strip("/").split("/"):
            case "POST", ["_bulk"]:
                _require(kind == "application/x-ndjson", f"Content-Type {kind}")
                return self._bulk(content)
            case _ if content:
                _require(kind == "application/json", f"Content-Type {kind}")
        body = json.loads(content) if content else None
        match method, path.strip("/").split("/"):
            case "GET", [pattern]:
                return {name: self._described(self.indexes[name]) for name in self._names(pattern)}
            case "PUT", [name]:
                return self._create(name, body)
            case "DELETE", [name]:
                self._find(name)
                del self.indexes[name]
                return {"acknowledged": True}
            case "POST", ["_aliases"]:
                return self._aliases(body)
            case "POST", ["_mget"]:
                return self._mget(body)
            case "POST", [name, "_refresh"]:
                self._find(name).refresh()
                return {"_shards": {"total": 1, "successful": 1, "failed": 0}}
            case "POST", [name, "_search"]:
                return self._search(self._find(name), body)
            case "POST", [pattern, "_delete_by_query"]:
                _only(query, "conflicts")
                return self._delete_by_query(pattern, body)
        raise Refusal(405, "unknown", f"{method} {path} is not known here")

    def _names(self, pattern: str) -> list[str]:
        names = sorted(fnmatch.filter(self.indexes, pattern))
        if "*" not in pattern and not names:
            raise _no_index(pattern)
        return names

    def _find(self, name: str) -> Index:
        found = [one for key, one in self.indexes.items() if name == key or name in one.aliases]
        if not found:
            raise _no_index(name)
        assert len(found) == 1
        return found[0]

    def _described(self, index: Index) -> Json:
        aliases: dict[str, Json] = {alias: {} for alias in index.aliases}
        return {"aliases": aliases, "mappings": index.body["mappings"], "settings": {}}

    def _create(self, name: str, body: Json) -> Json:
        _only(body, "settings", "mappings", "aliases")
        _only(body["mappings"], "dynamic", "properties")
        if name in self.indexes:
            raise Refusal(400, "resource_already_exists_exception", f"index [{name}] exists")
        analyzers = body["settings"]["analysis"]["analyzer"]
        for field_name, one in body["mappings"]["properties"].items():
            _only(one, "type", "index", "doc_values", "analyzer")
            _require(one["type"] in {"keyword", "text", "double"}, f"type of {field_name}")
            _require(one.get("analyzer", "standard") in {"standard", *analyzers}, "analyzer")
        self.indexes[name] = Index(body, set(body["aliases"]))
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _aliases(self, body: Json) -> Json:
        _only(body, "actions")
        for action in body["actions"]:
            ((verb, told),) = action.items()
            _only(told, *(("index",) if verb == "remove_index" else ("index", "alias")))
            _require(told["index"] in self.indexes, "index of an alias")
        for action in body["actions"]:
            ((verb, told),) = action.items()
            match verb:
                case "remove_index":
                    del self.indexes[told["index"]]
                case "add":
                    self.indexes[told["index"]].aliases.add(told["alias"])
                case "remove":
                    self.indexes[told["index"]].aliases.remove(told["alias"])
                case _:
                    raise Refusal(400, "parsing_exception", verb)
        return {"acknowledged": True}

    def _mget(self, body: Json) -> Json:
        _only(body, "docs")
        return {"docs": [self._got(**one) for one in body["docs"]]}

    def _got(self, *, _index: str, _id: str, _source: list[str]) -> Json:
        if _index not in self.indexes:
            error = {"type": "index_not_found_exception", "reason": _index}
            return {"_index": _index, "_id": _id, "error": error}
        one = self.indexes[_index].documents.get(_id)
        if one is None:
            return {"_index": _index, "_id": _id, "found": False}
        told = {name: one.source[name] for name in _source if name in one.source}
        version = {"_seq_no": one.seq_no, "_primary_term": 1}
        return {"_index": _index, "_id": _id, "found": True, "_source": told, **version}

    def _bulk(self, content: bytes) -> Json:
        _require(content.endswith(b"\n"), "a bulk ends with a newline")
        lines = [json.loads(line) for line in content.splitlines()]
        items = []
        for action, source in zip(lines[::2], lines[1::2], strict=True):
            ((verb, meta),) = action.items()
            try:
                items.append({verb: self._written(verb, meta, source)})
            except Refusal as refusal:
                failed = {"_index": meta["_index"], "_id": meta["_id"], "status": refusal.status}
                items.append({verb: failed | {"error": refusal.body["error"]}})
        errors = any("error" in one for item in items for one in item.values())
        return {"took": 1, "errors": errors, "items": items}

    def _written(self, verb: str, meta: Json, source: Json) -> Json:
        _only(meta, "_index", "_id", "if_seq_no", "if_primary_term")
        _require(verb in {"index", "create"}, verb)
        _require(len(meta["_id"].encode()) <= 512, "an id of at most 512 bytes")
        index = self._find(meta["_index"])
        unknown = set(source) - set(index.properties)
        if unknown:
            raise Refusal(400, "strict_dynamic_mapping_exception", f"{unknown} is not allowed")
        there = index.documents.get(meta["_id"])
        if verb == "create":
            _require("if_seq_no" not in meta, "create takes no if_seq_no")
            conflict = there is not None
        else:
            conflict = there is None or there.seq_no != meta["if_seq_no"]
            _require(meta["if_primary_term"] == 1, "if_primary_term")
        if conflict:
            raise Refusal(409, "version_conflict_engine_exception", f"[{meta['_id']}]: conflict")
        index.documents[meta["_id"]] = Stored(source, index.seq_no)
        index.seq_no += 1
        return {"_index": meta["_index"], "_id": meta["_id"], "status": 201 if not there else 200}

    def _delete_by_query(self, pattern: str, body: Json) -> Json:
        _only(body, "query")
        deleted = 0
        for name in self._names(pattern):
            index = self.indexes[name]
            index.refresh()
            for found in [key for key, one in index.visible.items() if _score(body["query"], one)]:
                del index.documents[found]
                deleted += 1
        return {"deleted": deleted, "version_conflicts": 0, "failures": []}

    def _search(self, index: Index, body: Json) -> Json:
        _only(
            body,
            *("size", "query", "sort", "search_after", "_source", "highlight", "track_total_hits"),
        )
        if self.refreshes:
            index.refresh()
        found = []
        for name, source in index.visible.items():
            score = _score(body["query"], source)
            if score is not None:
                found.append(_hit(body, name, source, score))
        orders = [next(iter(one.values())) for one in body["sort"]]
        for at in reversed(range(len(orders))):
            found.sort(key=_sorter(at), reverse=orders[at] == "desc")
        if after := body.get("search_after"):
            _require(len(after) == len(orders), "search_after has a value for each sort")
            found = [hit for hit in found if _is_after(hit["sort"], after, orders)]
        return {"took": 1, "timed_out": False, "hits": {"hits": found[: body["size"]]}}


def _sorter(at: int) -> Callable[[Json], Any]:
    return lambda hit: hit["sort"][at]


def _is_after(values: list[Any], after: list[Any], orders: list[str]) -> bool:
    for value, end, order in zip(values, after, orders, strict=True):
        if value != end:
            return bool(value < end if order == "desc" else value > end)
    return False


def _hit(body: Json, name: str, source: Json, score: float) -> Json:
    names = [next(iter(one)) for one in body["sort"]]
    hit = {
        "_id": name,
        "_score": score,
        "_source": {one: source[one] for one in body["_source"] if one in source},
        "sort": [score if one == "_score" else source[one] for one in names],
    }
    if "highlight" in body:
        shown = _highlighted(body["highlight"], _terms(body["query"]), source)
        hit |= {"highlight": shown} if shown else {}
    return hit


def _terms(query: Json) -> list[tuple[str, bool]]:
    asked = [one["multi_match"] for one in query["bool"]["must"]]
    return [(one["query"], one["type"] == "phrase_prefix") for one in asked]


def _highlighted(body: Json, terms: list[tuple[str, bool]], source: Json) -> Json:
    _only(body, "pre_tags", "post_tags", "fragment_size", "number_of_fragments", "fields")
    before, after = body["pre_tags"][0], body["post_tags"][0]
    shown = {}
    for column in body["fields"]:
        words = {
            word for text, prefix in terms for word in _split(text)[: None if not prefix else -1]
        }
        starts = tuple(_split(text)[-1] for text, prefix in terms if prefix)

        def mark(found: re.Match[str], words: set[str] = words, starts: Any = starts) -> str:
            word = _fold(found[0])
            right = word in words or (starts and word.startswith(starts))
            return f"{before}{found[0]}{after}" if right else found[0]

        text = re.sub(r"\w+", mark, source.get(column, ""))
        if before in text:
            shown[column] = [text]
    return shown


def _score(query: Json, source: Json) -> float | None:
    """Give the score of a document; None where it does not fit."""
    ((kind, told),) = query.items()
    match kind:
        case "bool":
            _only(told, "must", "filter")
            scores = [_score(one, source) for one in told["must"]]
            fits = all(_score(one, source) is not None for one in told["filter"])
            return None if None in scores or not fits else sum(one or 0.0 for one in scores)
        case "multi_match":
            return _matched(told, source)
        case "terms":
            ((name, wanted),) = told.items()
            have = source.get(name, [])
            return 1.0 if set(have if isinstance(have, list) else [have]) & set(wanted) else None
        case "range":
            return _ranged(told, source)
        case "exists":
            _only(told, "field")
            return 1.0 if told["field"] in source else None
    raise Refusal(400, "parsing_exception", f"unknown query [{kind}]")


def _ranged(told: Json, source: Json) -> float | None:
    ((name, ends),) = told.items()
    _only(ends, "gt", "gte", "lt", "lte")
    have = source.get(name, [])
    tests = {"gt": float.__gt__, "gte": float.__ge__, "lt": float.__lt__, "lte": float.__le__}
    for value in have if isinstance(have, list) else [have]:
        if all(tests[end](float(value), float(at)) for end, at in ends.items()):
            return 1.0
    return None


def _matched(told: Json, source: Json) -> float | None:
    _only(told, "query", "fields", "type", "max_expansions")
    _require(told["type"] in {"phrase", "phrase_prefix"}, "type of multi_match")
    words = _split(told["query"])
    best: float | None = None
    for named in told["fields"]:
        column, _, boost = named.partition("^")
        text = _split(source.get(column, ""))
        starts = range(len(text) - len(words) + 1) if words else range(0)
        prefix = told["type"] == "phrase_prefix"
        count = sum(_is_at(text[at : at + len(words)], words, prefix=prefix) for at in starts)
        if count:
            score = float(boost) * (1 + count / (count + len(text)))
            best = max(best or 0.0, score)
    return best


def _is_at(text: list[str], words: list[str], *, prefix: bool) -> bool:
    if prefix:
        return text[:-1] == words[:-1] and text[-1].startswith(words[-1])
    return text == words


def _split(text: str) -> list[str]:
    return [_fold(word) for word in re.findall(r"\w+", text)]


def _fold(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.lower())
    return "".join(one for one in plain if not unicodedata.combining(one))


def _only(body: Json, *known: str) -> None:
    unknown = set(body) - set(known)
    if unknown:
        raise Refusal(400, "parsing_exception", f"unknown key {unknown}")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise Refusal(400, "illegal_argument_exception", what)


def _no_index(name: str) -> Refusal:
    return Refusal(404, "index_not_found_exception", f"no such index [{name}]")


@contextmanager
def serving() -> Iterator[tuple[str, Cluster]]:
    """Serve a new cluster on a port of its own; yield its URL and itself."""
    cluster = Cluster()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            cluster.headers.append(dict(self.headers.items()))
            kind = self.headers.get("Content-Type", "")
            status, body = cluster.answer(self.command, self.path, content, kind)
            answer = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815 - the base's names

        def log_message(self, format: str, *_: Any) -> None:  # noqa: A002 - the base's word
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", cluster
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
