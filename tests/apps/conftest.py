"""How services are set up, and where they keep their data: here, and in AWS's DynamoDB Local."""

from typing import NotRequired, TypedDict
from uuid import uuid4

import pytest

from apps.service import Settings

in_memory = pytest.mark.parametrize("place", ["memory"], indirect=True)
"""Marks a test that would show nothing else on another backend."""


class Place(TypedDict):
    """Where a table is."""

    address: str
    table_name: NotRequired[str]


@pytest.fixture(scope="session")
def development() -> Settings:
    """Give settings of development: to make the key of their issuer takes a while."""
    return Settings.of_development(use="id")


@pytest.fixture(params=["memory", "local"])
def place(request: pytest.FixtureRequest) -> Place:
    """Give the address of a table, and its name."""
    if request.param == "memory":
        return {"address": ":memory:"}
    return {"address": request.getfixturevalue("dynamodb_local"), "table_name": f"t{uuid4().hex}"}
