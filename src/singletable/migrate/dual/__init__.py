"""Both sides at once: writes that are journalled until both have them, reads that are compared."""

from .journal import NotJournalled
from .reads import Shadow
from .settling import settle_journal, unsettled
from .writes import DualWrites, MissedPause, NewSideLags

__all__ = [
    "DualWrites",
    "MissedPause",
    "NewSideLags",
    "NotJournalled",
    "Shadow",
    "settle_journal",
    "unsettled",
]
