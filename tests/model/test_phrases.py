"""Descriptions as text: short, and much like the code that makes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest

from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.indexes import Index
from singletable.model.reads import between, get_many
from singletable.model.table import Table
from singletable.model.views import collect

table = Table("phrases", indexes=["GSI1", "GSI2"])


class Task(Entity, table=table, pk="LIST#{list_id}", sk="TASK#{task_id}"):
    """Has a key of two fields."""

    by_name = Index("GSI1", pk="NAME#{name}", sk="{task_id}")
    by_day = Index("GSI2", pk="DAY#{at:%Y-%m-%d}", sk="{task_id}")

    list_id: str
    task_id: str
    name: str = ""
    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)


class Hot(Entity, table=table, pk="HOT#{name}#{copy}", sk="HOT", copies=3):
    """There three times."""

    name: str


@dataclass
class Tasks:
    """Some tasks."""

    tasks: list[Task]


@dataclass
class Name:
    """A smaller shape."""

    name: str


DAY = date(2026, 3, 1)

SHOWN: dict[str, Any] = {
    "Task.query(list_id='l')": Task.query(list_id="l"),
    "Task.by_name.query(name='n').ge('a').descending().limit(3)": (
        Task.by_name.query(name="n").ge("a").newest_first().limit(3)
    ),
    "Task.query(list_id='l').filter(…).only(Name).strong()": (
        Task.query(list_id="l").filter(F("name") == "x").only(Name).strong()
    ),
    "Task.query(list_id='l').fetch(Hot)": Task.query(list_id="l").fetch(Hot, name="name"),
    "Task.by_day.query(at=datetime.date(2026, 3, 1))": Task.by_day.query(at=DAY),
    "Task.by_day.query(at=between(1, 2))": Task.by_day.query(at=between(1, 2)),
    "Task.scan().parallel(4).limit(10)": Task.scan().parallel(4).limit(10),
    "Task.get(list_id='l', task_id='t').strong()": Task.get(list_id="l", task_id="t").strong(),
    "Task.key(list_id='l', task_id='t')": Task.key(list_id="l", task_id="t"),
    "get_many([Hot.get(name='a'), Hot.get(name='b')]).snapshot()": (
        get_many(Hot.get(name=one) for one in "ab").snapshot()
    ),
    "get_many([Hot.get(name='a'), Hot.get(name='b'), Hot.get(name='c'), …])": (
        get_many(Hot.get(name=one) for one in "abcd")
    ),
    "collect(Tasks, list_id='l').descending().limit(3)": (
        collect(Tasks, list_id="l").newest_first().limit(3)
    ),
    "collect(Tasks, via='by_name', name='n')": collect(Tasks, via="by_name", name="n"),
}


@pytest.mark.parametrize("text", SHOWN)
def test_a_description_reads_as_the_code_that_makes_it(text: str) -> None:
    assert repr(SHOWN[text]) == text


def test_long_values_are_shown_in_part() -> None:
    assert len(repr(Task.query(list_id="l" * 1000))) < 100
