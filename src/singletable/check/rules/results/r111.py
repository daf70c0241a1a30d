"""R111: a pattern has a page, and its read has no pages."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.paging import Paged
from singletable.model.reads import Collection


class R111(Rule):
    """A pattern says how large its page is, and what it reads has no pages.

    Queries and scans go page by page. A collection is put together from all of its items, and a
    get has those that it names: `page=` does nothing there. Who wrote it believes that a call reads
    twenty items; it reads a parent with all of its children, however many there are by then.

    End a collection with `.limit(…)`, which leaves out what is beyond it; or read the children by a
    query of their own, whose pages follow each other. Otherwise take `page=` away.
    """

    name = "page-without-pages"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find pages of what is read as a whole."""
        for trace in design.planned:
            if trace.pattern.page is None or isinstance(trace.read, Paged):
                continue
            schema, keys = trace.reads[0] if trace.reads else (None, None)
            is_view = isinstance(trace.read, Collection)
            yield self.finding(
                f"{trace.pattern.name}() has page={trace.pattern.page}, which does nothing: a "
                f"{'collection' if is_view else 'get'} has no pages, and a call reads all of it",
                "end it with .limit(…), or read the children by a query of their own"
                if is_view
                else "take page= away",
                trace=trace,
                schema=schema,
                keys=keys,
            )
