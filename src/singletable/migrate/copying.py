"""The copy: spans of rows, each noted batch by batch.

What is written follows from the rows alone, and is noted after it was written. So a copy that is
stopped at any moment goes on from its notes, writes some of it again, and ends with the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from singletable.backends import Backend
from singletable.backends.embedded import EmbeddedBackend
from singletable.store.drivers import run
from singletable.store.store import Store

from .bookkeeping import Books, Part, Run
from .items import fixed
from .migration import Migration
from .owners import Owners
from .pacing import Pace
from .rejects import rejected
from .sources.source import Source, Span
from .transforming import Made, Reject, Transformer, name_of
from .writing import write

BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class Copier:
    """Copies parts of a migration from a source into the table of a store."""

    begun: Run
    migration: Migration[Any]
    source: Source
    store: Store
    books: Books
    owners: Owners
    pace: Pace

    def copy(self, part: Part) -> Part:
        """Copy what is left of a part; note each batch."""
        context = fixed(self.store.context, self.begun.began_at)
        transformer = Transformer(self.migration, context, self.begun.began_at)
        rule = self.migration.rules[part.kind]
        while part.rest is not None:
            rows, rest = self.source.read(part.kind, to_span(part.rest), BATCH_ROWS, rule.related)
            judged = [transformer.transform(rule, row) for row in rows]
            accepted, rejects = self._sorted(judged)
            with _together(self.store.backend):
                written, refused = run(write(context, accepted), self.store.backend)
            part = self._note(part, len(rows), written, [*rejects, *refused], rest)
            self.pace.wait()
        return part

    def _sorted(self, judged: Sequence[Made | Reject]) -> tuple[list[Made], list[Reject]]:
        """Tell what can be written from what cannot, because of itself or of another row."""
        made = [one for one in judged if isinstance(one, Made)]
        rejects = [one for one in judged if isinstance(one, Reject)]
        claims = [(draft.key, name_of(one.row)) for one in made for draft in one.drafts]
        owners = iter(self.owners.claim(claims))
        accepted = []
        for one in made:
            owned = [(draft.key, next(owners)) for draft in one.drafts]
            others = [(key, owner) for key, owner in owned if owner != name_of(one.row)]
            if others:
                rejects.append(Reject(one.row, _taken(*others[0])))
            else:
                accepted.append(one)
        return accepted, rejects

    def _note(
        self,
        part: Part,
        rows: int,
        items: int,
        rejects: Iterable[Reject],
        rest: Span | None,
    ) -> Part:
        letters = [rejected(part.name, reject) for reject in rejects]
        self.books.put_many(letters)
        return self.books.put(
            Part(
                name=part.name,
                kind=part.kind,
                number=part.number,
                rest=None if rest is None else from_span(rest),
                rows=part.rows + rows,
                items=part.items + items,
                rejected=part.rejected + len(letters),
            )
        )


def to_span(rest: dict[str, Any]) -> Span:
    """Read a span from its JSON."""
    after, upto = rest["after"], rest["upto"]
    return Span(None if after is None else tuple(after), None if upto is None else tuple(upto))


def from_span(span: Span) -> dict[str, Any]:
    """Write a span as JSON."""
    return {
        "after": None if span.after is None else list(span.after),
        "upto": None if span.upto is None else list(span.upto),
    }


def _together(backend: Backend) -> AbstractContextManager[None]:
    """Have a batch reach the disk at once, where that is known how."""
    return backend.engine.together() if isinstance(backend, EmbeddedBackend) else nullcontext()


def _taken(key: tuple[str, ...], owner: str) -> str:
    return f"{owner} makes an item with the key {', '.join(key)}, too"
