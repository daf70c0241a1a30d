"""The campaign manager, and two who use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.campaigns.service import make
from apps.service import Settings
from tests.apps.conftest import Place

ANN: dict[str, Any] = {"email": "ann@example.com", "email_verified": True}


@pytest.fixture
def settings(development: Settings, tmp_path: Path, place: Place) -> Settings:
    return replace(development, **place, objects=str(tmp_path / "objects"))


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    made = make(settings)
    with made.state.service.store:
        yield made


@pytest.fixture
def ann(app: FastAPI, settings: Settings) -> Iterator[TestClient]:
    assert settings.issuer is not None
    headers = {"Authorization": f"Bearer {settings.issuer.token('ann', **ANN)}"}
    with TestClient(app, headers=headers) as client:
        yield client


@pytest.fixture
def bob(app: FastAPI, settings: Settings, ann: TestClient) -> TestClient:
    assert settings.issuer is not None
    token = settings.issuer.token("bob", email="bob@example.com", email_verified=True)
    return TestClient(app, headers={"Authorization": f"Bearer {token}"})
