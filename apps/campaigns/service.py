"""A campaign manager: sessions, what was said in them, and what to remember."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fastapi import FastAPI

from apps.service import Service, Settings, follow, make_app
from apps.service.uploads import Uploads, open_objects
from singletable import Store
from singletable.streams.events import new_secret
from singletable.streams.search import Document, SearchIndex

from .api import ROUTERS
from .design import Campaigns, Session, Transcript

STORE = Campaigns
RECORDING_MAX = 500_000_000
WEBHOOK_MAX = 20_000_000

Transcribe = Callable[[str, str], None]
"""Starts a job with an id, for the recording at a key."""


def make(settings: Settings, transcribe: Transcribe = lambda _job, _key: None) -> FastAPI:
    """Make the application; ``transcribe`` starts transcriptions, and a webhook tells their end."""
    if settings.webhook_secret is None:
        settings = replace(settings, webhook_secret=new_secret())
    objects = open_objects(settings.objects)
    app = make_app(
        "Campaigns",
        Campaigns,
        settings,
        *ROUTERS,
        objects=objects,
        description=__doc__,
        larger={"/uploads/": RECORDING_MAX, "/webhooks/": WEBHOOK_MAX},
    )
    service: Service = app.state.service
    app.state.uploads = Uploads(objects, settings.secret)
    app.state.library = library_of(service.store, settings)
    app.state.transcribe = transcribe
    follow(app, app.state.library)
    return app


def library_of(store: Store, settings: Settings) -> SearchIndex:
    """Make the index of words: what a session is called, and all that was said in it."""
    return SearchIndex(
        settings.search,
        Document(Session, text={"name": 3, "description": 1}, scope="user_id"),
        Document(Transcript, text=["text"], scope="user_id"),
        cursor_secret=settings.secret,
        load=store.load,
    )
