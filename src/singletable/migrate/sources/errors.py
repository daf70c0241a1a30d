"""What can be wrong with a source: each names the table, and what to do about it."""

from __future__ import annotations

from singletable.errors import SingletableError


class SourceError(SingletableError):
    """Is the base of what a source finds; nothing was changed in it."""


class SourceUnusable(SourceError):
    """Says that a source, or a table of it, cannot be read as it is."""


class SourceBusy(SourceError):
    """Says that a source was too busy to be changed in the time given; trying again may help."""


class SourceRefused(SourceError):
    """Says that a source did not take rows: a constraint or a type forbids them."""


class ChangesLost(SourceError):
    """Says that changes after a position may be missing, so that both sides are to be compared."""
