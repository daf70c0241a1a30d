"""Reports: a line to click on for people, all members for programs, SARIF for code hosts."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import new_class
from typing import Any, ClassVar

import pytest

from singletable import Entity, Get, Scan, Store, Table, pattern
from singletable.check import Report, check
from singletable.check.reports import FORMATS, as_json, as_sarif, as_text
from singletable.check.rule import all_rules

HERE = Path(__file__)
table = Table("cars")


class Car(Entity, table=table, pk="CAR#{car_id}", sk="CAR"):
    """A car."""

    car_id: str
    version: int = 1


class Cars(Store, table=table):
    """A store with two faults, of which one is ignored."""

    ignored: ClassVar = {"T304": {"Car": "cars never change"}}

    @pattern()
    def car(self, car_id: str) -> Get[Car]:
        """A car."""
        return Car.get(car_id=car_id)

    @pattern()
    def cars(self) -> Scan[Car]:
        """All cars."""
        return Car.scan()


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Iterator[Report]:
    monkeypatch.chdir(HERE.parent)
    from singletable.check import places

    places._source.cache_clear()
    yield check(Cars)
    places._source.cache_clear()


def _line(text: str) -> int:
    return HERE.read_text("utf-8").splitlines().index(text) + 1


def test_text_has_a_line_to_click_on_what_happens_and_what_to_write(report: Report) -> None:
    line = _line("    def cars(self) -> Scan[Car]:") - 1  # with its decorator
    assert as_text(report) == (
        f"test_formats.py:{line}: warning F502 scan\n"
        "    cars(), Car\n"
        "    cars() reads every item of the table, at every call\n"
        "    fix: query an index that holds just these items, or export the table\n"
        "\n"
        "Cars: 1 warning (1 ignored)"
    )


def test_text_says_that_nothing_was_found(report: Report) -> None:
    assert as_text(Report(Cars, ())) == "Cars: nothing found"


def test_json_has_all_members_and_what_is_ignored(report: Report) -> None:
    content = json.loads(as_json(report))
    [finding], [ignored] = content["findings"], content["ignored"]
    assert content["store"] == "Cars"
    assert (finding["code"], finding["pattern"], finding["entity"]) == ("F502", "cars", "Car")
    assert (finding["index"], finding["file"]) == (None, "test_formats.py")
    assert (ignored["code"], ignored["reason"]) == ("T304", "cars never change")
    place = _line('class Car(Entity, table=table, pk="CAR#{car_id}", sk="CAR"):')
    assert ignored["line"] == place


def _run(report: Report) -> dict[str, Any]:
    log = json.loads(as_sarif(report))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    return dict(run)


def test_sarif_names_every_rule_with_its_documentation(report: Report) -> None:
    rules = _run(report)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(all_rules())
    assert all(rule["shortDescription"]["text"] and rule["help"]["markdown"] for rule in rules)
    assert {rule["defaultConfiguration"]["level"] for rule in rules} <= {"error", "warning", "note"}


def test_sarif_says_where_each_result_is(report: Report) -> None:
    run = _run(report)
    result, suppressed = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "F502"
    assert result["level"] == "warning"
    [location] = result["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "test_formats.py"
    assert [one["fullyQualifiedName"] for one in location["logicalLocations"]] == ["cars", "Car"]
    assert suppressed["suppressions"] == [
        {"kind": "inSource", "justification": "cars never change"}
    ]


def test_what_has_no_source_is_named_by_its_store() -> None:
    """A design that was typed at a prompt has no file."""
    bare = new_class("Bare", (Store,), {"table": Table("things")})
    bare.__module__ = "__prompt__"
    report = check(bare)
    assert as_text(report).startswith("Bare: error F501 no-patterns")
    [location] = _run(report)["results"][0]["locations"]
    assert location == {"logicalLocations": [{"fullyQualifiedName": "Bare", "kind": "type"}]}


def test_the_formats_are_these() -> None:
    assert list(FORMATS) == ["text", "json", "sarif"]
