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

from singletable.errors import DesignError, LargeMissing
from singletable.model.entity import Entity
from singletable.model.large import Large
from singletable.store.store import Store

from .sources.source import Row, Source

S = TypeVar("S", bound=Store)
T = TypeVar("T", str, bytes)
M = TypeVar("M", bound=Callable[..., Iterable[Entity]])
B = TypeVar("B", bound=Callable[..., Iterable[Row]])

MARK = "__rows__"
BACK = "__back__"


@dataclass(frozen=True, slots=True)
class Rule:
    """A method of a migration: which rows it is given, and which come along."""

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
    that holds the row's key: ``{"summaries": "session_id"}``. One whose row is not there is among
    the rejects, unless its table has a method of its own.
    """

    def declare(method: M) -> M:
        setattr(method, MARK, _Marked(kind, dict(related or {})))
        return method

    return declare


@dataclass(frozen=True, slots=True)
class BackRule:
    """A method of the way back: which entity it is given, and what else it is called for."""

    entity: type[Entity]
    parts: tuple[type[Entity], ...]
    method: Callable[[Any, Any, Both[Any]], Iterable[Row]]


def back(entity: type[Entity], *, parts: Iterable[type[Entity]] = ()) -> Callable[[B], B]:
    """Have a method make the rows of an entity again, for a migration that is reverted.

    It is given the entity and both sides, and yields the rows as they should be. It is called when
    the entity has changed, or one of its ``parts``: entities that have the fields of its key, and
    stand in the same rows, or in some that come along. Rows that it made of the entity as it was,
    and does not make now, are deleted.
    """
    listed = tuple(parts)
    for part in listed:
        missing = entity.__schema__.key_names - part.__schema__.fields.keys()
        if missing:
            raise DesignError(
                f"{part.__name__} is no part of {entity.__name__}, as it does not have "
                f"{', '.join(sorted(missing))}"
            )

    def declare(method: B) -> B:
        setattr(method, BACK, BackRule(entity, listed, method))
        return method

    return declare


@dataclass(frozen=True, slots=True)
class Both(Generic[S]):
    """What a rule of the way back may look at: both sides, as they are now."""

    store: S
    source: Source
    rules: Mapping[str, Rule]
    is_gone: bool = False
    """Whether the entity is told as it was, only for the keys of its rows."""

    def row(self, kind: str, *key: Any) -> Row | None:
        """Read a row of the old side, with those that come along by its rule."""
        related = self.rules[kind].related if kind in self.rules else {}
        [row] = self.source.fetch(kind, [key], related)
        return row

    def load(self, large: Large[T] | None) -> T | None:
        """Load large content, if there is any; of what is gone, as far as it is there."""
        try:
            return None if large is None else self.store.load(large)
        except LargeMissing:
            if self.is_gone:
                return None
            raise


class Migration(Generic[S]):
    """The base of a migration into the table of a store."""

    store: ClassVar[type[Store]]
    rules: ClassVar[Mapping[str, Rule]] = {}
    back_rules: ClassVar[Mapping[type[Entity], BackRule]] = {}
    """How to make rows of entities again, by the entity or the part of it that has changed."""
    queries: ClassVar[Mapping[str, str | None]] = {}
    """What the old database was asked, each with the pattern that takes its place, or None."""
    in_place: ClassVar[bool] = False
    """Whether the rows are items of the same table, in an older layout that still serves."""

    def __init_subclass__(cls, *, in_place: bool = False) -> None:
        super().__init_subclass__()
        cls.in_place = in_place or cls.in_place
        cls.store = _store_of(cls)
        cls.rules = _declared(cls)
        cls.back_rules = _declared_back(cls)

    @property
    def along(self) -> dict[str, dict[str, str]]:
        """Give the tables that are read only as what comes along, each with its parents.

        A parent is named with the column that holds its key.
        """
        found: dict[str, dict[str, str]] = {}
        for rule in self.rules.values():
            for kind, column in rule.related.items():
                if kind not in self.rules:
                    found.setdefault(kind, {})[rule.kind] = column
        return found

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


def _declared_back(cls: type) -> dict[type[Entity], BackRule]:
    found: dict[type[Entity], BackRule] = {}
    for base in reversed(cls.__mro__):
        for member in vars(base).values():
            rule = getattr(member, BACK, None)
            if isinstance(rule, BackRule):
                found |= dict.fromkeys((rule.entity, *rule.parts), rule)
    return found
