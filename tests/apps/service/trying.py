"""Tries what a service's document promises: each route, with what fits and with what does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import booleans, one_of
from schemathesis.checks import (
    CheckFunction,
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.python.asgi import shutdown_lifespans

EXAMPLES = pytest.mark.parametrize("examples", [5, pytest.param(50, marks=pytest.mark.slow)])
"""How many requests each route is sent: to make them up takes longer than to answer them."""
CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def try_all(app: FastAPI, token: str, *, examples: int, known: Mapping[str, str]) -> int:
    """Send many requests to each route, half of them with known ids; count the routes."""
    try:
        return _tried(app, token, examples, known)
    finally:
        shutdown_lifespans()  # which would last as long as the process


def _tried(app: FastAPI, token: str, examples: int, known: Mapping[str, str]) -> int:
    document: Any = schemathesis.openapi.from_asgi("/openapi.json", app)
    routes = 0
    for found in document.get_all_operations():
        operation = found.ok()
        routes += 1

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=_cases(operation), is_known=booleans())
        def sent(case: Any, *, is_known: bool) -> None:
            if is_known:
                ids = case.path_parameters or {}
                case.path_parameters = {name: known.get(name, ids[name]) for name in ids}
            response = case.call(headers={"Authorization": f"Bearer {token}"})
            case.validate_response(response, checks=CHECKS)

        sent()
    return routes


def _cases(operation: Any) -> Any:
    """Make the requests of a route, those that fit its document and others."""
    modes = schemathesis.GenerationMode
    return one_of(
        operation.as_strategy(generation_mode=modes.POSITIVE),
        operation.as_strategy(generation_mode=modes.NEGATIVE),
    )
