"""Words, in the names of sessions and in all that was said."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from apps.campaigns.design import Session
from apps.campaigns.shapes import Found
from apps.service import After, Caller, Limit, Listing

from .here import READS, Library

router = APIRouter(tags=["search"])

Words = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("/search", responses=READS)
def search(
    words: Words, caller: Caller, library: Library, after: After = None, limit: Limit = 20
) -> Listing[Found]:
    """Find the caller's sessions by words in their names, descriptions and transcripts."""
    page = library.search(words, scope={"user_id": caller.subject}, limit=limit, after=after)
    found = [
        Found(
            campaign_id=hit.key.fields["campaign_id"],
            session_id=hit.key.fields["session_id"],
            kind="session" if hit.entity is Session else "transcript",
            highlights=hit.highlights,
        )
        for hit in page
    ]
    return Listing(items=found, next=page.next)
