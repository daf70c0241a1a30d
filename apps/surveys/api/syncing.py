"""What waits to be synchronised, and the two routes of Replicache."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from pydantic import AwareDatetime

from apps.service import After, Idempotent, Limit, Listing
from apps.surveys.design import SyncItem, SyncStatus
from apps.surveys.shapes import Waiting
from singletable import Transaction

from .here import READS, WRITES, Here, Own

router = APIRouter(tags=["synchronising"])

ANSWER: dict[str, Any] = {"content": {"application/json": {"schema": {"type": "object"}}}}


@router.get("/sync/status/{status}", responses=READS)
def read_by_status(
    status: SyncStatus, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[Any]:
    """Give what waits to be synchronised, or failed to be, oldest first."""
    page = store.with_sync_status(here.tenant_id, status).limit(limit).page(after)
    return Listing(items=[one.model_dump(mode="json") for one in page], next=page.next)


@router.get("/changes", responses=READS)
def read_changes(
    since: AwareDatetime, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[Any]:
    """Give what was changed after a moment, oldest first."""
    page = store.changed_since(here.tenant_id, since).limit(limit).page(after)
    return Listing(items=[one.model_dump(mode="json") for one in page], next=page.next)


@router.get("/sync/queue", responses=READS)
def read_queue(
    here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[SyncItem]:
    """Give the queue of what is to be synchronised, oldest first; an entry stays for a day."""
    return Listing.of(store.sync_queue(here.tenant_id).limit(limit).page(after))


@router.post("/sync/queue", status_code=201, responses=WRITES)
def enqueue(body: Waiting, here: Here, store: Own, once: Idempotent) -> Waiting:
    """Put something into the queue."""

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(SyncItem(tenant_id=here.tenant_id, entity_id=body.entity_id))
        return {}

    once.write(store, work, tenant_id=here.tenant_id)
    return body


@router.post("/sync/push", responses={200: ANSWER, **WRITES})
def push(request: Request, here: Here, body: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
    """Make the edits that a Replicache client sends."""
    answer: dict[str, Any] = request.app.state.sync.push(here, body)
    return answer


@router.post("/sync/pull", responses={200: ANSWER, **WRITES})
def pull(request: Request, here: Here, body: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
    """Tell a Replicache client how what it sees has changed."""
    answer: dict[str, Any] = request.app.state.sync.pull(here, body)
    return answer
