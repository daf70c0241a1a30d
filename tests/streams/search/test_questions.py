"""How the text of a user is read."""

import pytest

from singletable.streams.search.keeping import is_newer
from singletable.streams.search.questions import TERMS_MAX, Term, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("the dragon", [Term("the"), Term("dragon")]),
        ("drag*", [Term("drag", prefix=True)]),
        ("*drag", [Term("drag")]),
        ('"the dragon" ale', [Term("the dragon"), Term("ale")]),
        ('"the dra"* ale', [Term("the dra", prefix=True), Term("ale")]),
        ('"unbalanced dragon', [Term("unbalanced dragon")]),
        ('ale"dragon"', [Term("ale"), Term("dragon")]),
        ("don't", [Term("don't")]),
        ("a\0b\tc", [Term("a"), Term("b"), Term("c")]),
        ("dragon dragon DRAGON", [Term("dragon"), Term("DRAGON")]),
        ("🎲 - ?! ''", []),
        ("\ud800dragon", [Term("dragon")]),
    ],
)
def test_words_phrases_and_beginnings(text: str, terms: list[Term]) -> None:
    assert terms_of(text) == tuple(terms)


def test_so_many_words_count_and_no_more() -> None:
    assert len(terms_of(" ".join(map(str, range(1000))))) == TERMS_MAX


@pytest.mark.parametrize(
    ("mine", "theirs", "newer"),
    [
        ("/05", None, True),
        ("/05", "", True),
        ("/05", "/04", True),
        ("/05", "/05", False),
        ("/04", "/05", False),
        ("2026/04", "2026/05", False),
        ("2027/04", "2026/05", True),
        ("2025/06", "2026/05", False),
        ("/06", "2026/05", True),
        ("2026/04", "/05", False),
    ],
)
def test_a_change_is_newer_by_its_stream_and_its_position(
    mine: str, theirs: str | None, newer: bool
) -> None:
    assert is_newer(mine, theirs) is newer
