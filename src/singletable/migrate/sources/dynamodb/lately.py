"""Items that were told of lately: a global index may not find them yet.

An index follows its table some moments later, and no read of it is consistent. So a row whose
change was told may be missed by who looks for the rows of another: it is looked for by its own key,
too, for a while that is longer than indexes take.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from singletable.migrate.sources.source import Id
from singletable.values import AttributeValue, Item, key_bytes

from .tables import SourceTable

KEPT_S = 60.0
"""An index is behind for less than a second as a rule."""

Place = tuple[str, str, bytes]
"""What an index is asked for: a table, an attribute, and its value."""


class Lately:
    """Remembers which items had which values in the attributes that indexes find them by."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._keys: dict[Place, dict[Id, Item]] = {}
        self._since: deque[tuple[float, Place, Id]] = deque()

    def note(self, table: SourceTable, item: Item) -> None:
        """Remember an item as it was told; forget what indexes have by now."""
        self._forget()
        one, key = table.id_of(item), {name: item[name] for name in table.key}
        for column in table.indexes:
            if table.types[column] in item.get(column, {}):
                place = (table.name, column, key_bytes(item[column]))
                self._keys.setdefault(place, {})[one] = key
                self._since.append((self._clock(), place, one))

    def keys(self, table: SourceTable, column: str, value: AttributeValue) -> list[Item]:
        """Give the keys of items that had a value, and may have it still."""
        return list(self._keys.get((table.name, column, key_bytes(value)), {}).values())

    def _forget(self) -> None:
        while self._since and self._since[0][0] < self._clock() - KEPT_S:
            _, place, one = self._since.popleft()
            ids = self._keys.get(place, {})
            ids.pop(one, None)
            if not ids:
                self._keys.pop(place, None)
