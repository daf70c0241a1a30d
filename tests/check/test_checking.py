"""A check as a whole: which rules are asked, what is ignored, and how long it takes."""

from time import process_time
from typing import ClassVar

import pytest

from singletable import Entity, Get, Scan, Store, Table, pattern
from singletable.check import check
from singletable.cli._target import load
from singletable.cost.traffic import Traffic
from singletable.errors import UsageError
from tests.check.cases import FOLDER
from tests.check.designs import large_design

SECONDS_MAX = 1.0

table = Table("cars")


class Car(Entity, table=table, pk="CAR#{car_id}", sk="CAR"):
    """A car."""

    car_id: str
    version: int = 1


class Cars(Store, table=table):
    """A store with two faults."""

    @pattern()
    def car(self, car_id: str) -> Get[Car]:
        """A car."""
        return Car.get(car_id=car_id)

    @pattern()
    def cars(self) -> Scan[Car]:
        """All cars."""
        return Car.scan()


def _codes(store: type[Store], **options: list[str]) -> list[str]:
    return [finding.code for finding in check(store, **options).findings]  # type: ignore[arg-type] # by name


def test_every_rule_is_asked() -> None:
    assert _codes(Cars) == ["F502", "T304"]


def test_rules_are_selected_and_ignored_by_the_beginning_of_their_codes() -> None:
    assert _codes(Cars, select=["F5"]) == ["F502"]
    assert _codes(Cars, ignore=["F", "T304"]) == []
    assert _codes(Cars, select=["F", "T"], ignore=["F502"]) == ["T304"]


def test_a_code_that_no_rule_has_is_refused() -> None:
    with pytest.raises(UsageError, match="No rule's code begins with 'Z9'"):
        check(Cars, select=["Z9"])


def test_findings_are_sorted_from_the_worst_to_the_mildest() -> None:
    found = check(large_design(4, 2)).findings
    order = ["error", "warning", "note"]
    assert [one.severity for one in found] == sorted(
        (one.severity for one in found), key=order.index
    )


def test_what_is_ignored_is_kept_beside_the_findings_with_its_reason() -> None:
    class Judged(Cars):
        ignored: ClassVar = {
            "F502": {"cars": "the nightly export"},
            "T304": {"Car": " never edited "},
        }

    report = check(Judged)
    assert (report.findings, report.has_errors) == ((), False)
    ignored = {finding.code: reason for finding, reason in report.ignored}
    assert ignored == {"F502": "the nightly export", "T304": "never edited"}


def test_an_entry_for_a_rule_that_is_not_asked_is_no_fault() -> None:
    class Judged(Cars):
        ignored: ClassVar = {
            "F502": {"cars": "the nightly export"},
            "K203": {"Car": "no longer true"},
        }

    assert _codes(Judged, select=["F", "I"]) == []
    assert _codes(Judged, select=["K", "I"]) == ["I602"]


def test_a_misspelt_place_is_mended_unless_what_is_like_it_is_ignored_already() -> None:
    class Misspelt(Cars):
        ignored: ClassVar = {"F502": {"carss": "the nightly export"}}

    class Twice(Cars):
        ignored: ClassVar = {"F502": {"carss": "the nightly export", "cars": "the export"}}

    fixes = [check(store, select=["F", "I602"]).findings for store in (Misspelt, Twice)]
    assert [one.fix for found in fixes for one in found if one.code == "I602"] == [
        "name 'cars' if that is meant, or take it out",
        "take it out",
    ]


@pytest.mark.parametrize(
    "wrong", ["F502", ["F502"], {"F502": "all of it"}, {"F502": {"cars": None}}]
)
def test_what_is_no_reason_ignores_nothing(wrong: object) -> None:
    judged = type("Judged", (Cars,), {"ignored": wrong})
    unexplained, scan = check(judged, select=["F", "I"]).findings
    assert (unexplained.code, scan.code) == ("I601", "F502")
    assert 'ignored = {"F502": {' in unexplained.fix


def test_traffic_decides_what_is_hot() -> None:
    store = load(str(FOLDER / "H401" / "bad.py"))
    few = Traffic.of({"entities": {"Story": {"writes_per_s": 5, "bytes": 900}}})
    many = Traffic.of({"entities": {"Story": {"creates_per_s": 300, "bytes": 3000}}})
    assert not check(store, select=["H401"], traffic=few).findings
    [finding] = check(store, select=["H401"], traffic=many).findings
    assert "900 write units a second come to a partition" in finding.message
    assert finding.fix == "spread them: STORY_LIST#{story_id:shard 2}"  # as many as it needs


def test_traffic_says_how_large_items_are() -> None:
    large = Traffic.of({"entities": {"Car": {"bytes": 410_000}}})
    [finding] = check(Cars, select=["H408"], traffic=large).findings
    assert (finding.severity, finding.entity) == ("error", "Car")
    near = Traffic.of({"entities": {"Car": {"bytes": 300_000}}})
    assert [one.severity for one in check(Cars, select=["H408"], traffic=near).findings] == [
        "warning"
    ]


def test_a_large_design_is_checked_within_a_second() -> None:
    store = large_design(60, 200)
    started = process_time()
    report = check(store)
    assert process_time() - started < SECONDS_MAX
    assert len(store.patterns) == 200
    assert not [one for one in report.findings if one.code == "R101"]
