"""What a write is estimated to cost is what the engine charges for it, kept-true writes and all."""

from datetime import date
from typing import Annotated, Any, Literal, get_origin
from uuid import UUID

import pytest

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Entity, Index, Store, Table, Unique
from singletable.cost.figures import Figures
from singletable.cost.fillers import Filler
from singletable.cost.specimens import Specimen
from singletable.cost.traffic import Traffic
from singletable.cost.writing import WriteCost, _Writes, changeable, guard_sizes, write_costs
from singletable.model.schema import Schema
from tests.cost.designs import Banner, Customer, Invoice, Order, Shop
from tests.cost.metering import Metered, metered

STORES: list[type[Store]] = [Shop, Campaigns, Stories, Surveys]
CASES = [
    pytest.param(store, schema, id=f"{store.__name__} {schema.name}")
    for store in STORES
    for schema in store.table.entities.values()
    if not schema.large  # whose content has tests of its own
]


def _seed(meter: Metered, writes: _Writes, name: str) -> None:
    """Write what is there before: the item with its guards, its parents, its counters."""
    images = writes.images(writes.entity) if name != "create" else {}
    counted = dict(writes._counted(None, writes.entity))
    if name.startswith("update"):
        after = writes.entity.model_copy(update=writes.changes(_field(writes.schema, name)))
        counted |= dict(writes._counted(None, after))
    for item, _ in (*images.values(), *(before for before, _ in counted.values())):
        assert item is not None
        meter.write(item)


def _charged(store: type[Store], schema: Schema, cost: WriteCost, figures: Figures) -> Any:
    writes = _Writes(schema, figures)
    with metered(store) as meter:
        _seed(meter, writes, cost.name)
        units = meter.units(lambda one: _do(one, writes, cost.name))
        return units, meter.by_index()


def _do(store: Any, writes: _Writes, name: str) -> None:
    entity, schema = writes.entity, writes.schema
    if name == "create":
        entity = entity.model_copy(update=dict.fromkeys(schema.sequences, 0))
        store.create(entity)
    elif name == "delete":
        store.delete(entity, orphans=True)
    else:
        store.update(entity, writes.changes(_field(schema, name)))


def _field(schema: Schema, name: str) -> str:
    return name.removeprefix("update of ") if " " in name else str(changeable(schema)[0])


class Sparse(Figures):
    """Has specimens that lack what they can, and are of the other kind where they have a choice.

    They are in fewer indexes, and count elsewhere or not at all.
    """

    def specimen(self, schema: Schema) -> Specimen:
        """Give the specimen of an entity."""
        made, other = super().specimen(schema), Filler(5, 0, 1)
        values = {
            name: None if info.default is None else other.field(info)
            for name, info in schema.fields.items()
            if info.default is None or get_origin(info.annotation) is Literal
        }
        return Specimen(schema, {**made.values, **values})


@pytest.mark.parametrize("kind", [Figures, Sparse])
@pytest.mark.parametrize(("store", "schema"), CASES)
def test_a_write_costs_what_the_engine_charges(
    store: type[Store], schema: Schema, kind: type[Figures]
) -> None:
    """Whatever items are like: where a measurement differs, they are not like the specimen."""
    figures = kind(store)
    for cost in write_costs(schema, figures):
        units, indexes = _charged(store, schema, cost, figures)
        assert (cost.name, cost.read_units, cost.units) == (cost.name, *units)
        assert cost.indexes == indexes, cost.name


def _named(schema: Schema, figures: Figures | None = None) -> dict[str, WriteCost]:
    return {one.name: one for one in write_costs(schema, figures or Figures(Shop))}


def test_a_unique_value_is_a_transaction_of_two_items() -> None:
    costs = _named(Customer.__schema__)
    assert (costs["create"].items, costs["create"].units) == (2, 4)
    assert (costs["update of email"].items, costs["update of email"].units) == (3, 6)
    assert (costs["update"].items, costs["update"].units) == (1, 1)


def test_a_count_writes_the_parent_too() -> None:
    create = _named(Order.__schema__)["create"]
    assert (create.items, create.transactional, create.table) == (2, True, 4)


def test_a_sequence_reads_and_moves_its_counter() -> None:
    create = _named(Invoice.__schema__)["create"]
    assert (create.items, create.units, create.read_units) == (2, 4, 1)


def test_copies_are_all_written() -> None:
    create = _named(Banner.__schema__)["create"]
    assert (create.items, create.units) == (3, 6)


def test_real_sizes_count_for_the_table_and_whole_indexes() -> None:
    figures = Figures(Shop, Traffic.of({"entities": {"Order": {"bytes": 2500}}}))
    create = _named(Order.__schema__, figures)["create"]
    # The order is 3 units and the customer 1, in a transaction.
    assert create.table == 2 * (3 + 1)
    assert create.indexes == {"GSI1": 6, "KEYS": 2, "SOME": 2, "LSI1": 2, "FIELDS": 6}


def test_a_change_of_an_index_key_costs_twice_there() -> None:
    figures = Figures(Shop, Traffic.of({"entities": {"Order": {"bytes": 2500}}}))
    costs = _named(Order.__schema__, figures)
    assert costs["update"].indexes == {"GSI1": 3, "LSI1": 2, "FIELDS": 3}
    assert costs["update of status"].indexes == {"GSI1": 6, "LSI1": 2, "FIELDS": 6}
    assert costs["update of total"].indexes == {"GSI1": 3, "SOME": 2, "LSI1": 2, "FIELDS": 6}


def test_guards_have_a_size_of_their_own() -> None:
    [size] = guard_sizes(Customer.__schema__, Figures(Shop))
    assert 100 < size < 300
    assert guard_sizes(Order.__schema__, Figures(Shop)) == ()


def test_a_field_of_any_type_can_change() -> None:
    """One that has a single value cannot."""
    table = Table("kinds", indexes=["GSI1"])

    class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
        by_day = Index("GSI1", pk="DAY#{day}", sk="{owner}")
        thing_id: str
        day: date
        owner: UUID
        kind: Annotated[Literal["thing"], Unique()] = "thing"

    class Things(Store, table=table):
        pass

    costs = _named(Thing.__schema__, Figures(Things))
    assert list(costs) == ["create", "update of day", "update of owner", "delete"]
    assert costs["update of day"].indexes == {"GSI1": 2}
