"""Long text is kept elsewhere."""

from typing import Annotated

from pydantic import Field

from singletable import Entity, Get, Large, Store, Table, pattern

table = Table("reports")


class Report(Entity, table=table, pk="REPORT#{report_id}", sk="REPORT"):
    """A report with its text."""

    report_id: str
    text: Large[str]
    title: Annotated[str, Field(max_length=200)]


class Reports(Store, table=table):
    """The patterns of the reports."""

    @pattern()
    def report(self, report_id: str) -> Get[Report]:
        """A report."""
        return Report.get(report_id=report_id)
