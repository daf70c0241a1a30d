"""The pages of the rules are made from their docstrings and cases, and are kept up to date."""

from pathlib import Path

import pytest

from singletable.check.rule import all_rules
from tests.check.cases import FOLDER, findings, text
from tests.check.golden import expect
from tools.reference.rules import index_page, rule_page

PAGES = Path(__file__).parents[2] / "docs/check"


@pytest.mark.parametrize("code", all_rules())
def test_every_rule_has_its_page(code: str) -> None:
    bad, good = FOLDER / code / "bad.py", FOLDER / code / "good.py"
    found = text([finding for finding in findings(bad) if finding.code == code])
    page = rule_page(all_rules()[code], bad.read_text("utf-8"), good.read_text("utf-8"), found)
    expect(PAGES / f"{code}.md", page)


def test_the_index_lists_every_rule() -> None:
    expect(PAGES / "README.md", index_page())


def test_there_is_no_page_without_a_rule() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == {"README", *all_rules()}
