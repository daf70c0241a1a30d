"""Where services keep their data: in this process, and in AWS's DynamoDB Local."""

from typing import NotRequired, TypedDict
from uuid import uuid4

import pytest


class Place(TypedDict):
    """Is where a table is."""

    address: str
    table_name: NotRequired[str]


@pytest.fixture(params=["memory", "local"])
def place(request: pytest.FixtureRequest) -> Place:
    """Give the address of a table, and its name."""
    if request.param == "memory":
        return {"address": ":memory:"}
    return {"address": request.getfixturevalue("dynamodb_local"), "table_name": f"t{uuid4().hex}"}
