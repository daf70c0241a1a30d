"""Every rule finds the fault that it is for, says it word for word, and is silent without it."""

from pathlib import Path

import pytest

from singletable.check.rule import all_rules
from tests.check.cases import FOLDER, cases, findings, text
from tests.check.golden import expect

BAD = list(cases("bad"))
GOOD = list(cases("good"))


def _name(case: Path) -> str:
    return f"{case.parent.name}-{case.stem}"


@pytest.mark.parametrize("case", BAD, ids=_name)
def test_a_fault_is_found(case: Path) -> None:
    found = [finding for finding in findings(case) if finding.code == case.parent.name]
    assert found
    expect(case.with_suffix(".txt"), text(found))


@pytest.mark.parametrize("case", GOOD, ids=_name)
def test_a_design_without_the_fault_is_left_alone(case: Path) -> None:
    found = findings(case)
    assert case.parent.name not in {finding.code for finding in found}
    assert not [finding for finding in found if finding.severity == "error"]


@pytest.mark.parametrize("code", all_rules())
def test_every_rule_has_a_design_with_its_fault_and_one_without(code: str) -> None:
    assert {"bad.py", "good.py"} <= {path.name for path in (FOLDER / code).iterdir()}


@pytest.mark.parametrize("code", all_rules())
def test_every_rule_says_what_happens_and_what_to_write(code: str) -> None:
    summary, *paragraphs = all_rules()[code].documentation.split("\n\n")
    assert summary.endswith(".")
    assert "\n" not in summary
    assert len(paragraphs) >= 2


def test_codes_and_names_are_each_given_once() -> None:
    rules = all_rules()
    assert len({rule.name for rule in rules.values()}) == len(rules)
    assert all(code == rule.code for code, rule in rules.items())
    assert len({code[0] for code in rules}) == len({rule.theme for rule in rules.values()})
