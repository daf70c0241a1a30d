"""Tables are aligned, escaped, and have their numbers to the right."""

import pytest
from rich.console import Console

from singletable.cost.grids import Grid, money, number, percent

GRID = Grid.of("Title", ("name", "units"), [("a|b", "1"), ("[c]", "1,024.5")])


def test_text_is_aligned() -> None:
    assert GRID.text() == "Title\n  name    units\n  a|b         1\n  [c]   1,024.5"


def test_markdown_escapes_what_would_cut_a_cell() -> None:
    assert GRID.markdown() == (
        "## Title\n\n| name | units |\n| --- | --: |\n| a\\|b | 1 |\n| [c] | 1,024.5 |"
    )


def test_rich_shows_brackets_as_they_are() -> None:
    console = Console(width=60)
    with console.capture() as shown:
        console.print(GRID.rich())
    assert "[c]" in shown.get()


def test_a_grid_may_be_empty() -> None:
    assert Grid.of("None", ("a", "b"), []).text() == "None\n  a  b"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0, "0"),
        (0.5, "0.5"),
        (0.0004, "0"),
        (1.25, "1.2"),
        (7.0, "7"),
        (1e6, "1,000,000"),
    ],
)
def test_numbers_are_short(value: float | None, text: str) -> None:
    assert number(value) == text


def test_money_and_percentages() -> None:
    assert money(1234.567) == "1,234.57"
    assert (percent(1, 2), percent(3, 2), percent(1, 0), percent(0, 0)) == (
        "-50%",
        "+50%",
        "new",
        "",
    )
