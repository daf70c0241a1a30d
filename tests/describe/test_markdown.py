"""The Markdown is well-formed: every row of a table has the cells of its header."""

import re

import pytest

from singletable import Store
from singletable.describe import describe
from tests.describe.designs import Shop
from tests.describe.golden import APPS

STORES = [*APPS.values(), Shop]
BAR = re.compile(r"(?<!\\)\|")


def _tables(text: str) -> list[list[str]]:
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [block.splitlines() for block in blocks]


@pytest.mark.parametrize("store", STORES)
def test_every_row_has_as_many_cells_as_the_header(store: type[Store]) -> None:
    tables = _tables(describe(store))
    assert len(tables) > 3
    for header, rule, *rows in tables:
        assert re.fullmatch(r"\|(?: --- \|)+", rule)
        assert rows
        for line in (rule, *rows):
            assert len(BAR.findall(line)) == len(BAR.findall(header))


@pytest.mark.parametrize("store", STORES)
def test_a_table_stands_by_itself_between_empty_lines(store: type[Store]) -> None:
    text = describe(store)
    assert not re.search(r"^[^|\n].*\n\|", text, re.MULTILINE)
    assert not re.search(r"^\|.*\n[^|\n]", text, re.MULTILINE)


def test_what_markdown_would_read_as_its_own_is_escaped() -> None:
    text = describe(Shop)
    assert r"A shop; its doc has &lt;tags> &amp; a \| bar." in text
    assert r"A few \`things\` \| more." in text
    assert r"`ABOUT\|{number:02d}`" in text


def test_names_in_a_sentence_stay_readable() -> None:
    assert "author_name is copied from User.display_name" in describe(APPS["stories"])


def test_both_diagrams_are_in_the_page() -> None:
    assert describe(Shop).count("```mermaid\n") == 2
