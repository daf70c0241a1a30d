"""A Large is content or a pointer to it, and says the same of itself either way."""

from __future__ import annotations

import copy
import pickle
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity
from singletable.model.large import (
    Inline,
    InObjects,
    InParts,
    Large,
    Preview,
    Stored,
    checksum_of,
    id_in,
)
from singletable.model.large_fields import INLINE_MAX
from singletable.model.schema import Schema
from singletable.model.table import Table

LONG = "a long text, " * 1000
TEXT = TypeAdapter(Large[str])


class Transcript(Entity, table=Table("notes"), pk="T#{id}", sk="META"):
    """Has a large field of each kind."""

    id: str
    text: Large[str]
    image: Annotated[Large[bytes], InParts(), Preview(4)] | None = None
    audio: Annotated[Large[bytes] | None, InObjects(), Inline(0)] = None


SCHEMA: Schema = Transcript.__schema__


def _stored(text: str, **place: Any) -> Large[str]:
    stored = Stored(
        id="0f",
        owner=("T#1", "META"),
        field="Transcript.text",
        length=len(text),
        size_bytes=len(text.encode()),
        checksum=checksum_of(text.encode()),
        **(place or {"parts": 3}),
    )
    return SCHEMA.large["text"].elsewhere(Large(text), stored)


def _item(**values: Any) -> dict[str, Any]:
    return SCHEMA.items.write(Transcript(id="1", **values).__dict__)


def test_length_counts_characters_and_size_counts_bytes() -> None:
    text, data = Large("schön"), Large(b"\x00\x01")
    assert (text.length, text.size_bytes) == (5, 6)
    assert (data.length, data.size_bytes) == (2, 2)


def test_a_preview_is_the_beginning_of_a_text_and_nothing_of_bytes() -> None:
    assert (Large(LONG).preview, Large(b"long").preview) == (LONG[:200], b"")


def test_what_was_stored_says_of_itself_what_its_content_does() -> None:
    fresh, stored = Large(LONG), _stored(LONG)
    assert stored.content is None
    for name in ("length", "size_bytes", "checksum", "preview"):
        assert getattr(stored, name) == getattr(fresh, name)


def test_equality_is_that_of_contents() -> None:
    assert Large("a") == Large("a") != Large("b")
    assert _stored(LONG) == Large(LONG) == _stored(LONG, path="somewhere/else")
    assert _stored(LONG) != Large(LONG.upper())
    assert Large("a") != Large(b"a")
    assert Large("a") != "a"
    assert len({_stored(LONG), Large(LONG), Large("other")}) == 2


def test_a_large_shows_its_length_and_preview_alone() -> None:
    assert repr(_stored(LONG)) == f"<Large[str]: {len(LONG)} characters, {LONG[:200]!r}>"
    assert repr(Large(b"12")) == "<Large[bytes]: 2 bytes>"


def test_a_large_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Large("a").content = "b"


@pytest.mark.parametrize("large", [Large(LONG), _stored(LONG)])
def test_a_large_can_be_copied_and_pickled(large: Large[str]) -> None:
    for twin in (copy.deepcopy(large), pickle.loads(pickle.dumps(large))):  # noqa: S301 - ours
        assert (twin.content, twin.stored, twin.preview) == (
            large.content,
            large.stored,
            large.preview,
        )


def test_plain_content_is_taken_for_a_large() -> None:
    made = Transcript.model_validate({"id": "1", "text": "words", "image": b"\x00"})
    assert (made.text, made.image) == (Large("words"), Large(b"\x00"))
    assert TEXT.validate_json('"words"') == Large("words")


def test_the_kind_of_content_is_checked() -> None:
    with pytest.raises(ValidationError, match=r"Input should be Large\[str\]"):
        TEXT.validate_python(Large(b"bytes"))
    with pytest.raises(ValidationError, match="valid string"):
        TEXT.validate_python(7)


def test_input_cannot_forge_a_pointer() -> None:
    (pointer,) = (_item(text=_stored(LONG))["text"]["M"],)
    forged = {name: next(iter(value.values())) for name, value in pointer.items()}
    with pytest.raises(ValidationError):
        TEXT.validate_python(forged)


def test_json_shows_length_and_preview_and_never_the_content() -> None:
    shown = Transcript(id="1", text=Large(LONG), image=Large(b"\xff")).model_dump(mode="json")
    assert shown["text"] == {"length": 13000, "size_bytes": 13000, "preview": LONG[:200]}
    assert shown["image"] == {"length": 1, "size_bytes": 1, "preview": ""}
    assert Transcript.model_json_schema()["properties"]["text"]["type"] == "string"


def test_a_dump_in_python_can_be_validated_again() -> None:
    one = Transcript(id="1", text=_stored(LONG))
    assert Transcript.model_validate(one.model_dump()) == one


def test_short_content_stands_in_the_item_and_is_read_from_it() -> None:
    item = _item(text=Large("schön"))
    assert item["text"] == {
        "M": {"length": {"N": "5"}, "size_bytes": {"N": "6"}, "content": {"S": "schön"}}
    }
    assert SCHEMA.items.read(item).__dict__["text"].content == "schön"


@pytest.mark.parametrize("place", [{"parts": 3}, {"path": "notes/Transcript/text/0f"}])
def test_a_pointer_goes_through_the_item(place: dict[str, Any]) -> None:
    large = _stored(LONG, **place)
    item = _item(text=large)
    read = SCHEMA.items.read(item).__dict__["text"]
    assert (read.stored, read.preview, read.content) == (large.stored, LONG[:200], None)
    assert id_in(item["text"]) == "0f"
    assert all(id_in(item[name]) is None for name in ("PK", "id"))


def test_an_attribute_from_before_it_was_large_is_read() -> None:
    item = {**_item(text=Large("new")), "text": {"S": "old"}}
    assert SCHEMA.items.read(item).__dict__["text"] == Large("old")


def test_a_field_declares_place_preview_and_limit_wherever_none_stands() -> None:
    text, image, audio = SCHEMA.large.values()
    assert (text.place, text.inline_max) == (None, INLINE_MAX)
    assert (image.place, image.inline(b"123456").preview) == (InParts(), b"1234")
    assert (audio.place, audio.inline_max) == (InObjects(), 0)


def test_the_preview_of_short_content_is_as_declared_too() -> None:
    item = _item(text=Large("new"), image=Large(b"123456"))
    assert SCHEMA.items.read(item).__dict__["image"].preview == b"1234"


def test_a_large_inside_a_list_is_refused_when_it_is_declared() -> None:
    with pytest.raises(DesignError, match=r"Album\.texts: a Large is a field by itself"):

        class Album(Entity, table=Table("albums"), pk="A#{id}", sk="META"):
            id: str
            texts: list[Large[str]]


@pytest.mark.parametrize("annotation", [Large, Large[int]])  # type: ignore[type-var]  # must fail
def test_a_large_of_something_else_is_refused(annotation: Any) -> None:
    with pytest.raises(DesignError, match=r"Large\[str\] or Large\[bytes\]"):
        TypeAdapter(annotation)


def test_a_large_inside_a_model_is_refused_when_it_is_written() -> None:
    class Page(BaseModel):
        text: Large[str]

    class Book(Entity, table=Table("books"), pk="B#{id}", sk="META"):
        id: str
        page: Page

    book = Book(id="1", page=Page(text=Large("words")))
    with pytest.raises(UsageError, match="field of an entity by itself"):
        Book.__schema__.items.write(book.__dict__)


def test_a_text_that_has_no_bytes_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no text that can be stored.*surrogates not allowed"):
        _ = Large("a\ud800b").size_bytes
