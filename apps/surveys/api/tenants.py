"""The company, and all that it has."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from apps.service import After, Limit, Listing, Problem
from apps.surveys.design import Tenant
from apps.surveys.shapes import TenantName

from .here import READS, WRITES, Here, Own

router = APIRouter(tags=["company"])


@router.get("/company", responses=READS)
def read(here: Here, store: Own) -> Tenant:
    """Give the caller's company."""
    return store.tenant(here.tenant_id).one()


@router.put("/company", responses=WRITES)
def write(body: TenantName, here: Here, store: Own) -> Tenant:
    """Name the company; for its administrators."""
    if not here.is_admin:
        raise Problem(403, "Only administrators may do this")
    return store.upsert(Tenant(tenant_id=here.tenant_id, name=body.name))


@router.get("/export", responses=READS)
def export(here: Here, store: Own, after: After = None, limit: Limit = 100) -> Listing[Any]:
    """Give everything that the company has, of every kind."""
    page = store.everything(here.tenant_id).limit(limit).page(after)
    shown = [{"type": one.__schema__.type, **one.model_dump(mode="json")} for one in page]
    return Listing(items=shown, next=page.next)
