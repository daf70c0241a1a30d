"""Whether an index holds what the table does, and how it is put right where it does not.

Both change while they are compared. So what differs is looked at twice: only what stayed as it was
in the table all the while, and is still otherwise in the index, is reported. An index whose worker
is behind is reported for what it is behind with.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.model.pages import Skipped
from singletable.model.reads import Get, Key, get_many
from singletable.store.store import Store

from .documents import Indexed, Layout
from .keeping import Entry, Keeper, chunks
from .rebuilding import SEGMENTS, Progress, items_in, scanned

SETTLE_S = 1.0


@dataclass(slots=True)
class Report:
    """Tells how an index differs from its table."""

    items: int = 0
    """How many items were read."""
    documents: int = 0
    """How many of them belong into the index."""
    missing: list[Key[Any]] = field(default_factory=list)
    stale: list[Key[Any]] = field(default_factory=list)
    extra: list[Key[Any]] = field(default_factory=list)
    """Documents whose items are gone, or no longer belong into the index."""
    unreadable: list[Skipped] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Tell whether nothing differs."""
        return not (self.missing or self.stale or self.extra)

    @property
    def keys(self) -> list[Key[Any]]:
        """Give the keys of all that differs."""
        return [*self.missing, *self.stale, *self.extra]


@dataclass(frozen=True, slots=True)
class _Suspect:
    key: Key[Any]
    digest: str | None
    """What the index should hold, as the table was when it was first looked at."""


def verify(
    keeper: Keeper, layout: Layout, store: Store, settle_s: float, progress: Progress | None
) -> Report:
    """Compare the live documents with those that the table asks for."""
    report = Report()
    suspects = _suspects(keeper, layout, store, report, progress)
    if suspects:
        time.sleep(settle_s)
    for some in chunks(list(suspects.items())):
        _judge(keeper, layout, store, dict(some), report)
    return report


def repair(keeper: Keeper, layout: Layout, store: Store, report: Report) -> int:
    """Write what a report tells anew, from the table; a change that comes meanwhile goes first."""
    ids = {layout.id_of(key): key for key in report.keys}
    for some in chunks(list(ids)):
        places = keeper.places(some)  # before the items are read: a newer change may be in them
        found = _current(layout, store, [ids[name] for name in some])
        keeper.mend([Entry(name, places.get(name, ""), found.get(name)) for name in some])
    return len(ids)


def _suspects(
    keeper: Keeper, layout: Layout, store: Store, report: Report, progress: Progress | None
) -> dict[str, _Suspect]:
    total = items_in(store) if progress else None
    suspects: dict[str, _Suspect] = {}
    seen: set[int] = set()  # hashes: a table may have more ids than fit into memory
    for page in scanned(layout, store, SEGMENTS):
        held = keeper.held([document.id for document in page.documents])
        for document in page.documents:
            seen.add(hash(document.id))
            there = held.get(document.id)
            if there is None or there.digest != document.digest:
                suspects[document.id] = _suspect(layout, document.id, document.key, document.digest)
        report.items += page.items
        report.documents += len(page.documents)
        report.unreadable += page.unreadable
        if progress is not None:
            progress(report.items, total)
    now = time.time()
    for one in keeper.every():
        if hash(one.id) not in seen and (one.expires is None or one.expires > now):
            suspects[one.id] = _suspect(layout, one.id, one.key, None)
    return suspects


def _judge(
    keeper: Keeper,
    layout: Layout,
    store: Store,
    suspects: Mapping[str, _Suspect],
    report: Report,
) -> None:
    """Look again: at the table first, as the index may only be behind it."""
    current = _current(layout, store, [one.key for one in suspects.values()])
    held = keeper.held(list(suspects))
    for name, suspect in suspects.items():
        document, there = current.get(name), held.get(name)
        digest = document.digest if document else None
        if digest != suspect.digest or digest == (there.digest if there else None):
            continue
        kind = report.extra if digest is None else report.stale if there else report.missing
        kind.append(suspect.key)


def _current(layout: Layout, store: Store, keys: Sequence[Key[Any]]) -> dict[str, Indexed]:
    """Make the documents of items as they are now; of those that have one."""
    reads: Iterable[Get[Any]] = (Get.of(key=key) for key in keys)
    entities = store.bind(get_many(reads).strong()).all() if keys else []
    return {one.id: one for one in map(layout.indexed, entities) if one is not None}


def _suspect(layout: Layout, name: str, key: str, digest: str | None) -> _Suspect:
    return _Suspect(layout.document(name).key(key), digest)
