"""Which of OpenSearch's indexes are the generations of a search index: found, made and replaced.

A generation is an index of its own, ``name-g000001``, and an alias says which is live, so that a
rebuild is put in place at once. The alias is of the documents' layout, too: an index that was made
for others is told by its alias.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from .documents import Layout
from .keeping import NotRebuilt, made_otherwise
from .opensearch_bodies import index_body
from .opensearch_wire import SearchRefused, Wire


@dataclass(frozen=True, slots=True)
class Generations:
    """Which indexes there are: all, and those that changes are applied to."""

    all: tuple[str, ...]
    live: str | None
    building: str | None
    has_others: bool
    """Whether one is made for other documents."""
    unused: tuple[str, ...]
    """Those that are half made, or nobody's: not the live one of other documents."""


class Indexes:
    """Knows the indexes of a name, and makes them for the documents of a layout."""

    def __init__(self, wire: Wire, name: str, settings: Mapping[str, Any], layout: Layout) -> None:
        self._wire = wire
        self._name = name
        self._settings = settings
        self._layout = layout
        self.alias = f"{name}-{sha256(layout.signature.encode()).hexdigest()[:8]}"
        self._building = f"{self.alias}-building"

    def index(self, generation: int) -> str:
        """Name the index of a generation."""
        return f"{self._name}-g{generation:06d}"

    def generations(self) -> Generations:
        """Ask which indexes there are; make the first."""
        found = self._found()
        if not found:
            self._create(1, self.alias)
            found = self._found()
        aliases = {alias: name for name, each in found.items() for alias in each}
        live, building = aliases.pop(self.alias, None), aliases.pop(self._building, None)
        unused = [name for name, each in found.items() if all(map(_is_building, each))]
        return Generations(tuple(found), live, building, bool(aliases), tuple(unused))

    def live(self) -> str:
        """Name the index that is searched; refuse one that is made for other documents."""
        live = self.generations().live
        if live is None:
            raise made_otherwise(self._name)
        return live

    def begin(self) -> int:
        """Make a new index beside the live one, in place of what was left half made."""
        there = self.generations()
        for left in there.unused:
            self._wire.send("DELETE", f"/{left}")
        number = max(map(_number, there.all), default=0) + 1
        self._create(number, self._building)
        return number

    def check(self, generation: int) -> None:
        """Raise unless a generation is the one that is being built."""
        if self.generations().building != self.index(generation):
            raise NotRebuilt("Another rebuild of the index has begun: this one ends here")

    def finish(self, generation: int) -> None:
        """Let the alias point at a new index and drop all others, at once."""
        self.check(generation)
        index = self.index(generation)
        self._wire.send("POST", f"/{index}/_refresh")
        past = [one for one in self.generations().all if one != index]
        actions: list[Any] = [{"remove_index": {"index": one}} for one in past]
        actions.append({"remove": {"index": index, "alias": self._building}})
        actions.append({"add": {"index": index, "alias": self.alias}})
        self._wire.send("POST", "/_aliases", {"actions": actions})

    def _found(self) -> dict[str, list[str]]:
        """Give the indexes by name, each with its aliases."""
        found = self._wire.send("GET", f"/{self._name}-g*")
        # Of "notes" a star also finds what is of "notes-good".
        mine = re.compile(rf"{re.escape(self._name)}-g\d+")
        return {
            name: list(found[name]["aliases"]) for name in sorted(found) if mine.fullmatch(name)
        }

    def _create(self, generation: int, alias: str) -> None:
        body = index_body(self._layout, self._settings, alias)
        try:
            self._wire.send("PUT", f"/{self.index(generation)}", body)
        except SearchRefused as error:
            if error.kind != "resource_already_exists_exception" or generation != 1:
                raise


def _is_building(alias: str) -> bool:
    return alias.endswith("-building")


def _number(index: str) -> int:
    return int(index.rpartition("-g")[2])
