"""I602: something is ignored that no rule finds."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class I602(Rule):
    """A finding is ignored that is not there.

    The fault was mended, or the place or code is misspelt and the finding is still reported. An
    entry that matches nothing would hide the next fault of that kind.

    Take the entry out, or correct its place.
    """

    name = "ignored-without-finding"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find nothing: what is ignored is known once every rule has spoken."""
        return iter(())
