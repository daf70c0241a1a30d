"""What can be wrong with a source: each names the table, and what to do about it."""

from __future__ import annotations

from singletable.errors import SingletableError


class SourceError(SingletableError):
    """The base of what a source finds; nothing was changed in it."""


class SourceUnusable(SourceError):
    """A source, or a table of it, cannot be read as it is."""


class SourceBusy(SourceError):
    """A source was too busy to be changed in the time given; trying again may help."""


class SourceRefused(SourceError):
    """A source did not take rows: a constraint or a type forbids them."""


class ChangesLost(SourceError):
    """Changes after a position may be missing, so that both sides are to be compared."""
