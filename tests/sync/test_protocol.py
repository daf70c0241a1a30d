"""What Replicache's client sends is understood, and refused in the words that it knows."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.sync import InvalidRequest
from tests.sync.design import ANN, Tab, TaskSync


@pytest.mark.parametrize("version", [0, 2])
def test_another_version_of_the_protocol_is_not_supported(tab: Tab, version: int) -> None:
    refused = {"error": "VersionNotSupported"}
    pushed = {**tab.pushed(tab.mutation("nothing")), "pushVersion": version}
    assert tab.sync.push(ANN, pushed) == {**refused, "versionType": "push"}
    pulled = {**tab.pulled(), "pullVersion": version}
    assert tab.sync.pull(ANN, pulled) == {**refused, "versionType": "pull"}


def test_another_schema_of_the_client_is_not_supported(sync: TaskSync, tab: Tab) -> None:
    class Current(TaskSync):
        schemas = frozenset({"7", "8"})

    tab.sync = Current(sync.store)
    refused = {"error": "VersionNotSupported", "versionType": "schema"}
    assert tab.sync.push(ANN, tab.pushed()) == refused
    assert tab.sync.pull(ANN, tab.pulled()) == refused
    assert "patch" in tab.sync.pull(ANN, {**tab.pulled(), "schemaVersion": "8"})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"clientGroupID": "a|b"}, "clientGroupID cannot be 'a|b'"),
        ({"clientGroupID": 7}, "clientGroupID cannot be 7"),
        ({"pushVersion": None}, "pushVersion cannot be None"),
        ({"mutations": [{"id": 0, "name": "x", "clientID": "c"}]}, "mutations.0.id cannot be 0"),
        ({"mutations": [{"id": 1, "name": "x"}]}, "mutations.0.clientID"),
        ({"mutations": None}, "mutations cannot be None"),
    ],
)
def test_a_body_that_is_none_says_what_is_wrong(
    tab: Tab, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidRequest, match="no request of Replicache") as caught:
        tab.sync.push(ANN, {**tab.pushed(), **change})
    assert told in str(caught.value)


@pytest.mark.parametrize("body", [None, [], "x", {}])
def test_no_body_at_all_is_invalid(tab: Tab, body: Any) -> None:
    with pytest.raises(InvalidRequest):
        tab.sync.pull(ANN, body)
