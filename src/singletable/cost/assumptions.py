"""What an estimate assumes where nothing is known; it is printed with every estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What stands for what neither the design nor the traffic says."""

    text_bytes: int = 32
    """The length of a text."""
    elements: int = 3
    """The length of a list, set or map."""
    content_bytes: int = 10_000
    """The length of the content of a large attribute."""
    items: int = 10
    """How many items a read finds of an entity that there may be many of."""
    utilisation: float = 0.7
    """Which share of provisioned capacity is in use."""

    def lines(self, *, are_sizes_known: bool) -> Iterator[str]:
        """Say it in sentences; of sizes only where some are not known."""
        if are_sizes_known:
            yield "An item is in every index, and in every count, that it can be in."
        else:
            yield (
                f"A text has {self.text_bytes} bytes, a list {self.elements} elements, and every "
                "optional field has a value; an entity's bytes in the traffic file say otherwise."
            )
        yield (
            f"A read finds a page of items, or {self.items} of an entity that there may be many "
            "of; a pattern's items in the traffic file say otherwise."
        )
