"""The three services in one process, with data to begin with: what ``singletable demo`` shows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from singletable import Store

from .service import Settings
from .touring import Step, take

NAMES: Final = ("campaigns", "stories", "surveys")
PAGE: Final = """<!doctype html><meta charset=utf-8><title>singletable</title>
<style>body{{font:16px/1.5 system-ui;max-width:44rem;margin:3rem auto;padding:0 1rem}}
code{{overflow-wrap:anywhere;font-size:.8rem}}</style>
<h1>Three services, one table each</h1>{services}"""
SERVICE: Final = """<h2><a href="{name}/docs">{name}</a></h2><p>{about}</p>
<p>Authorize there as <b>{user}</b> with this token:<br><code>{token}</code></p>"""


@dataclass(frozen=True, slots=True)
class App:
    """One of the services: its parts, found by their places."""

    name: str
    store: type[Store]
    make: Callable[[Settings], FastAPI]
    seed: Callable[[Any], int]
    tour: Callable[[Any], Iterator[Any]]
    user: str
    """Somebody of the data to begin with."""
    claims: dict[str, Any]
    about: str

    @classmethod
    def named(cls, name: str) -> App:
        """Find a service by its name."""
        here = f"{__package__}.{name}"
        tour, service = import_module(f"{here}.tour"), import_module(f"{here}.service")
        store: type[Store] = service.STORE
        return cls(
            name=name,
            store=store,
            make=service.make,
            seed=import_module(f"{here}.seeding").seed,
            tour=tour.tour,
            user=tour.USER,
            claims=tour.CLAIMS,
            about=(service.__doc__ or "").splitlines()[0],
        )

    def steps(self) -> Iterator[Step]:
        """Run every access pattern of the service, in memory."""
        return take(self.store, ":memory:", self.seed, self.tour)

    def served(self, folder: Path) -> FastAPI:
        """Make the service, with data to begin with, in a file."""
        file = folder / f"{self.name}.db"
        objects = folder / f"{self.name}-objects"
        with self.store.connect(str(file), objects=str(objects)) as store:
            self.seed(store)
        return self.make(Settings.of_development(str(file), use="id", objects=str(objects)))


def all_apps() -> list[App]:
    """Find the three services."""
    return [App.named(name) for name in NAMES]


def combined(folder: Path) -> Starlette:
    """Serve the three beside each other, and a page that leads to them."""
    apps = [(app, app.served(folder)) for app in all_apps()]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for _app, served in apps:  # what is mounted is not told that it begins
                await stack.enter_async_context(served.router.lifespan_context(served))
            yield

    def page(_: Request) -> HTMLResponse:
        return HTMLResponse(PAGE.format(services="".join(_entry(*one) for one in apps)))

    mounts = [Mount(f"/{app.name}", served) for app, served in apps]
    # A page from elsewhere that comes under another name finds no tokens here.
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    routes = [Route("/", page), *mounts]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[hosts])


def _entry(app: App, served: FastAPI) -> str:
    settings: Settings = served.state.service.settings
    assert settings.issuer is not None
    token = settings.issuer.token(app.user, **app.claims)
    return SERVICE.format(name=app.name, about=escape(app.about), user=app.user, token=token)
