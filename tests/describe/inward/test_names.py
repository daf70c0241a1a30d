"""Names of foreign models become names of Python."""

import pytest

from singletable.describe.inward.names import class_name, field_name, is_generic, snake


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("userId", "user_id"),
        ("USER_ID", "user_id"),
        ("User-Id", "user_id"),
        ("GSI1PK", "gsi1_pk"),
        ("order_05d", "order_05d"),
        ("APRDuration", "apr_duration"),
        ("line2", "line2"),
    ],
)
def test_words_are_told_apart(name: str, expected: str) -> None:
    assert snake(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("class", "class_"),
        ("copy", "copy_"),
        ("2nd", "field_2nd"),
        ("date", "date_"),
        ("é", "field"),
    ],
)
def test_a_field_hides_nothing(name: str, expected: str) -> None:
    assert field_name(name) == expected


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert field_name("user", {"user", "user2"}) == "user3"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SurveyMeta", "SurveyMeta"),
        ("USER", "User"),
        ("order item", "OrderItem"),
        ("Query", "QueryItem"),
        ("7", "Item7"),
        ("", "Item"),
    ],
)
def test_classes_are_named_as_classes_are(name: str, expected: str) -> None:
    assert class_name(name) == expected


@pytest.mark.parametrize("name", ["PK", "sk", "GSI1PK", "gsi2sk", "GSI1-SK", "pk_1", "sortKey"])
def test_attributes_that_are_named_for_being_keys_are_known(name: str) -> None:
    assert is_generic(name)


@pytest.mark.parametrize("name", ["task", "sku", "skill", "risk", "key", "status", "sortOrder"])
def test_attributes_that_only_sound_so_are_not(name: str) -> None:
    assert not is_generic(name)
