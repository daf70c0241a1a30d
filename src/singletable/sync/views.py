"""What clients see: rows, their versions, and how one view differs from another.

The version of a row is a hash of what clients are sent of it. So every write reaches them, whoever
made it, and so does a change of the code that shows rows; what they do not see costs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any
from zlib import compress, crc32, decompress

import orjson

from singletable.store.reading.programs import program
from singletable.store.steps import Program

from .bookkeeping import Books, Chunk
from .protocol import Answer

Versions = Mapping[str, str]
"""Key → version."""

CHUNK_ROWS = 128
ROW, CLIENT = "r", "c"
"""What a key in a chunk begins with: rows of the view, and clients with their last mutation."""


@dataclass(frozen=True)
class Seen:
    """What the clients of a group should have: rows, and the last mutation of each client."""

    rows: Mapping[str, Any]
    clients: Mapping[str, int]

    @cached_property
    def chunks(self) -> dict[str, Versions]:
        """Cut the versions of all that is seen into chunks; those of clients are apart.

        So views of the same rows share chunks, whatever clients look at them.
        """
        rows = {f"{ROW}{key}": version_of(value) for key, value in self.rows.items()}
        clients = {f"{CLIENT}{client}": str(last) for client, last in self.clients.items()}
        return {digest(part): part for part in (*cut(rows), *cut(clients))}

    def since(self, old: Versions | None, shared: Container[str]) -> Answer:
        """Tell clients how to come here from old versions; those in shared chunks are the same.

        Without old versions they forget all they have, and are told everything.
        """
        new = joined(part for name, part in self.chunks.items() if name not in shared)
        before = old or {}
        changed = [key for key, version in new.items() if before.get(key) != version]
        patch = [{"op": "clear"}] if old is None else []
        patch += [{"op": "del", "key": key} for key in _of(ROW, before.keys() - new.keys())]
        patch += [{"op": "put", "key": key, "value": self.rows[key]} for key in _of(ROW, changed)]
        lasts = {client: self.clients[client] for client in _of(CLIENT, changed)}
        return {"lastMutationIDChanges": lasts, "patch": patch}


def version_of(value: Any) -> str:
    """Give the version of what clients are sent of a row."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # numbers beyond 64 bits, which JSON has
        text = json.dumps(value, sort_keys=True).encode()
    return blake2b(text, digest_size=12).hexdigest()


def digest(part: Versions) -> str:
    """Name a chunk after its content."""
    return blake2b(_text(part), digest_size=16).hexdigest()


def cut(versions: Versions) -> Iterator[Versions]:
    """Cut versions into parts, so that one that changes is in the same part as before."""
    parts: dict[int, dict[str, str]] = {}
    count = 1 << (len(versions) // CHUNK_ROWS).bit_length()
    for key, version in versions.items():
        parts.setdefault(crc32(key.encode()) % count, {})[key] = version
    yield from parts.values()


def joined(parts: Iterable[Versions]) -> dict[str, str]:
    """Put parts together again."""
    return {key: version for part in parts for key, version in part.items()}


def packed(part: Versions) -> bytes:
    """Write a part as a chunk has it."""
    return compress(_text(part))


def loaded(books: Books, digests: Iterable[str]) -> Program[dict[str, str] | None]:
    """Read chunks; None if one of them is gone."""
    wanted = sorted(digests)
    found: list[Chunk] = yield from program(books.context, "all", books.chunks(wanted), None)
    if len(found) < len(wanted):
        return None
    return joined(orjson.loads(decompress(chunk.rows)) for chunk in found)


def _of(kind: str, keys: Iterable[str]) -> list[str]:
    return sorted(key[1:] for key in keys if key[0] == kind)


def _text(part: Versions) -> bytes:
    return orjson.dumps(part, option=orjson.OPT_SORT_KEYS)
