"""Phrases for reports, and what they fit."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Response

from apps.service import After, Idempotent, Limit, Listing, tagged
from apps.surveys.design import Phrase, PhraseUse
from apps.surveys.shapes import NewPhrase
from singletable import Transaction

from .here import READS, WRITES, Here, Id, Own

router = APIRouter(tags=["phrases"])

Kind = Literal["Defect", "Condition"]


@router.get("/phrases/{kind}", responses=READS)
def read(
    kind: Kind, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[Phrase]:
    """Give the phrases on defects, or those on conditions."""
    return Listing.of(store.phrases(here.tenant_id, kind).limit(limit).page(after))


@router.post("/phrases", status_code=201, responses=WRITES)
def add(body: NewPhrase, here: Here, store: Own, once: Idempotent, response: Response) -> Phrase:
    """Add a phrase."""
    new = Phrase(tenant_id=here.tenant_id, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(new)
        return {"phrase_id": new.phrase_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = Phrase.get(tenant_id=here.tenant_id, kind=body.kind, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.put("/phrases/{kind}/{phrase_id}/fits/{target_id}", responses=WRITES)
def fit(kind: Kind, phrase_id: Id, target_id: Id, here: Here, store: Own) -> PhraseUse:
    """Say that a phrase fits an element or a component."""
    read = Phrase.get(tenant_id=here.tenant_id, kind=kind, phrase_id=phrase_id)
    phrase = store.bind(read.strong()).one()
    return store.upsert(
        PhraseUse(
            tenant_id=here.tenant_id,
            target_id=target_id,
            phrase_id=phrase_id,
            name=phrase.name,
        )
    )


@router.get("/targets/{target_id}/phrases", responses=READS)
def read_fitting(
    target_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[PhraseUse]:
    """Give the phrases that fit an element or a component."""
    return Listing.of(store.phrases_for(here.tenant_id, target_id).limit(limit).page(after))


@router.get("/phrases/{phrase_id}/fits", responses=READS)
def read_targets(
    phrase_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[PhraseUse]:
    """Give the elements and components that a phrase fits."""
    return Listing.of(store.uses_of_phrase(here.tenant_id, phrase_id).limit(limit).page(after))
