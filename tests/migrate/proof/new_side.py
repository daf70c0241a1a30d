"""The application when it has moved: it writes to the new side alone, until the way back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

from apps.campaigns.design import Campaign, Campaigns, Session, Summary, Transcript, User
from singletable import Large, NotFound, VersionConflict
from singletable.migrate import Cutover, Job, follow

from .sql import CAMPAIGNS, Size

Ids = dict[str, Any]

KINDS = ("session", "campaign", "user", "edit", "delete")
REFRESH_S = 0.2


def move(job: Job) -> None:
    """Take the application from the old side to the new one, phase by phase."""
    with Campaigns.connect(job.destination, objects=job.objects) as store:
        cutover = Cutover(store, job.migration, refresh_s=REFRESH_S)
        with cutover.paused(by="proof", max_s=20, settle_s=0) as pause:
            follow(job)
            pause.advance("dual", by="proof")
        for phase in ("shadow", "new-10", "new-50", "new-100"):
            cutover.advance(phase, by="proof")
        with cutover.paused(by="proof", max_s=20, settle_s=0) as pause:
            pause.advance("done", by="proof")


def writer(job: Job, size: Size, seed: int) -> Iterator[None]:
    """Change the table as the application does, while the new side is the right one."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    with Campaigns.connect(job.destination, objects=job.objects) as store:
        cutover = Cutover(store, job.migration, refresh_s=REFRESH_S)
        for number in count():
            if cutover.wait_to_write().writes_old:
                return
            with suppress(NotFound, VersionConflict):  # another writer was faster
                _change(store, size, chance, f"m{seed}-{number}")
            yield


def _change(store: Campaigns, size: Size, chance: random.Random, new: str) -> None:
    campaign = chance.randrange(size.users * CAMPAIGNS)
    ids: Ids = {"user_id": f"u{campaign // CAMPAIGNS}", "campaign_id": f"c{campaign}"}
    match chance.choice(KINDS) if not new.endswith("-0") else "user":
        case "session":
            _create(store, ids, new, new * chance.choice([1, 100, 2000]))
        case "campaign":
            store.update(Campaign.key(**ids), name=new)
        case "user":
            store.create(User(user_id=new, email=f"{new}@example.net", name="New"))
            store.create(Campaign(user_id=new, campaign_id=new, name="First"))
        case "edit":
            _edit(store, ids, new)
        case _:
            _delete(store, ids)


def _create(store: Campaigns, ids: Ids, new: str, text: str) -> None:
    ids = {**ids, "session_id": new}
    store.create(Session(**ids, name="New"))
    store.put(Transcript(**ids, text=Large(text)))
    store.put(Summary(**ids, audience="PLAYER", content="They went on"))


def _edit(store: Campaigns, ids: Ids, new: str) -> None:
    """Rename a session, and summarise it again."""
    session = store.sessions(**ids).first()
    if session is not None:
        renamed = store.update(session, name=new, status="COMPLETED")
        ids = {**ids, "session_id": renamed.session_id}
        store.put(Summary(**ids, audience="GM", content=new))


def _delete(store: Campaigns, ids: Ids) -> None:
    """Delete a session with all that belongs to it."""
    session = store.sessions(**ids).first()
    view = store.session(**ids, session_id=session.session_id).first() if session else None
    if view is not None:
        for one in (view.transcript, *view.summaries, view.session):
            if one is not None:
                store.delete(one)
