"""A service as an ASGI application: under uvicorn, in Lambda, or called by a test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field

from singletable import Store

from .limits import BodyLimit, Rates
from .problems import Problem, ProblemDetails, add_problems, documented
from .settings import Settings
from .tokens import LocalIssuer, Tokens
from .working import following


@dataclass(frozen=True, slots=True)
class Service:
    """What routes work with: ``request.app.state.service``."""

    settings: Settings
    store: Any
    tokens: Tokens
    rates: Rates


def make_app(
    title: str,
    store: type[Store],
    settings: Settings,
    *routers: APIRouter,
    description: str | None = "",
    observers: tuple[Any, ...] = (),
    objects: Any = None,
    larger: Mapping[str, int] | None = None,
) -> FastAPI:
    """Make a service of routes and a store; ``follow`` adds what happens after a write.

    ``larger`` are paths that take larger bodies than the settings say, with how large.
    """
    connected = store.connect(
        settings.address,
        create=settings.is_development or None,
        table_name=settings.table_name,
        objects=settings.objects if objects is None else objects,
        cursor_secret=settings.secret,
        observers=observers,
    )
    service = Service(settings, connected, settings.tokens, Rates(settings.rate_per_s))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with following(app):
            yield
        connected.close()

    app = FastAPI(title=title, description=description or "", version="1", lifespan=lifespan)
    app.state.service = service
    app.add_middleware(BodyLimit, max_bytes=settings.body_max, larger=larger or {})
    add_problems(app)
    for router in (health, *routers):
        app.include_router(router)
    if settings.issuer is not None:
        app.include_router(_development(settings.issuer))
    app.openapi = lambda: _documented(app)  # type: ignore[method-assign] # FastAPI's way to extend
    return app


health = APIRouter(prefix="/health", tags=["health"])


class Health(BaseModel):
    """All is well."""

    status: str = "ok"


@health.get("/live")
def live() -> Health:
    """Tell that the process answers."""
    return Health()


@health.get("/ready", responses=documented(503))
def ready(request: Request) -> Health:
    """Tell that the table can be reached."""
    store = request.app.state.service.store
    try:
        store.send("DescribeTable", {"TableName": store.table_name})
    except Exception as error:
        raise Problem(503, "The table cannot be reached") from error
    return Health()


class Wanted(BaseModel):
    """Says who a token is for, in development."""

    subject: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f#]+$")
    tenant_id: str | None = Field(None, max_length=100)
    email: str | None = Field(None, max_length=200)
    groups: list[str] = []


class Token(BaseModel):
    """A token."""

    token: str


def _development(issuer: LocalIssuer) -> APIRouter:
    """Give tokens to anybody, on a developer's machine."""
    router = APIRouter(prefix="/development", tags=["development"])

    @router.post("/token", responses=documented(400, 413, 422))
    def token(wanted: Wanted) -> Token:
        """Make a token for any user."""
        claims: dict[str, Any] = {"cognito:groups": wanted.groups}
        if wanted.tenant_id is not None:
            claims["custom:tenant_id"] = wanted.tenant_id
        if wanted.email is not None:
            claims |= {"email": wanted.email, "email_verified": True}
        return Token(token=issuer.token(wanted.subject, **claims))

    return router


def _documented(app: FastAPI) -> dict[str, Any]:
    """Describe the API, with the shape of refusals, which no route returns by its type."""
    if app.openapi_schema is None:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        schemas = app.openapi_schema.setdefault("components", {}).setdefault("schemas", {})
        schemas["ProblemDetails"] = ProblemDetails.model_json_schema()
        schemas.pop("HTTPValidationError", None)
        schemas.pop("ValidationError", None)
    return app.openapi_schema
