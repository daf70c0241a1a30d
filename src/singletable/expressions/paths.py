"""Document paths: where in an item a value stands.

A path is a tuple of map keys (``str``) and list indexes (``int``); as parsed, a key may still be an
``Alias`` that ExpressionAttributeNames resolves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import ValidationException
from singletable.values import AttributeValue, Item

from .order import first_element
from .tree import Operand, Params, Parts, Read, Values

ELEMENTS_MAX = 32


@dataclass(frozen=True, slots=True)
class Alias:
    """A ``#name`` that stands for an attribute name."""

    name: str


Element = str | int | Alias


@dataclass(frozen=True, slots=True)
class Path(Operand):
    """A place in an item: ``("orders", 3, "total")`` is ``orders[3].total``."""

    elements: tuple[Element, ...]

    @property
    def name(self) -> str:
        """Give the name of the attribute that the path begins in."""
        return self.elements[0]  # type: ignore[return-value]  # aliases are resolved by now

    def compile(self) -> Read:
        """Make the function that gives the value at this place, or None."""
        name, inner = self.name, self.elements[1:]

        def read(item: Item, _values: Values) -> AttributeValue | None:
            return item.get(name)

        def read_inner(item: Item, _values: Values) -> AttributeValue | None:
            value = item.get(name)
            for element in inner:
                if value is None:
                    return None
                value = child(value, element)
            return value

        return read_inner if inner else read

    def resolve(self, names: Mapping[str, str]) -> Path:
        """Put attribute names for aliases, and check the path's depth."""
        elements = tuple(_resolved(element, names) for element in self.elements)
        if len(elements) > ELEMENTS_MAX:
            raise ValidationException(
                f"The document path has too many nesting levels; nesting levels: {len(elements)}"
            )
        return Path(elements)

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Give the elements."""
        parts.append(self.elements)

    def encode(self, params: Params) -> str:
        """Write the path, every key of it as a name of the params."""
        if len(self.elements) == 1:
            return params.name(str(self.elements[0]))
        first, *rest = self.elements
        steps = (f"[{e}]" if isinstance(e, int) else f".{params.name(str(e))}" for e in rest)
        return params.name(str(first)) + "".join(steps)

    def __str__(self) -> str:
        shown = (f"[{each}]" if isinstance(each, int) else str(each) for each in self.elements)
        return f"[{', '.join(shown)}]"


def child(value: AttributeValue, element: Element) -> AttributeValue | None:
    """Give the member of a map or list, or None."""
    if isinstance(element, int):
        members = value.get("L", ())
        return members[element] if element < len(members) else None
    member: AttributeValue | None = value.get("M", {}).get(element)
    return member


def _resolved(element: Element, names: Mapping[str, str]) -> Element:
    if not isinstance(element, Alias):
        return element
    if element.name not in names:
        raise ValidationException(
            "An expression attribute name used in the document path is not defined; "
            f"attribute name: {element.name}"
        )
    return names[element.name]


def resolve_distinct(paths: Sequence[Path], names: Mapping[str, str]) -> tuple[Path, ...]:
    """Resolve paths that may not touch each other, in the service's order: from the last."""
    tree: dict[Element, Any] = {}
    resolved: list[Path] = []
    for path in reversed(paths):
        resolved.append(path.resolve(names))
        _plant(tree, resolved[-1])
    return tuple(reversed(resolved))


def _plant(tree: dict[Element, Any], path: Path) -> None:
    """Add a path to a tree of paths, whose leaves are the paths themselves, if it fits there."""
    for element in path.elements[:-1]:
        _check_kind(tree, element, path)
        branch = tree.setdefault(element, {})
        if isinstance(branch, Path):
            raise _clash("overlap", path, tree)
        tree = branch
    last = path.elements[-1]
    _check_kind(tree, last, path)
    if last in tree:
        raise _clash("overlap", path, tree)
    tree[last] = path


def _check_kind(tree: dict[Element, Any], element: Element, path: Path) -> None:
    # The tree holds keys or indexes, never both: one of its members speaks for all.
    other = next(iter(tree), element)
    if isinstance(other, int) != isinstance(element, int):
        raise _clash("conflict", path, tree)


def _clash(how: str, path: Path, tree: dict[Element, Any]) -> ValidationException:
    # Observed: the other path named is the first one of the place where they meet, in the order
    # of a Java hash table, whether or not it is the path that clashes.
    other: Any = tree
    while not isinstance(other, Path):
        other = other[first_element(other)]
    return ValidationException(
        f"Two document paths {how} with each other; must remove or rewrite one of these paths; "
        f"path one: {path}, path two: {other}"
    )
