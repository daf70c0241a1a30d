"""Descriptions of reads: which items, in which order, how many at a time.

A description is a value: every method gives another one, and nothing is sent until it is bound to
a store and run. The same description runs in every way, sync and async.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, cast

from singletable.errors import UsageError
from singletable.values import Item

from .paging import Paged, check_strong, checked_limit
from .phrases import arguments, chain, place
from .running import Many, Read

if TYPE_CHECKING:
    from .entity import Entity
    from .keys import Keys
    from .schema import Schema
    from .views import View

T = TypeVar("T")
V = TypeVar("V")
E = TypeVar("E", bound="Entity")

Comparison = Literal["lt", "le", "gt", "ge", "between", "begins_with"]


@dataclass(frozen=True, slots=True)
class Between:
    """A span of values of a field, both ends included."""

    low: Any
    high: Any

    def __repr__(self) -> str:
        whole = self.low is self.high and type(self.low) is date
        return repr(self.low) if whole else f"between({self.low!r}, {self.high!r})"


def between(low: Any, high: Any) -> Any:
    """Give a query a span of values for a field, which may cut its partitions into buckets."""
    return Between(low, high)


@dataclass(frozen=True, slots=True, repr=False)
class Key(Generic[E]):
    """Names one item by the fields of its key."""

    schema: Schema
    fields: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.fields.keys() != self.schema.key_names or not self.schema.is_whole:
            raise UsageError(self._complaint())

    def __repr__(self) -> str:
        return f"{self.schema.name}.key({arguments(self.fields)})"

    def _complaint(self) -> str:
        name, needed = self.schema.name, ", ".join(self.schema.key_fields)
        missing = [field for field in self.schema.key_fields if field not in self.fields]
        unknown = [field for field in self.fields if field not in self.schema.key_names]
        if not self.schema.is_whole:
            return self.schema.without_items
        faults = [f"lacks {', '.join(missing)}"] if missing else []
        faults += [f"has no use for {', '.join(unknown)}"] if unknown else []
        return f"The key of {name} is made of {needed}: this one {' and '.join(faults)}"

    @property
    def item_key(self) -> Item:
        """Give the key as DynamoDB has it; of the first copy, where there are several."""
        return self.schema.item_key(self.fields)


@dataclass(frozen=True, kw_only=True, repr=False)
class Query(Paged[T]):
    """Describes a query: the items of a partition, in the order of their sort keys.

    What it knows holds for all that it gives. A date given for a moment means all of that day, here
    and in comparisons. A moment names its time bucket where the key tells no more than that; where
    the sort key tells the moment too, it is refused unless what stands behind it is known.
    """

    known: Mapping[str, Any]
    comparison: tuple[Comparison, tuple[Any, ...]] | None = None
    forward: bool = True
    fetches: tuple[Schema, tuple[tuple[str, str], ...]] | None = None

    @classmethod
    def by(cls, schema: Schema, keys: Keys, known: dict[str, Any]) -> Self:
        """Describe a query of the table or an index, by the fields that are known."""
        for name, value in known.items():
            if type(value) is date and name in keys.moments:
                known = {**known, name: Between(value, value)}
        return cls.of(schema=schema, keys=keys, known=known)

    def __repr__(self) -> str:
        known = arguments(self.known)
        return f"{place(self.schema, self.keys)}.query({known}){chain(self)}"

    def newest_first(self) -> Self:
        """Go through the sort keys from the last to the first, where they tell a time."""
        return self.descending()

    def descending(self) -> Self:
        """Go through the sort keys from the last to the first."""
        return self.but(forward=False)

    def lt(self, value: Any) -> Self:
        """Take items whose next key field is less than a value."""
        return self._compared("lt", value)

    def le(self, value: Any) -> Self:
        """Take items whose next key field is at most a value; a date means all of the day."""
        return self._compared("le", value)

    def gt(self, value: Any) -> Self:
        """Take items whose next key field is greater than a value."""
        return self._compared("gt", value)

    def ge(self, value: Any) -> Self:
        """Take items whose next key field is at least a value."""
        return self._compared("ge", value)

    def between(self, low: Any, high: Any) -> Self:
        """Take items whose next key field is in a span, both ends included."""
        return self._compared("between", low, high)

    def begins_with(self, text: str) -> Self:
        """Take items whose next key field begins with a text."""
        return self._compared("begins_with", text)

    def _compared(self, comparison: Comparison, *values: Any) -> Self:
        if self.comparison is not None:
            raise UsageError(
                "DynamoDB takes one comparison on the sort key: use between() for two ends"
            )
        return self.but(comparison=(comparison, values))

    def only(self, shape: type[V]) -> Query[V]:
        """Read only the fields that a smaller model or dataclass has, and give those."""
        return cast("Query[V]", self.but(shape=shape))

    def fetch(self, entity: type[E], **match: str) -> Query[E]:
        """Give in place of each item the one that it points at, by one batch a page.

        ``match`` names, for each key field of the other entity, the field here that holds it. The
        BatchGetItem depends on what the query finds, so ``requests`` shows the query alone.
        """
        schema = entity.__schema__
        unmatched = [name for name in schema.key_fields if name not in match]
        pairs = (*match.items(), *((name, name) for name in unmatched))
        for theirs, ours in pairs:
            if theirs not in schema.key_names or ours not in self.schema.fields:
                raise UsageError(
                    f"{schema.name} is fetched by its key fields {', '.join(schema.key_fields)}, "
                    f"each from a field of {self.schema.name}: {theirs}={ours!r} is no such pair"
                )
        return cast("Query[E]", self.but(fetches=(schema, pairs)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Scan(Paged[T]):
    """Describes a scan: every item of the table or an index is read."""

    segments: int = 1

    def __repr__(self) -> str:
        return f"{place(self.schema, self.keys)}.scan(){chain(self)}"

    def parallel(self, segments: int) -> Self:
        """Read so many segments side by side, in no order.

        A page then has a page of each segment that is not at its end, so the page size of a pattern
        is for each. ``limit`` is for all of them together.
        """
        if segments < 1:
            raise UsageError(f"A scan has at least 1 segment, not {segments}")
        return self.but(segments=segments)

    def only(self, shape: type[V]) -> Scan[V]:
        """Read only the fields that a smaller model or dataclass has, and give those."""
        return cast("Scan[V]", self.but(shape=shape))


@dataclass(frozen=True, kw_only=True, repr=False)
class Get(Read[T]):
    """Describes the read of one item."""

    key: Key[Any]
    shape: type[Any] | None = None
    consistent: bool = False

    def __repr__(self) -> str:
        return f"{self.key.schema.name}.get({arguments(self.key.fields)}){chain(self)}"

    def strong(self) -> Self:
        """See every write that was answered before; costs twice as much."""
        return self.but(consistent=True)

    def only(self, shape: type[V]) -> Get[V]:
        """Read only the fields that a smaller model or dataclass has, and give that."""
        return cast("Get[V]", self.but(shape=shape))


@dataclass(frozen=True, kw_only=True, repr=False)
class BatchGet(Many[T]):
    """Describes the read of many items by their keys, of any number."""

    gets: tuple[Get[T], ...]
    at_once: bool = False

    def __repr__(self) -> str:
        shown = [*map(repr, self.gets[:_SHOWN_MAX]), *["…"] * (len(self.gets) > _SHOWN_MAX)]
        return f"get_many([{', '.join(shown)}])" + ".snapshot()" * self.at_once

    def strong(self) -> Self:
        """See every write that was answered before; costs twice as much."""
        return self.but(gets=tuple(get.strong() for get in self.gets))

    def snapshot(self) -> Self:
        """Read all items as of one moment, in one transaction of at most 100 different items.

        It sees every write that was answered before, and costs twice as much as a strong read.
        """
        return self.but(at_once=True)


_SHOWN_MAX = 3


def get_many(gets: Iterable[Get[T]]) -> BatchGet[T]:
    """Describe the read of many items; they are given in this order, missing ones left out."""
    many = tuple(gets)
    for one in many:
        if not isinstance(one, Get):
            raise UsageError(f"get_many([{one!r}]): give reads, as in get_many([Book.get(…)])")
    return BatchGet(gets=many)


@dataclass(frozen=True, kw_only=True, repr=False)
class Collection(Many[V]):
    """Describes the read of items of several entities that stand together, put into a view."""

    view: View[V]
    known: Mapping[str, Any]
    forward: bool = True
    page_size: int | None = None
    consistent: bool = False

    def __repr__(self) -> str:
        via = {} if self.view.via is None else {"via": self.view.via}
        given = ", ".join(filter(None, (self.view.shape.__name__, arguments(via | {**self.known}))))
        return f"collect({given}){chain(self)}"

    def newest_first(self) -> Self:
        """Go through the sort keys from the last to the first, where they tell a time."""
        return self.descending()

    def descending(self) -> Self:
        """Go through the sort keys from the last to the first; lists have their items so."""
        return self.but(forward=False)

    def limit(self, items: int) -> Self:
        """Read at most so many items, parents included, and put together what they are.

        That is one request, or one for each shard: for a parent and its newest children, read from
        the end where the parent stands. What lacks its parent is in the page's ``skipped``.
        """
        return self.but(page_size=checked_limit(items))

    def strong(self) -> Self:
        """See every write that was answered before; costs twice as much."""
        check_strong(self.view.keys(self.view.entities[0]))
        return self.but(consistent=True)
