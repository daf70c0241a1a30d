"""What the engine runs: the expressions of one request together with the values it gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple, Self

from singletable.errors import ValidationException
from singletable.values import Item

from .conditions import Between, Condition, Test
from .functions import Call
from .key_conditions import KeyCondition, KeyTests, LegacyKeyTests
from .paths import Path
from .projection import Projection
from .tree import Node, Values, walk
from .update import Update


class CompiledCondition(NamedTuple):
    """A condition before the values of a request are known."""

    tree: Condition
    test: Test
    attributes: tuple[str, ...]
    """The names of the attributes that it looks at, in the order of the text."""

    @classmethod
    def of(cls, tree: Condition | None) -> Self | None:
        """Compile a condition, if there is one."""
        if tree is None:
            return None
        return cls(tree, tree.compile(), tuple(dict.fromkeys(path.name for path in _paths(tree))))


class BoundCondition(NamedTuple):
    """A condition with the values of its request."""

    condition: CompiledCondition
    values: Values

    @property
    def tree(self) -> Condition:
        """Give the condition itself."""
        return self.condition.tree

    @property
    def attributes(self) -> tuple[str, ...]:
        """Give the names of the attributes that it looks at, in the order of the text."""
        return self.condition.attributes

    def evaluate(self, item: Item) -> bool:
        """Tell whether the condition holds of the item; where there is none, give ``{}``."""
        return self.condition.test(item, self.values)


class BoundUpdate(NamedTuple):
    """An update with the values of its request."""

    tree: Update
    values: Values

    @property
    def places(self) -> tuple[tuple[str, ...], ...]:
        """Give the keys that lead to each value that it touches, in the order of the text."""
        return self.tree.places

    def apply(self, item: Item) -> Item:
        """Give the item as it becomes; the one given stays as it is."""
        return self.tree.apply(item, self.values)

    def touched(self, item: Item) -> Item:
        """Give the parts of the item that this update names."""
        return self.tree.touched(item)


class Bound(NamedTuple):
    """The expressions of one request, ready to run; None where it has none of a kind."""

    update: BoundUpdate | None = None
    condition: BoundCondition | None = None
    filter: BoundCondition | None = None
    projection: Projection | None = None
    key_condition: KeyCondition | None = None
    nested: frozenset[str] = frozenset()
    """The attributes that some path leads into, other than the update's."""
    nested_by_update: frozenset[str] = frozenset()

    def check_keys(self, keys: Collection[str], index_keys: Iterable[str] = ()) -> None:
        """Refuse paths that lead into key attributes, which are scalars; name the first.

        That an update touches a key, itself or a part, is for the update to say.
        """
        by_update = self.nested_by_update
        if by_update and self.update and any(place[0] in keys for place in self.update.places):
            by_update = frozenset()
        for nested in (self.nested, by_update):
            for what, names in (("Key", keys), ("IndexKey", index_keys)):
                for name in names:
                    if name in nested:
                        raise ValidationException(
                            "Key attributes must be scalars; list random access '[]' and map "
                            f"lookup '.' are not allowed: {what}: {name}"
                        )

    def joined(self, others: Bound) -> Bound:
        """Add what others has to this."""
        more = {name: other for name, other in others._asdict().items() if other}
        return self._replace(**more)


NOTHING = Bound()


class Plan(NamedTuple):
    """What is known of a request's expressions before the contents of its values are."""

    update: Update | None
    condition: CompiledCondition | None
    filter: CompiledCondition | None
    projection: Projection | None
    key_tests: KeyTests | LegacyKeyTests | None
    contents: tuple[Between | Call, ...]
    """The nodes whose values' contents every request must check."""
    nested: frozenset[str]
    nested_by_update: frozenset[str]

    @classmethod
    def of(
        cls,
        *,
        update: Update | None = None,
        condition: Condition | None = None,
        filter: Condition | None = None,  # noqa: A002  # the name of the field
        projection: Projection | None = None,
        key_tests: KeyTests | LegacyKeyTests | None = None,
        contents: tuple[Between | Call, ...] = (),
    ) -> Self:
        """Put together what a request has."""
        keys = key_tests.tree if isinstance(key_tests, KeyTests) else None
        return cls(
            update,
            CompiledCondition.of(condition),
            CompiledCondition.of(filter),
            projection,
            key_tests,
            contents,
            _nested(condition, filter, projection, keys),
            _nested(update),
        )

    def bound(self, values: Values) -> Bound:
        """Give the expressions together with the values of a request."""
        return Bound(
            BoundUpdate(self.update, values) if self.update else None,
            BoundCondition(self.condition, values) if self.condition else None,
            BoundCondition(self.filter, values) if self.filter else None,
            self.projection,
            KeyCondition(self.key_tests, values) if self.key_tests else None,
            self.nested,
            self.nested_by_update,
        )


def _nested(*trees: Node | None) -> frozenset[str]:
    return frozenset(path.name for path in _paths(*trees) if len(path.elements) > 1)


def _paths(*trees: Node | None) -> Iterator[Path]:
    for tree in trees:
        if tree is not None:
            yield from (node for node, _ in walk(tree) if isinstance(node, Path))
