"""What a route works with: the caller's own data, and the parts of the service."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request

from apps.campaigns.design import Campaigns
from apps.service import Caller, documented
from apps.service.uploads import Uploads
from singletable.streams.search import SearchIndex

Id = Annotated[str, Path(min_length=1, max_length=100)]

READS = documented(400, 401, 404, 422, 429, 503)
WRITES = documented(400, 401, 403, 404, 409, 412, 413, 422, 428, 429, 503)


def _everyone(request: Request) -> Campaigns:
    store: Campaigns = request.app.state.service.store
    return store


def _own(request: Request, caller: Caller) -> Campaigns:
    """Confine the store to what is the caller's."""
    return _everyone(request).confined(user_id=caller.subject)


def _uploads(request: Request) -> Uploads:
    uploads: Uploads = request.app.state.uploads
    return uploads


def _library(request: Request) -> SearchIndex:
    library: SearchIndex = request.app.state.library
    return library


Everyone = Annotated[Campaigns, Depends(_everyone)]
Own = Annotated[Campaigns, Depends(_own)]
RecordingUploads = Annotated[Uploads, Depends(_uploads)]
Library = Annotated[SearchIndex, Depends(_library)]
