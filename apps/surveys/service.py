"""A surveying app: what surveyors saw on site, shared by the devices of their company."""

from __future__ import annotations

import sys
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from apps.service import Settings, make_app
from apps.service.problems import answer
from apps.service.uploads import Uploads, open_objects
from singletable import EmfWriter
from singletable.sync import ForeignGroup, InvalidRequest, Outrun, ViewTooLarge

from .api import ROUTERS
from .design import Surveys
from .syncing import DeviceSync

STORE = Surveys
IMAGE_MAX = 50_000_000
REFUSALS: Final[dict[type[Exception], int]] = {
    InvalidRequest: 400,
    ForeignGroup: 403,
    ViewTooLarge: 413,
    Outrun: 503,
}


def make(settings: Settings) -> FastAPI:
    """Make the application; in production every request's capacity is written for CloudWatch."""
    settings.needs("objects")
    objects = open_objects(settings.objects)
    app = make_app(
        "Surveys",
        Surveys,
        settings,
        *ROUTERS,
        objects=objects,
        description=__doc__,
        larger={"/uploads/": IMAGE_MAX},
        observers=() if settings.is_development else (EmfWriter("Surveys", sys.stdout),),
    )
    app.state.uploads = Uploads(objects, settings.secret)
    app.state.sync = DeviceSync(app.state.service.store, create=settings.is_development or None)
    for kind in REFUSALS:
        app.add_exception_handler(kind, _refused)
    return app


def _refused(_: Request, error: Exception) -> JSONResponse:
    """Answer what Replicache's client is refused; it tries again by itself, later."""
    return answer(REFUSALS[type(error)], str(error))
