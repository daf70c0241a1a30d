"""A finding names the line that it is about, decorators included."""

from dataclasses import replace
from pathlib import Path

from singletable import Entity, Get, Store, Table, pattern
from singletable.check import Finding
from singletable.check.places import place_of

HERE = Path(__file__)
table = Table("places")


def _same(entity: type[Entity]) -> type[Entity]:
    return entity


@_same
class Town(Entity, table=table, pk="TOWN#{town_id}", sk="TOWN"):
    """A town."""

    town_id: str


class Towns(Store, table=table):
    """A store."""

    @pattern(page=5)
    def town(self, town_id: str) -> Get[Town]:
        """A town."""
        return Town.get(town_id=town_id)


FINDING = Finding("X000", "x", "note", "", "")


def _line(store: type[Store], finding: Finding) -> str:
    place = place_of(store, finding)
    assert place is not None
    assert place.file.endswith("tests/check/test_places.py")
    return HERE.read_text("utf-8").splitlines()[place.line - 1].strip()


def test_a_pattern_is_where_its_decorator_is() -> None:
    assert _line(Towns, replace(FINDING, pattern="town")) == "@pattern(page=5)"


def test_an_entity_is_where_its_decorator_is_and_a_store_where_it_begins() -> None:
    assert _line(Towns, replace(FINDING, entity="Town.by_name")) == "@_same"
    assert _line(Towns, FINDING) == "class Towns(Store, table=table):"


def test_classes_in_functions_and_branches_are_found() -> None:
    if HERE.exists():

        class Inner(Store, table=table):
            pass

    assert _line(Inner, FINDING) == "class Inner(Store, table=table):"


def test_a_class_that_no_source_has_is_in_no_place() -> None:
    made = type("Made", (Store,), {"__module__": __name__}, table=table)
    assert place_of(made, FINDING) is None
    made.__module__ = "builtins"
    assert place_of(type("Other", (made,), {"__module__": "builtins"}), FINDING) is None
