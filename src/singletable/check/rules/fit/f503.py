"""F503: the questions are those of analytics."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.check.rules.heat.h404 import KEPT_MIN, kept
from singletable.model.paging import Paged
from singletable.model.reads import Scan
from singletable.store.tracing import Trace

PATTERNS_MIN = 3


class F503(Rule):
    """Most patterns choose items by filters, which is what analytics does.

    Keys answer questions that are known and narrow. Patterns that read everything and keep a part
    of it, by this field today and by that one tomorrow, pay for all of the data each time and grow
    slower with it. No choice of keys helps.

    Keep the operational patterns here, and send the changes to what is made for such questions: the
    stream to a search index, an export to a data warehouse.
    """

    name = "analytics"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find designs of which half of the patterns or more filter or scan."""
        if len(design.traces) < PATTERNS_MIN:
            return
        found = [trace.pattern.name for trace in design.traces if _filters(trace)]
        if 2 * len(found) >= len(design.traces):
            yield self.finding(
                f"{len(found)} of {len(design.traces)} patterns choose items by filters: "
                f"{', '.join(found)}. They read far more than they give, and more every day",
                "answer them from a search index or a data warehouse that the table's stream feeds",
            )


def _filters(trace: Trace) -> bool:
    read = trace.read
    if isinstance(read, Scan):
        return True
    if not isinstance(read, Paged) or read.condition is None:
        return False
    return kept(read.condition, read.schema) < KEPT_MIN
