"""A migration: a class whose methods make entities of rows.

    class ToOneTable(Migration[Campaigns]):
        @rows("users")
        def users(self, row: Row) -> Iterator[Entity]:
            yield User(user_id=row["id"], email=row["email"], …)

A method is given a row of one table, with those of others that belong to it where it asks for
them, and yields all entities that come of it. It is called again for the same row, in another
process or after a change, and then has to yield the same for the same: nothing of the time or of
chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, get_args

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.store.store import Store

from .sources.source import Row

S = TypeVar("S", bound=Store)
M = TypeVar("M", bound=Callable[..., Iterable[Entity]])

MARK = "__rows__"


@dataclass(frozen=True, slots=True)
class Rule:
    """Is a method of a migration: which rows it is given, and which come along."""

    kind: str
    related: Mapping[str, str]
    method: Callable[[Any, Row], Iterable[Entity]]


@dataclass(frozen=True, slots=True)
class _Marked:
    kind: str
    related: Mapping[str, str] = field(default_factory=dict)


def rows(kind: str, *, related: Mapping[str, str] | None = None) -> Callable[[M], M]:
    """Have a method called with each row of a table.

    ``related`` names other tables whose rows come along in ``row.related``, each with its column
    that holds the row's key: ``{"summaries": "session_id"}``.
    """

    def declare(method: M) -> M:
        setattr(method, MARK, _Marked(kind, dict(related or {})))
        return method

    return declare


class Migration(Generic[S]):
    """Is the base of a migration into the table of a store."""

    store: ClassVar[type[Store]]
    rules: ClassVar[Mapping[str, Rule]] = {}
    queries: ClassVar[Mapping[str, str | None]] = {}
    """What the old database was asked, each with the pattern that takes its place, or None."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.store = _store_of(cls)
        cls.rules = _declared(cls)

    @property
    def kinds(self) -> list[str]:
        """Name the tables that rows are read of, those that come along among them."""
        rules = self.rules.values()
        names = (name for rule in rules for name in (rule.kind, *rule.related))
        return list(dict.fromkeys(names))


def _store_of(cls: type) -> type[Store]:
    for base in getattr(cls, "__orig_bases__", ()):
        for argument in get_args(base):
            if isinstance(argument, type) and issubclass(argument, Store):
                return argument
    inherited: type[Store] | None = getattr(cls, "store", None)
    if inherited is None:
        raise DesignError(f"{cls.__name__} does not say where to: class …(Migration[MyStore])")
    return inherited


def _declared(cls: type) -> dict[str, Rule]:
    found: dict[str, Rule] = {}
    for base in reversed(cls.__mro__):
        for member in vars(base).values():
            mark = getattr(member, MARK, None)
            if isinstance(mark, _Marked):
                found[mark.kind] = Rule(mark.kind, mark.related, member)
    return found
