"""Who asks, and what follows from that: the space, the confined store, the client group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from singletable.errors import AlreadyExists
from singletable.store.context import Context
from singletable.store.reading.programs import program
from singletable.store.steps import Program
from singletable.store.writing.committing import write
from singletable.store.writing.whole import Creating

from .bookkeeping import Books, Group
from .protocol import ForeignGroup

if TYPE_CHECKING:
    from .sync import Sync


@dataclass(frozen=True, slots=True)
class Session:
    """A user at work in a space."""

    sync: Sync[Any, Any]
    user: Any
    owner: str
    scope: Mapping[str, Any]
    context: Context
    """That of the store, confined to the scope."""
    books: Books

    @property
    def space(self) -> str:
        """Name what is shared by all who have this scope."""
        return urlencode(sorted(self.scope.items())) or "-"

    def find(self, group: str) -> Program[Group | None]:
        """Read a client group; None where there is none, refused where it is somebody else's."""
        found = yield from program(self.books.context, "first", self.books.group(group), None)
        return self.own(found)

    def found(self, group: str) -> Program[Group]:
        """Make a client group this user's; another request may have been faster."""
        new = Group(group=group, owner=self.owner, space=self.space)
        try:
            made: Group = yield from write(self.books.context, Creating(new))
        except AlreadyExists as error:
            made = error.found
        self.own(made)
        return made

    def own(self, group: Group | None) -> Group | None:
        """Give a client group that is this user's, here; refuse another one."""
        if group is not None and (group.owner, group.space) != (self.owner, self.space):
            raise ForeignGroup(
                f"The client group {group.group!r} is not of {self.owner!r} in {self.space!r}"
            )
        return group
