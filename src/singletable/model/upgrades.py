"""How items that an older version of an entity wrote become items of the present one.

Nothing is rewritten in the table: an item is upgraded each time it is read, until it is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.errors import DesignError

Step = Callable[[dict[str, Any]], dict[str, Any]]


class upgrade:  # noqa: N801 - it is used as a decorator
    """Makes the values that an older schema wrote into those of the next.

    It is given the number of the older schema. The function is given all values, those of fields
    by the field's name and others by the attribute's, and returns the new ones.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.step: Step | None = None

    def __call__(self, step: Step) -> upgrade:
        """Take the function."""
        self.step = step
        return self


def declared_upgrades(entity: type, version: int) -> dict[int, Step]:
    """Give the steps of an entity and its bases; where there is one, there must be all."""
    found: dict[int, Step] = {}
    for base in reversed(entity.__mro__):
        for one in vars(base).values():
            if isinstance(one, upgrade) and one.step is not None:
                found[one.number] = one.step
    missing = [number for number in range(1, version) if number not in found]
    if found and missing:
        raise DesignError(
            f"{entity.__name__} has schema={version}, but no @upgrade for {missing}: every step "
            "from 1 needs one"
        )
    return found
