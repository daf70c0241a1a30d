"""Upgrades: every step from the first schema on, a subclass's in place of its base's."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.model.table import Table
from singletable.model.upgrades import declared_upgrades, upgrade

table = Table("upgrades")


class Base(Entity, table=table, pk="X#{name}"):
    """Has a step for all that derive from it."""

    name: str

    @upgrade(1)
    def first(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        """Do nothing."""
        return values


class Three(Base, sk="THREE", schema=3):
    """Adds a step and replaces one."""

    @upgrade(1)
    def other(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        """Do something else."""
        return {**values, "name": "one"}

    @upgrade(2)
    def second(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        """Do more."""
        return {**values, "name": values["name"] + " two"}


def test_steps_are_found_and_run_in_order() -> None:
    assert sorted(declared_upgrades(Three, 3)) == [1, 2]
    assert Three.__schema__.items.read({"name": {"S": "x"}}) == Three(name="one two")
    second = {"name": {"S": "x"}, "SchemaVersion": {"N": "2"}}
    assert Three.__schema__.items.read(second) == Three(name="x two")
    newer = {"name": {"S": "x"}, "SchemaVersion": {"N": "9"}}
    assert Three.__schema__.items.read(newer) == Three(name="x")


def test_a_missing_step_is_refused() -> None:
    with pytest.raises(DesignError, match=r"Four has schema=4, but no @upgrade for \[2, 3\]"):

        class Four(Base, sk="FOUR", schema=4):
            """Lacks two steps."""


def test_a_schema_without_steps_needs_none() -> None:
    class Five(Entity, table=table, pk="FIVE", sk="FIVE", schema=5):
        """Was only counted up."""

        size: int = 0

    item = Five.__schema__.items.write(Five().__dict__)
    assert item["SchemaVersion"] == {"N": "5"}
    assert Five.__schema__.items.read({}) == Five()
