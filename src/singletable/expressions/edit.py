"""Change what stands at paths of an item; the item stays as it is, the rest of it is shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singletable.errors import ValidationException
from singletable.values import DEPTH_MAX, AttributeValue, Item

from .paths import Element, Path, child

Edit = tuple[tuple[Element, ...], AttributeValue | None]
"""Where, and what to put there; None removes what is there."""


def check_place(item: Item, path: Path) -> None:
    """Raise unless the item has a map or list in which the path's last step makes sense."""
    elements = path.elements
    if len(elements) == 1:
        return
    holder = item.get(path.name)
    for element in elements[1:-1]:
        if holder is None:
            break
        holder = child(holder, element)
    if holder is None or ("L" if isinstance(elements[-1], int) else "M") not in holder:
        raise ValidationException(
            "The document path provided in the update expression is invalid for update"
        )


def edited(item: Item, edits: Sequence[Edit]) -> Item:
    """Give the item with the edits made; their places were checked."""
    for elements, value in edits:
        if value is not None and len(elements) > 1 and ("M" in value or "L" in value):
            _check_depth(value, len(elements) - 1)
    return _edited_map(item, edits)


def _check_depth(value: AttributeValue, depth: int) -> None:
    """Refuse a value, itself in order, that would lie too deep; updates word it shorter."""
    if depth + _levels(value) >= DEPTH_MAX:
        raise ValidationException("Nesting Levels have exceeded supported limits")


def _levels(value: AttributeValue) -> int:
    """Count the lists and maps that lie in each other; an empty one counts as well."""
    [(kind, content)] = value.items()
    if kind not in ("L", "M"):
        return 0
    return 1 + max(map(_levels, content if kind == "L" else content.values()), default=0)


def _edited_map(members: dict[Any, Any], edits: Sequence[Edit]) -> dict[Any, Any]:
    changed = dict(members)
    for key, value in _heads(members, edits).items():
        if value is None:
            changed.pop(key, None)
        else:
            changed[key] = value
    return changed


def _edited_list(members: list[Any], edits: Sequence[Edit]) -> list[Any]:
    """Put values in their places, those beyond the end behind it in order; then close gaps."""
    heads = _heads(dict(enumerate(members)), edits)
    kept = [heads.pop(index, member) for index, member in enumerate(members)]
    behind = [heads[index] for index in sorted(heads)]
    return [member for member in (*kept, *behind) if member is not None]


def _heads(members: dict[Any, Any], edits: Sequence[Edit]) -> dict[Any, AttributeValue | None]:
    """Give what becomes of each member that edits begin with."""
    deeper: dict[Any, list[Edit]] = {}
    heads: dict[Any, AttributeValue | None] = {}
    for (head, *rest), value in edits:
        if rest:
            deeper.setdefault(head, []).append((tuple(rest), value))
        else:
            heads[head] = value
    for head, inner in deeper.items():
        heads[head] = _edited_value(members[head], inner)
    return heads


def _edited_value(value: AttributeValue, edits: Sequence[Edit]) -> AttributeValue:
    if "L" in value:
        return {"L": _edited_list(value["L"], edits)}
    return {"M": _edited_map(value["M"], edits)}
