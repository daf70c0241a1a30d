"""F502: a pattern scans."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.reads import Scan


class F502(Rule):
    """A pattern reads every item of the table.

    A scan costs what the whole table costs, at every call, and takes longer every day. In one table
    it reads all other entities too. Where all patterns scan, keys do nothing at all. A scan of an
    index that holds few items is cheap as long as they are few.

    Declare an index that holds just these items, under a key that the pattern knows. What has to
    see all items, such as an export, belongs into a job and not into a request.
    """

    name = "scan"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find scans; worse, if there is nothing else."""
        scans = [trace for trace in design.traces if isinstance(trace.read, Scan)]
        of_table = [trace for trace in scans if trace.index is None]
        is_all = len(of_table) == len(design.traces)
        for trace in scans:
            schema, keys = trace.reads[0] if trace.reads else (None, None)
            alone = ": so do all patterns, and this is no design for DynamoDB" * is_all
            yield self.finding(
                f"{trace.pattern.name}() reads every item of {trace.index or 'the table'}, at "
                f"every call{alone}",
                "query an index that holds just these items, or export the table",
                trace=trace,
                schema=schema,
                keys=keys,
                severity="error" if is_all else "note" if trace.index else None,
            )
