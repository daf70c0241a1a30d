"""A campaign manager: sessions, what was said in them, and what to remember."""

from __future__ import annotations

from dataclasses import replace

from fastapi import FastAPI

from apps.service import Service, Settings, follow, make_app
from apps.service.uploads import Uploads, open_objects
from singletable import Store
from singletable.streams.events import Sink, new_secret
from singletable.streams.search import Document, OpenSearch, SearchIndex

from .after import transcriber_of, transcriptions
from .api import ROUTERS
from .design import Campaigns, Session, Transcript

STORE = Campaigns
RECORDING_MAX = 500_000_000
WEBHOOK_MAX = 20_000_000


def make(settings: Settings, transcriber: Sink | None = None) -> FastAPI:
    """Make the application; who transcribes is told by the settings, or given here."""
    settings.needs("objects", "search", "webhook_secret", "transcriber")
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
    follow(app, app.state.library)
    sink = transcriber or transcriber_of(settings)
    if sink is not None:
        follow(app, transcriptions(service.store, sink))
    return app


def library_of(store: Store, settings: Settings) -> SearchIndex:
    """Make the index of words: what a session is called, and all that was said in it."""
    where = settings.search or ":memory:"
    return SearchIndex(
        OpenSearch(where) if "://" in where else where,
        Document(Session, text={"name": 3, "description": 1}, scope="user_id"),
        Document(Transcript, text=["text"], scope="user_id"),
        cursor_secret=settings.secret,
        load=store.load,
    )
