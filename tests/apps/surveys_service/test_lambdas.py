"""The same service in Lambda, and what it tells CloudWatch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from apps.service import Settings
from apps.surveys.service import make
from tests.apps.service.gateway import event, loaded

CLAIMS = {"custom:tenant_id": "acme"}


def test_a_request_of_the_gateway_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded("surveys", monkeypatch) as functions:
        token = functions.app.state.service.settings.issuer.token("ann", **CLAIMS)
        made = functions.api(event(token, "POST", "/surveys", {"title": "Mill Lane"}), object())
        listed = functions.api(event(token, "GET", "/surveys"), object())

    assert made["statusCode"] == 201
    assert [one["title"] for one in json.loads(listed["body"])["items"]] == ["Mill Lane"]


def test_in_production_each_request_of_the_table_is_metered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    development = Settings.of_development(use="id", objects=str(tmp_path))
    assert development.issuer is not None
    token = development.issuer.token("ann", **CLAIMS)
    app = make(replace(development, issuer=None))
    with TestClient(app, headers={"Authorization": f"Bearer {token}"}) as client:
        assert client.get("/surveys").status_code == 200
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [one["Pattern"] for one in told if one["Operation"] == "Query"] == ["surveys"]
    assert told[-1]["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Surveys"
