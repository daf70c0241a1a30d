"""Fields that hold a Large: how they are declared, and what an item's map is to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from singletable.errors import DesignError

from .large import PREVIEW_MAX, Inline, InObjects, InParts, Large, Preview, Stored, kind_of, made

T = TypeVar("T", str, bytes)

INLINE_MAX = 4096
"""Up to how many bytes content stays in the item, where nothing else is declared."""


@dataclass(frozen=True, slots=True)
class LargeField:
    """What is declared of a field that holds a Large."""

    label: str
    place: InParts | InObjects | None
    preview_max: Mapping[type, int]
    inline_max: int

    def inline(self, content: T) -> Large[T]:
        """Give content that stays in the item."""
        return made(content, content[: self.preview_max[kind_of(content)]], None)

    def elsewhere(self, large: Large[T], stored: Stored) -> Large[T]:
        """Give the pointer to content that has a place; of a pointer only its preview is known."""
        beginning = large.preview if large.content is None else large.content
        return made(None, beginning[: self.preview_max[kind_of(beginning)]], stored)

    def decode(self, value: Any) -> Any:
        """Give the Large of an item's map; plain content, from before it was Large, as it is."""
        if not isinstance(value, dict):
            return value
        if "content" in value:
            return self.inline(value["content"])
        stored = Stored(
            id=value["id"],
            owner=tuple(value["owner"]),
            field=self.label,
            length=value["length"],
            size_bytes=value["size_bytes"],
            checksum=value["checksum"],
            parts=value.get("parts"),
            path=value.get("object"),
        )
        return made(None, value["preview"], stored)


def large_fields(entity: str, fields: Mapping[str, FieldInfo]) -> dict[str, LargeField]:
    """Give the fields that hold a Large; refuse one where only part of a field is."""
    found = {}
    for name, field in fields.items():
        label = f"{entity}.{name}"
        options, markers = _options(field.annotation), list(field.metadata)
        for option, inner in options:
            markers += inner
            if get_origin(option) is not Large and any(map(_is_large, _within(option))):
                raise DesignError(
                    f"{label}: a Large is a field by itself, as in Large[str] or Large[str] | None;"
                    f" here it is inside {option}"
                )
        if any(_is_large(option) for option, _ in options):
            found[name] = _field(label, markers)
    return found


def _options(annotation: Any) -> list[tuple[Any, list[Any]]]:
    """Give the types that a field may have but None, each with the markers on it."""
    if get_origin(annotation) is Annotated:
        inner, *markers = get_args(annotation)
        return [(option, [*found, *markers]) for option, found in _options(inner)]
    if get_origin(annotation) in {Union, UnionType}:
        return [found for option in get_args(annotation) for found in _options(option)]
    return [] if annotation is NoneType else [(annotation, [])]


def _within(annotation: Any) -> Iterator[Any]:
    for argument in get_args(annotation):
        yield argument
        yield from _within(argument)


def _is_large(annotation: Any) -> bool:
    return annotation is Large or get_origin(annotation) is Large


def _field(label: str, markers: list[Any]) -> LargeField:
    place = next((one for one in markers if isinstance(one, InParts | InObjects)), None)
    preview = next((one.length for one in markers if isinstance(one, Preview)), None)
    inline = next((one.size_bytes for one in markers if isinstance(one, Inline)), INLINE_MAX)
    most = PREVIEW_MAX if preview is None else dict.fromkeys(PREVIEW_MAX, preview)
    return LargeField(label, place, most, inline)
