"""Keys as bytes: what stands in files that are there already, and must not change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.key_schemas import USUAL_LENGTH_MAX, KeyAttribute, KeySchema
from singletable.values import key_bytes

PAIR = KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "S"),))
FOUR = KeySchema(
    (KeyAttribute("a", "S"), KeyAttribute("b", "S")),
    (KeyAttribute("c", "S"), KeyAttribute("d", "N")),
)
texts = st.text(min_size=1, max_size=USUAL_LENGTH_MAX + 6)


@given(texts, texts)
def test_a_key_is_the_hash_and_then_each_value_however_it_was_encoded(pk: str, sk: str) -> None:
    values = {"pk": {"S": pk}, "sk": {"S": sk}}
    assert PAIR.encode(values) == PAIR.partition(values) + key_bytes(values["sk"])


def test_the_bytes_of_a_key_are_those_of_files_written_before() -> None:
    assert PAIR.encode({"pk": {"S": "a"}, "sk": {"S": "b"}}).hex() == "6e1a2c3a610000620000"


def test_a_key_of_several_attributes_has_each_in_order() -> None:
    values = {"a": {"S": "x"}, "b": {"S": "y"}, "c": {"S": "z"}, "d": {"N": "1"}}
    rest = key_bytes(values["c"]) + key_bytes(values["d"])
    assert FOUR.encode(values) == FOUR.partition(values) + rest


@given(texts, st.integers())
def test_the_partition_is_read_off_a_key(text: str, number: int) -> None:
    schema = KeySchema((KeyAttribute("a", "S"), KeyAttribute("d", "N")), FOUR.range[:1])
    values = {"a": {"S": text}, "d": {"N": f"{number % 10**30}"}, "c": {"S": text}}
    key = schema.encode(values) + b"what stands behind it in an index"
    assert schema.read_partition(key) == (text, values["d"]["N"])
    assert PAIR.read_partition(PAIR.partition({"pk": {"S": text}})) == (text,)


def test_a_range_of_hashes_is_in_no_partition() -> None:
    assert PAIR.read_partition(b"") == PAIR.read_partition(b"\x00\x00\x01\x00") == ()


def test_what_is_not_a_whole_key_of_short_texts_is_left_to_others() -> None:
    short = {"S": "a"}
    usual = {"pk": short, "sk": short}
    assert PAIR.encode_usual(usual) is not None
    for unusual in ({"S": ""}, {"N": "1"}, {"S": "\0"}, {"S": "a" * (USUAL_LENGTH_MAX + 1)}):
        assert PAIR.encode_usual({**usual, "sk": unusual}) is None
    assert PAIR.encode_usual({"pk": short}) is None
