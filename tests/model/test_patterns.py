"""Access patterns: methods that describe a read, bound to their store and known by their class."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.model.patterns import Pattern, pattern, patterns_of
from singletable.model.reads import Get, Query
from singletable.model.table import Table

table = Table("patterns")


class Task(Entity, table=table, pk="LIST#{list_id}", sk="TASK#{task_id}"):
    """Has a key of two fields."""

    list_id: str
    task_id: str


class Lists:
    """Stands for a store."""

    @pattern(page=20, rate_per_s=2.5)
    def tasks(self, list_id: str) -> Query[Task]:
        """The tasks of a list."""
        return Task.query(list_id=list_id)

    @pattern()
    def task(self, list_id: str, task_id: str) -> Get[Task]:
        """One task."""
        return Task.get(list_id=list_id, task_id=task_id)

    @pattern(page=20)
    def few(self, list_id: str) -> Query[Task]:
        """Some tasks."""
        return Task.query(list_id=list_id).limit(5)


class More(Lists):
    """Adds a pattern, and changes one."""

    @pattern()
    def task(self, list_id: str, task_id: str) -> Get[Task]:
        """One task, as it is now."""
        return Task.get(list_id=list_id, task_id=task_id).strong()

    @pattern()
    def wrong(self) -> Query[Task]:
        """Nothing."""
        return None  # type: ignore[return-value] # the point


def test_a_pattern_is_bound_named_and_has_its_page_size() -> None:
    store = Lists()
    query = store.tasks("l")
    assert query.runner is store  # type: ignore[comparison-overlap] # it only stands for one
    assert (query.pattern, query.page_size) == ("tasks", 20)
    assert query.known == {"list_id": "l"}
    assert store.few("l").page_max == 5
    assert store.task(list_id="l", task_id="t").pattern == "task"


def test_a_class_knows_its_patterns_in_order_and_those_of_its_bases() -> None:
    found = patterns_of(More)
    assert list(found) == ["tasks", "task", "few", "wrong"]
    assert found["task"].purpose == "One task, as it is now."
    tasks = found["tasks"]
    assert isinstance(tasks, Pattern)
    assert (tasks.page, tasks.rate_per_s, tasks.purpose) == (20, 2.5, "The tasks of a list.")


def test_a_pattern_that_describes_no_read_is_refused() -> None:
    with pytest.raises(DesignError, match="The access pattern wrong returns NoneType"):
        More().wrong()


def test_a_pattern_that_is_written_twice_is_refused() -> None:
    method = patterns_of(Lists)["task"].method
    task = pattern(method)
    with pytest.raises(DesignError, match="The access pattern task is written twice"):
        pattern()(method)
    assert task.__name__ == "task"


@pytest.mark.parametrize("given", [{"page": 0}, {"page": "20"}, {"page": True}, {"page": 2.5}])
def test_a_page_has_one_item_or_more(given: Any) -> None:
    with pytest.raises(
        DesignError, match=r"The access pattern task: page=.* is no number of items"
    ):
        pattern(**given)(patterns_of(Lists)["task"].method)


@pytest.mark.parametrize("rate", [-1, "1", True, float("inf"), float("nan")])
def test_a_rate_is_a_number(rate: Any) -> None:
    with pytest.raises(DesignError, match=r"rate_per_s=.* is no number of calls a second"):
        pattern(rate_per_s=rate)(patterns_of(Lists)["task"].method)
