"""I601: something is ignored without a reason."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class I601(Rule):
    """A finding is ignored, and nobody says why.

    Who reads the design next cannot tell whether the fault was judged harmless or only hidden. An
    entry without a reason ignores nothing.

    Write the reason behind the place: what you know that the rule does not.
    """

    name = "ignored-without-reason"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find nothing: what is ignored is known once every rule has spoken."""
        return iter(())
