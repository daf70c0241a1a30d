"""A story platform: chapters that anybody may continue, and readers who choose how it goes on."""

from __future__ import annotations

from fastapi import FastAPI

from apps.service import Settings, follow, make_app

from .after import consumers
from .api import ROUTERS
from .design import Stories

STORE = Stories


def make(settings: Settings) -> FastAPI:
    """Make the application."""
    app = make_app("Stories", Stories, settings, *ROUTERS, description=__doc__)
    follow(app, *consumers(app.state.service.store))
    return app
