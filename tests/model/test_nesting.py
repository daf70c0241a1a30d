"""Paths lead into models by the names that their maps have."""

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

from singletable.model.nesting import member


class Photo(BaseModel):
    """Has an alias, and others like it inside."""

    model_config = ConfigDict(populate_by_name=True)
    caption: str = Field(default="", alias="c")
    others: "list[Photo]" = []


class Photos(RootModel[list[Photo]]):
    """Stored as what it holds."""


@dataclass
class Wall:
    """Holds a photo under the name that the field has."""

    photo: Photo


class Hall(TypedDict):
    """Holds a photo as a map does."""

    photo: Photo


CASES: list[tuple[Any, tuple[str | int, ...], tuple[str | int, ...]]] = [
    (Photo, ("caption",), ("c",)),
    (Photo | None, ("caption",), ("c",)),
    (list[Photo], (0, "caption"), (0, "c")),
    (list[Photo] | None, (0, "caption"), (0, "c")),
    (tuple[Photo, ...], (3, "caption"), (3, "c")),
    (tuple[Photo, int], (0, "caption"), (0, "c")),
    (tuple[Photo, int], (1, "caption"), (1, "caption")),
    (dict[str, Photo], ("caption", "caption"), ("caption", "c")),
    (Photo, ("others", 1, "caption"), ("others", 1, "c")),
    (Photos, (0, "caption"), (0, "c")),
    (Wall, ("photo", "caption"), ("photo", "c")),
    (list[Hall], (0, "photo", "caption"), (0, "photo", "c")),
    (Photo, ("unknown", "caption"), ("unknown", "caption")),
    (int, ("caption",), ("caption",)),
]


@pytest.mark.parametrize(("annotation", "path", "stored"), CASES)
def test_a_path_goes_by_the_names_that_maps_have(
    annotation: Any, path: tuple[str | int, ...], stored: tuple[str | int, ...]
) -> None:
    found = []
    for element in path:
        name, annotation = member(annotation, element)
        found.append(name)
    assert tuple(found) == stored
