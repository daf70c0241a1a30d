"""Items that the service refuses for their size or their numbers, told with entity and field.

The service names neither. Its error stays what it was, and its words are at the end of the message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from singletable.errors import ValidationException
from singletable.expressions import Node, Value
from singletable.model.schema import Schema
from singletable.values import ITEM_BYTES_MAX, AttributeValue, normalize, text_size, value_size

from .actions import Plan
from .writes import Put, Update, Write

TOO_LARGE = "Item size"
"""How the messages begin that tell of an item over the limit, put or updated."""

Pair = tuple[str, AttributeValue]
"""An attribute, and a value that it was to have or that its new one was to be made from."""


class Written(NamedTuple):
    """What was to be written: by which action, and the values of an entity's attributes."""

    by: str
    schema: Schema
    pairs: Sequence[Pair]

    @property
    def size(self) -> int:
        """Give the size of all."""
        return sum(map(_size, self.pairs))

    def label(self, attribute: str) -> str:
        """Name the field that an attribute holds; one that holds none, by its own name."""
        fields = {name: field for field, name in self.schema.attributes.items()}
        return f"{self.schema.name}.{fields.get(attribute, attribute)}"


def named(error: ValidationException, several: Iterable[Written]) -> ValidationException | None:
    """Give the error with what is at fault; None where that cannot be told."""
    find = _largest if error.message.startswith(TOO_LARGE) else _wrong
    told = find([written for written in several if written.pairs])
    if told is None:
        return None
    return ValidationException(f"{told}: {error.message}", **error.fields)


def planned(plans: Iterable[Plan]) -> Iterator[Written]:
    """Give what plans were to write."""
    for plan in plans:
        for write in plan.writes:
            yield Written(str(plan.action), plan.action.schema, tuple(_pairs(write)))


def _largest(several: Sequence[Written]) -> str | None:
    written = max(several, key=lambda one: one.size, default=None)
    if written is None:
        return None
    pair = max(written.pairs, key=_size)
    return (
        f"{written.by}: the largest field that it writes is {written.label(pair[0])}, with "
        f"{_size(pair):,} bytes, and an item has {ITEM_BYTES_MAX:,} at most"
    )


def _wrong(several: Sequence[Written]) -> str | None:
    for written in several:
        for name, value in written.pairs:
            try:
                normalize(value)
            except ValidationException:
                return f"{written.by}: {written.label(name)} cannot be stored"
    return None


def _size(pair: Pair) -> int:
    return text_size(pair[0]) + value_size(pair[1])


def _pairs(write: Write) -> Iterator[Pair]:
    if isinstance(write, Put):
        yield from write.item.items()
    elif isinstance(write, Update):
        for clause in write.clauses.actions:
            yield from ((clause.path.name, value) for value in _values(clause))


def _values(node: Node) -> Iterator[AttributeValue]:
    if isinstance(node, Value):
        yield node.content
    for child in node.children:
        yield from _values(child)
