"""What large content is estimated to take is what the engine charges for its parts."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

import pytest

from singletable import Entity, Get, InObjects, Large, Store, Table, pattern, updated
from singletable.cost.estimating import EntityCost, Estimate, estimate
from singletable.cost.figures import Figures
from singletable.cost.measuring import measure
from singletable.cost.prices import Prices
from singletable.cost.reporting import data, grids, notes
from singletable.cost.traffic import Traffic
from singletable.errors import UsageError
from singletable.values import item_size
from tests.cost.metering import Metered, metered

table = Table("films", indexes=["GSI1"])
FILM = "x" * 32
SIZES = {"script": 20_000, "film": 800_000}


class Film(Entity, table=table, pk="FILM#{film_id}", sk="FILM"):
    """A film, with its script."""

    film_id: str
    title: str
    script: Large[str]
    film: Large[bytes] | None = None
    updated_at: datetime = updated()


class Poster(Entity, table=table, pk="FILM#{film_id}", sk="POSTER"):
    """The poster of a film."""

    film_id: str
    image: Annotated[Large[bytes], InObjects()]


class Films(Store, table=table):
    """The patterns of the films."""

    @pattern(rate_per_s=1)
    def film(self, film_id: str) -> Get[Film]:
        """What is known of a film, without its content."""
        return Film.get(film_id=film_id)


def _estimate(**told: Any) -> Estimate:
    entities = {"Film": {"content_bytes": SIZES, **told}}
    figures = Figures(Films, Traffic.of({"entities": entities}))
    return estimate(figures, Prices.of_region())


def _costs(**told: Any) -> EntityCost:
    return _estimate(**told).entities[0]


def _film() -> Film:
    script, film = Large("s" * 20_000), Large(b"f" * 800_000)
    return Film(film_id=FILM, title="x" * 32, script=script, film=film)


@pytest.fixture
def stored() -> Iterator[Metered]:
    with metered(Films) as meter:
        meter.store.create(_film())
        yield meter


def test_to_create_costs_what_the_engine_charges() -> None:
    with metered(Films) as meter:
        charged = meter.units(lambda store: store.create(_film()))
    assert charged == (0, _costs().writes[0].units)


@pytest.mark.parametrize("name", SIZES)
def test_to_load_costs_what_the_engine_charges(stored: Metered, name: str) -> None:
    large = getattr(stored.store.film(film_id=FILM).one(), name)
    [content] = [one for one in _costs().contents if one.field == name]
    assert stored.units(lambda store: store.load(large)) == (content.read_units, 0)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("update", {"title": "y" * 32}),
        ("update of script", {"script": Large("t" * 20_000)}),
        ("update of film", {"film": Large(b"g" * 800_000)}),
    ],
)
def test_to_update_costs_what_the_engine_charges(
    stored: Metered, name: str, changes: dict[str, Any]
) -> None:
    film = stored.store.film(film_id=FILM).one()
    [cost] = [one for one in _costs().writes if one.name == name]
    assert stored.units(lambda store: store.update(film, changes)) == (cost.read_units, cost.units)


def test_to_delete_costs_what_the_engine_charges(stored: Metered) -> None:
    film = stored.store.film(film_id=FILM).one()
    cost = _costs().writes[-1]
    assert stored.units(lambda store: store.delete(film)) == (cost.read_units, cost.units)


def test_parts_are_as_large_as_the_store_makes_them(stored: Metered) -> None:
    answer = stored.store.backend.call("Scan", {"TableName": table.name})
    parts = [item_size(one) for one in answer["Items"] if one["Type"]["S"] == "Part"]
    estimated = [size for one in _costs().contents for size in one.parts]
    assert sorted(estimated) == sorted(parts)


def test_content_that_is_short_stays_in_the_item() -> None:
    short = _costs(content_bytes={"script": 1000, "film": 4096})
    assert short.contents == ()
    assert 5000 < short.size < 6000
    assert _costs().size < 2000


def test_storage_has_the_parts() -> None:
    without = _costs(content_bytes={"script": 0, "film": 0})
    assert _costs().stored_bytes - without.stored_bytes > 820_000 + 4 * 100


def test_loads_are_in_the_bill() -> None:
    few, many = _estimate(), _estimate(loads_per_s=2)
    loads = sum(one.read_units for one in _costs().contents)
    assert loads == 2.5 + 2 * 43 + 12.5  # the script, and the film in parts of 350, 350 and 100 KB
    assert many.read_units_per_s - few.read_units_per_s == 2 * loads


def test_what_lies_in_an_object_store_is_told_and_not_priced() -> None:
    poster = _estimate().entities[1]
    [image] = poster.contents
    assert (image.size_bytes, image.parts, image.write_units) == (10_000, (), 0)
    assert poster.writes[0].units == 1
    said = list(notes(_estimate(loads_per_s=2)))
    assert [one for one in said if one.startswith("Poster.image: 10,000 bytes in an object store")]
    assert [one for one in said if "800,000 bytes in 3 parts" in one and "2 are loaded" in one]


def test_one_length_holds_for_all_large_fields() -> None:
    assert {one.size_bytes for one in _costs(content_bytes=9000).contents} == {9000}


def test_a_field_that_is_not_large_has_no_content() -> None:
    with pytest.raises(UsageError, match=r"content_bytes: there is no 'title', only script, film"):
        _estimate(content_bytes={"title": 5})


def test_a_grid_and_the_data_show_the_parts() -> None:
    made = _estimate()
    writes = next(grid for grid in grids(made) if grid.title.startswith("Writes"))
    assert "1 + 4" in writes.text()
    shown = data(made)["entities"][0]["contents"][1]
    assert (shown["field"], len(shown["parts"]), shown["load_units"]) == ("film", 3, 98.5)


def test_the_lengths_of_contents_are_measured_and_their_writes_rehearsed(stored: Metered) -> None:
    found = measure(Films, stored.store.backend.engine)
    assert found.sizes["Film"].contents == SIZES
    made = estimate(Figures(Films, sizes=found.sizes), Prices.of_region()).entities[0]
    assert {one.field: one.size_bytes for one in made.contents} == SIZES
    rehearsed = {name: (one.units, one.fault) for (_, name), one in found.writes.items()}
    costs = {one.name: (one.units, None) for one in made.writes}
    assert rehearsed == {name: costs[name] for name in ("create", "delete")}
