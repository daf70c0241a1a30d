"""Which keys of a design a condition of IAM lets through."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.deploy.leading import (
    ANYTHING,
    Field,
    Piece,
    Pieces,
    Variable,
    joined,
    leaks,
    rendered,
)

ME = Variable("user_id")
OWNERS = {"user_id": {"user_id", "author_id"}}


def _key(text: str) -> Pieces:
    """Read a key with fields in braces, ``@`` for the user and ``*`` for anything."""
    pieces: list[Piece] = []
    for part in text.replace("{", "\0{").replace("}", "\0").replace("@", "\0@\0").split("\0"):
        for number, piece in enumerate(part.split("*")):
            pieces += [ANYTHING] if number else []
            if piece.startswith("{"):
                pieces.append(Field(piece[1:]))
            elif piece:
                pieces.append(ME if piece == "@" else piece)
    return tuple(pieces)


@pytest.mark.parametrize(
    ("wanted", "made", "leak"),
    [
        ("USER#@", "USER#{user_id}", False),
        ("USER#@", "USER#{author_id}", False),
        ("USER#@", "USER#{other_id}", True),
        ("USER#@", "{kind}#{id}", True),
        ("USER#@", "USER#ALL", True),
        ("USER#@", "USERS#{other_id}", False),
        ("USER#@", "USER#{user_id}#x", False),
        ("USER#@#C#*", "USER#{user_id}#C#{c}", False),
        ("USER#@#C#*", "USER#{user_id}#C#{c}#D#{d}", False),
        ("USER#@#C#*", "USER#{user_id}#D#{d}", False),
        ("USER#@#C#*", "USER#{other}#C#{c}", True),
        ("USER#@#C#*", "USER#{other}#D#{c}", False),
        ("USER#@#C#*", "USER#{other}#{kind}#{c}", True),
        ("C#*#USER#@", "C#{c}#USER#{user_id}", False),
        ("C#*#USER#@", "C#{c}#TENANT#{t}#USER#{user_id}", False),
        ("C#*#USER#@", "C#{c}#TENANT#{t}#USER#{owner}", True),
        ("C#*#USER#@", "C#{c}#USER#{owner}#USER#{user_id}", False),
        ("C#*#USER#@", "C#{c}#USER#{user_id}#USER#{owner}", True),
        ("U-@", "U-{user_id}", False),
        ("U-@", "U-{other}", True),
        ("U-@", "V-{other}", False),
        ("U-@", "{other}-{user_id}", True),
        ("@", "{user_id}", False),
        ("@", "{other}", True),
    ],
)
def test_a_leak_is_a_key_that_matches_and_may_be_anothers(
    wanted: str, made: str, leak: bool
) -> None:
    assert leaks(_key(wanted), _key(made), OWNERS, "#") is leak


LITERALS = ("A", "B")
FIELDS = ("user_id", "x", "y")
VALUES = ("me", "you", "A", "AB")


@st.composite
def _templates(draw: st.DrawFn) -> Pieces:
    """Draw a key of a design: segments of a literal, a field, or one behind the other."""
    segment = st.tuples(st.sampled_from(["", *LITERALS]), st.sampled_from([None, *FIELDS])).filter(
        any
    )
    pieces: list[Piece] = []
    for literal, name in draw(st.lists(segment, min_size=1, max_size=4)):
        pieces.append(("#" if pieces else "") + literal)
        pieces += [Field(name)] if name else []
    return joined(piece for piece in pieces if piece != "")


def _built(pieces: Pieces, values: dict[str, str]) -> str:
    return "".join(values[one.name] if isinstance(one, Field) else str(one) for one in pieces)


@given(_templates(), _templates(), st.sets(st.sampled_from(["x", "y"])))
def test_no_key_of_another_matches_what_does_not_leak(
    asked: Pieces, made: Pieces, constant: set[str]
) -> None:
    """Tried with all values that a key of the design could be made of."""
    sources: dict[str, Piece] = {"user_id": ME, **dict.fromkeys(constant, "A")}
    wanted = joined(
        sources.get(one.name, ANYTHING) if isinstance(one, Field) else one for one in asked
    )
    text = rendered(wanted, {"user_id": "me"}, like=True)
    condition = re.compile(re.escape(text).replace(r"\*", ".*"))
    for values in product(VALUES, repeat=len(FIELDS)):
        filled = dict(zip(FIELDS, values, strict=True))
        mine = Field("user_id") in made and filled["user_id"] == "me"
        if ME in wanted and not mine and condition.fullmatch(_built(made, filled)):
            assert leaks(wanted, made, {"user_id": {"user_id"}}, "#")


def test_what_iam_reads_otherwise_is_escaped() -> None:
    pieces = ("a*$?", ME, ANYTHING)
    assert rendered(pieces, {"user_id": "${x}"}, like=True) == "a${*}${$}${?}${x}*"
    assert rendered(pieces[:2], {"user_id": "${x}"}, like=False) == "a*${$}?${x}"
