"""A list as it is answered: its items, and the cursor of what comes after them."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel

from singletable import Page

T = TypeVar("T")

LIMIT_MAX = 100

After = Annotated[str | None, Query(description="`next` of the page before.", max_length=4096)]
Limit = Annotated[int, Query(ge=1, le=LIMIT_MAX, description="How many items at most.")]


class Listing(BaseModel, Generic[T]):
    """A page of a list."""

    items: list[T]
    next: str | None = None

    @classmethod
    def of(cls, page: Page[T]) -> Listing[T]:
        """Make the answer of a page; what could not be read of it is not for clients."""
        return cls(items=page.items, next=page.next)
