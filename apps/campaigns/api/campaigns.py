"""Campaigns."""

from __future__ import annotations

from fastapi import APIRouter, Response

from apps.campaigns.design import Campaign
from apps.campaigns.shapes import CampaignChanges, NewCampaign
from apps.service import After, Caller, Idempotent, IfMatch, Limit, Listing, Problem, change, tagged
from singletable import Transaction

from .here import READS, WRITES, Id, Own

router = APIRouter(prefix="/campaigns", tags=["campaigns"])


@router.get("", responses=READS)
def read_all(
    caller: Caller, store: Own, after: After = None, limit: Limit = 50
) -> Listing[Campaign]:
    """Give the caller's campaigns, newest first."""
    return Listing.of(store.campaigns(caller.subject).limit(limit).page(after))


@router.post("", status_code=201, responses=WRITES)
def begin(
    body: NewCampaign, caller: Caller, store: Own, once: Idempotent, response: Response
) -> Campaign:
    """Begin a campaign."""
    new = Campaign(user_id=caller.subject, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(new)
        return {"campaign_id": new.campaign_id}

    ids = once.write(store, work, user_id=caller.subject)
    return tagged(response, store.campaign(caller.subject, **ids).one())


@router.get("/{campaign_id}", responses=READS)
def read(campaign_id: Id, caller: Caller, store: Own, response: Response) -> Campaign:
    """Give a campaign, with its version as the ETag."""
    return tagged(response, store.campaign(caller.subject, campaign_id).one())


@router.patch("/{campaign_id}", responses=WRITES)
def edit(
    campaign_id: Id, body: CampaignChanges, caller: Caller, store: Own, version: IfMatch,
    response: Response,
) -> Campaign:  # fmt: skip
    """Change a campaign that nobody has changed since."""
    read = store.campaign(caller.subject, campaign_id).one()
    return change(store, read, version, body, response)


@router.delete("/{campaign_id}", status_code=204, responses=WRITES)
def end(campaign_id: Id, caller: Caller, store: Own) -> None:
    """Delete a campaign that has no sessions any more."""
    campaign = store.campaign(caller.subject, campaign_id).one()
    if campaign.session_count:
        raise Problem(409, "The campaign has sessions: delete them first")
    store.delete(campaign)
