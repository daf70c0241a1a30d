"""What a search gives: which items, how well they fit, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Generic, TypeVar, cast

from singletable.model.entity import Entity
from singletable.model.reads import Key

from .documents import MARKS

E_co = TypeVar("E_co", bound=Entity, covariant=True)


@dataclass(frozen=True, slots=True)
class Hit(Generic[E_co]):
    """An item that was found; the better it fits, the higher its score in this search."""

    key: Key[E_co]
    score: float
    highlights: Mapping[str, str]
    """By field, the parts that were found, as HTML: what was found is in ``<mark>``, and whatever
    a user wrote is escaped."""
    realm: str = field(repr=False)
    """Whose it was when it was indexed."""

    @property
    def entity(self) -> type[E_co]:
        """Give the class of the item."""
        return cast("type[E_co]", self.key.schema.entity)


def as_html(marked: str) -> str:
    """Give a text with marks as HTML."""
    start, end = MARKS
    return escape(marked).replace(start, "<mark>").replace(end, "</mark>")
