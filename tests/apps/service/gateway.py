"""Events of API Gateway, and services as Lambda loads them."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

HOST = "abc.execute-api.eu-west-1.amazonaws.com"


@contextmanager
def loaded(app: str, environment: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Load the functions of a service, configured by the environment."""
    environment.setenv("SERVICE_ENVIRONMENT", "development")
    modules = (f"apps.{app}.lambdas", f"apps.{app}.main")
    for name in modules:
        sys.modules.pop(name, None)
    try:
        with loop_of_lambda():
            functions = importlib.import_module(modules[0])
            with functions.app.state.service.store:
                yield functions
    finally:
        for name in modules:
            sys.modules.pop(name, None)


@contextmanager
def loop_of_lambda() -> Iterator[None]:
    """Give mangum the event loop that it would make, and never close."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def event(token: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
    """Make an event of an HTTP API of API Gateway, format 2.0."""
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "limit=5",
        "headers": {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "host": HOST,
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "abc",
            "domainName": HOST,
            "domainPrefix": "abc",
            "http": {**http, "userAgent": "curl/8"},
            "requestId": "r1",
            "routeKey": "$default",
            "stage": "$default",
            "time": "12/Mar/2026:19:03:58 +0000",
            "timeEpoch": 1773342238000,
        },
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }
