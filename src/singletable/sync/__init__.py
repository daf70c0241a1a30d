"""Offline-first clients: Replicache's push and pull, over a store.

A client shows edits at once, and sends them when it can; here they are run again, in order and
once, and the client is told how what it sees has changed. Nothing here knows HTTP: a route gives
the JSON that came, and who sent it, and answers with what it is given.
"""

from .mutators import Mutates, mutator
from .protocol import ForeignGroup, InvalidRequest, Mutation
from .pulling import Outrun
from .rows import ViewTooLarge
from .sync import Sync

__all__ = [
    "ForeignGroup",
    "InvalidRequest",
    "Mutates",
    "Mutation",
    "Outrun",
    "Sync",
    "ViewTooLarge",
    "mutator",
]
