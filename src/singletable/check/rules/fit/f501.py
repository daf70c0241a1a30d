"""F501: a design without access patterns."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class F501(Rule):
    """A design has entities and no access patterns.

    Keys follow from the questions that are asked. With no questions, keys are guesses, and a
    question that comes later finds no key that answers it: the table has to be read as a whole, or
    written anew. That is what a relational database is better at.

    Write down every question that the application asks before you choose keys. If they are not
    known yet, keep the data in a relational database until they are.
    """

    name = "no-patterns"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find a store without patterns."""
        if not design.traces:
            entities = ", ".join(schema.name for schema in design.schemas)
            yield self.finding(
                f"{design.store.__name__} has no access patterns for {entities or 'its table'}: "
                "nothing says whether any key is right",
                "write down each question as a method with @pattern; if they are not known, do not "
                "use DynamoDB yet",
            )
