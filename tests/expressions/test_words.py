"""Words that may not stand where they do."""

from __future__ import annotations

import pytest

from tests.expressions.cases import CONDITION, PROJECTION, UPDATE, refusal, request


def said(text: str, parameter: str = CONDITION) -> str:
    message = refusal(request(text, parameter), parameter)
    assert message.startswith(f"Invalid {parameter}: ")
    return message.removeprefix(f"Invalid {parameter}: ")


RESERVED = "Attribute name is a reserved keyword; reserved keyword: "
UNKNOWN = "Invalid function name; function: "
MISUSED = "The function is not allowed to be used this way in an expression; function: "
NOT_IN_CONDITION = "The function is not allowed in a condition expression; function: "
NOT_IN_UPDATE = "The function is not allowed in an update expression; function: "


@pytest.mark.parametrize("word", ["status", "Status", "STATUS", "name", "zone", "abort"])
def test_a_reserved_word_needs_an_alias_whatever_its_case(word: str) -> None:
    assert said(f"{word} = :s") == RESERVED + word
    assert said(f"a, b.{word}", PROJECTION) == RESERVED + word
    assert said(f"SET a = {word}", UPDATE) == RESERVED + word


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo(a)", UNKNOWN + "foo"),
        ("Attribute_Exists(a)", UNKNOWN + "Attribute_Exists"),
        ("size(a)", MISUSED + "size"),
        ("NOT size(a)", MISUSED + "size"),
        ("attribute_exists(a) = :s", MISUSED + "attribute_exists"),
        ("(attribute_exists(a)) = :s", MISUSED + "attribute_exists"),
        ("a = attribute_exists(b)", MISUSED + "attribute_exists"),
        ("attribute_exists(attribute_exists(a))", MISUSED + "attribute_exists"),
        ("contains(a, contains(a, b))", MISUSED + "contains"),
        ("if_not_exists(a, b) = :s", NOT_IN_CONDITION + "if_not_exists"),
        ("list_append(a, b) = :s", NOT_IN_CONDITION + "list_append"),
        (
            "a[2147483648] = :s",
            "List index is not within the allowable range; index: [2147483648]",
        ),
    ],
)
def test_a_condition_has_its_own_functions(text: str, message: str) -> None:
    assert said(text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET a = foo(b)", UNKNOWN + "foo"),
        ("SET a = size(b)", NOT_IN_UPDATE + "size"),
        ("SET a = attribute_exists(b)", NOT_IN_UPDATE + "attribute_exists"),
        ("SET a = list_append(:l, list_append(a, :l))", MISUSED + "list_append"),
        ("SET a = if_not_exists(a, list_append(a, :l))", MISUSED + "list_append"),
        ("SET a = list_append(a, :l) + :n", MISUSED + "list_append"),
    ],
)
def test_an_update_has_its_own_functions(text: str, message: str) -> None:
    assert said(text, UPDATE) == message


@pytest.mark.parametrize("section", ["SET a = :s", "REMOVE a", "ADD a :n", "DELETE a :ss"])
def test_a_section_comes_once(section: str) -> None:
    word = section.split(maxsplit=1)[0]
    twice = f'The "{word}" section can only be used once in an update expression;'
    assert said(f"{section} {section.replace(' a', ' b', 1)}", UPDATE) == twice


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("status = :s AND foo(b)", RESERVED + "status"),
        ("foo(b) AND status = :s", UNKNOWN + "foo"),
        ("foo(status)", UNKNOWN + "foo"),
        ("size(foo(a))", MISUSED + "size"),
        ("size(foo(a)) = :n", UNKNOWN + "foo"),
        ("#u = :u AND status = :s", RESERVED + "status"),
        ("attribute_exists(a, b) AND status = :s", RESERVED + "status"),
    ],
)
def test_words_are_checked_from_left_to_right_and_before_operands(text: str, message: str) -> None:
    assert said(text) == message


def test_a_repeated_section_is_noticed_after_its_words_and_before_its_operands() -> None:
    assert said("SET a = :s SET status = :s", UPDATE) == RESERVED + "status"
    assert said("SET a = :u SET b = :s", UPDATE).startswith('The "SET" section')
