"""The surveying app, and who uses it: two of one company, one of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.service import Settings
from apps.surveys.service import make
from tests.apps.conftest import Place

Login = Callable[..., TestClient]


@pytest.fixture
def settings(development: Settings, tmp_path: Path, place: Place) -> Settings:
    return replace(development, **place, objects=str(tmp_path / "objects"))


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    made = make(settings)
    with made.state.service.store:
        yield made


@pytest.fixture
def login(app: FastAPI, settings: Settings) -> Iterator[Login]:
    assert settings.issuer is not None
    issuer = settings.issuer

    def made(user: str, tenant: str, *groups: str) -> TestClient:
        claims: dict[str, Any] = {"custom:tenant_id": tenant, "cognito:groups": groups}
        token = issuer.token(user, **claims)
        return TestClient(app, headers={"Authorization": f"Bearer {token}"})

    with TestClient(app):
        yield made


@pytest.fixture
def ann(login: Login) -> TestClient:
    return login("ann", "acme", "admins")


@pytest.fixture
def eve(login: Login) -> TestClient:
    """Somebody of another company, who may do everything there."""
    return login("eve", "rival", "admins")
