"""Templates are found from sample items, and make the keys that the items have."""

from typing import Any

import pytest

from singletable.describe.inward import read_design
from singletable.describe.inward.drafts import EntityDraft, TableDraft
from singletable.errors import UsageError
from tests.describe.inward.models import item, model


def _table(text: str) -> TableDraft:
    (table,) = read_design(text).tables
    return table


def _only(text: str) -> EntityDraft:
    (entity,) = _table(text).entities
    return entity


def test_a_part_that_is_an_attribute_in_every_item_is_that_field() -> None:
    entity = _only(
        model(
            [
                item(PK="USER#u1", SK="ORDER#o1", Type="Order", userId="u1", orderId="o1"),
                item(PK="USER#u1", SK="ORDER#o2", Type="Order", userId="u1", orderId="o2"),
            ]
        )
    )
    assert (entity.name, entity.pk, entity.sk) == ("Order", "USER#{user_id}", "ORDER#{order_id}")


def test_a_word_that_is_always_the_same_is_a_constant() -> None:
    entity = _only(model([item(PK="USER#u1", SK="PROFILE", Type="User", userId="u1")]))
    assert entity.sk == "PROFILE"


def test_a_part_that_no_attribute_has_becomes_a_field_named_by_the_word_before_it() -> None:
    entity = _only(model([item(PK="USER#7", SK="USER#7", Type="User", email="a@example.com")]))
    assert (entity.pk, entity.sk) == ("USER#{user_id}", "USER#{user_id}")
    assert [field.name for field in entity.fields] == ["email", "user_id"]


@pytest.mark.parametrize(
    ("texts", "values", "slot"),
    [
        (("00007", "00012"), (7, 12), "{field:05d}"),
        (("99992", "99987"), (7, 12), "{field:05d desc}"),
        (("7", "12"), (7, 12), "{field}"),
        (("ann", "bob"), ("Ann", "BOB"), "{field:lower}"),
        (("a%23b", "c"), ("a#b", "c"), "{field:escaped}"),
        (("2026-01", "2026-02"), ("2026-01-05", "2026-02-06"), "{field:%Y-%m}"),
        (
            ("20260105", "20260206"),
            ("2026-01-05T00:00:00.000000Z", "2026-02-06T00:00:00.000000Z"),
            "{field:%Y%m%d}",
        ),
        (("true", "false"), (True, False), "{field}"),
    ],
)
def test_the_ways_in_which_a_field_can_be_written_are_known(
    texts: tuple[str, ...], values: tuple[Any, ...], slot: str
) -> None:
    pairs = zip(texts, values, strict=True)
    items = [item(PK=f"X#{text}", SK=f"Y#y{text}", Type="X", field=one) for text, one in pairs]
    assert _only(model(items)).pk == f"X#{slot}"


def test_of_two_attributes_with_one_value_the_one_is_taken_that_the_key_names() -> None:
    entity = _only(
        model([item(PK="TEAM#x", SK="CREW#x", Type="T", crewId="x", teamId="x", other="x")])
    )
    assert (entity.pk, entity.sk) == ("TEAM#{team_id}", "CREW#{crew_id}")


def test_one_value_in_keys_of_two_things_is_chance() -> None:
    items = [
        item(PK="o#5", SK="p#1", Type="Line", GSI1PK="c#5", GSI1SK="o#5"),
        item(PK="o#5", SK="p#2", Type="Line", GSI1PK="c#5", GSI1SK="o#5"),
    ]
    (index,) = _only(model(items, indexes={"GSI1": ("GSI1PK", "GSI1SK")})).indexes
    assert (index.pk, index.sk) == ("c#{c_id}", "o#{o_id}")


def test_items_without_the_key_of_an_index_are_told_apart_by_a_field() -> None:
    def task(number: int, status: str) -> dict[str, Any]:
        made = item(PK=f"TASK#{number}", SK="TASK", Type="Task", taskId=str(number), status=status)
        return made | (item(GSI1PK="OPEN", GSI1SK=f"T#{number}") if status != "DONE" else {})

    items = [task(1, "NEW"), task(2, "DONE"), task(3, "NEW"), task(4, "BUSY")]
    (index,) = _only(model(items, indexes={"GSI1": ("GSI1PK", "GSI1SK")})).indexes
    assert (index.pk, index.sk) == ("OPEN", "T#{task_id}")
    assert index.when == (("status", ("NEW", "BUSY")),)


def test_an_index_whose_items_nothing_tells_apart_is_left_out_and_named() -> None:
    items = [
        item(PK="TASK#1", SK="TASK", Type="Task", GSI1PK="OPEN", GSI1SK="T#1"),
        item(PK="TASK#2", SK="TASK", Type="Task"),
    ]
    table = _table(model(items, indexes={"GSI1": ("GSI1PK", "GSI1SK")}))
    assert table.entities[0].indexes == ()
    assert table.notes == ("Task is not in GSI1: nothing tells which of its items are in there.",)


def test_an_index_of_plain_attributes_has_fields_for_keys() -> None:
    items = [
        item(PK="A#1", SK="A", Type="A", status="open", size=3),
        item(PK="A#2", SK="A", Type="A", status="open", size=4),
    ]
    entity = _only(model(items, indexes={"ByStatus": ("status", "size")}))
    (index,) = entity.indexes
    assert (index.pk, index.sk) == ("{status}", ("size",))
    assert {field.name: field.type for field in entity.fields}["size"] == "int"


def test_an_inverted_index_has_the_keys_of_the_table() -> None:
    items = [item(PK="A#1", SK="B#2", Type="A")]
    (index,) = _only(model(items, indexes={"Inverted": ("SK", "PK")})).indexes
    assert (index.pk, index.sk) == (None, None)


def test_a_table_with_plain_attributes_for_keys_keeps_them() -> None:
    items = [
        item(tenantId="t1", orderId="1", email="x@example.com"),
        item(tenantId="t2", orderId="2", email="y@example.com"),
    ]
    entity = _only(model(items, keys=("tenantId", "orderId")))
    assert (entity.pk, entity.sk) == ("{tenant_id}", "{order_id}")
    assert ("tenantId", "str") in {(field.attribute, field.type) for field in entity.fields}


def test_another_delimiter_is_found() -> None:
    items = [item(PK="USER|u1", SK="AT|2026-01-01T10:00:00", Type="U", userId="u1")]
    table = _table(model(items))
    assert table.delimiter == "|"
    assert table.entities[0].pk == "USER|{user_id}"


def test_shapes_of_keys_tell_entities_apart_where_nothing_else_does() -> None:
    items = [
        item(PK="u#1", SK="profile", email="x"),
        item(PK="u#1", SK="o#5", total=3),
        item(PK="u#2", SK="o#6", total=4),
    ]
    names = {one.name: (one.pk, one.sk) for one in _table(model(items)).entities}
    assert sorted(names.values()) == [("u#{u_id}", "o#{o_id}"), ("u#{u_id}", "profile")]


def test_facets_name_entities() -> None:
    facets = {
        "Customer": [item(PK="c#1", SK="c#1", kind="cust")],
        "Order": [item(PK="c#1", SK="o#7", kind="ord")],
        "Unused": [],
    }
    table = _table(model(facets=facets))
    assert [(one.name, one.type) for one in table.entities] == [
        ("Customer", "cust"),
        ("Order", "ord"),
    ]
    assert table.type_attribute == "kind"
    assert table.notes == ("Unused has no sample items.",)


def test_an_item_in_two_facets_is_taken_once() -> None:
    same = item(PK="c#1", SK="c#1", name="x")
    table = _table(model(facets={"One": [same], "Two": [same]}))
    assert [one.name for one in table.entities] == ["One"]


def test_an_attribute_that_is_not_always_there_is_optional() -> None:
    items = [
        item(PK="A#1", SK="A", Type="A", note="x"),
        item(PK="A#2", SK="A", Type="A", gone={"NULL": True}),
    ]
    optional = {field.name: field.optional for field in _only(model(items)).fields}
    assert optional == {"note": True, "a_id": False}


def test_items_whose_keys_have_nothing_in_common_are_left_out_and_named() -> None:
    items = [
        item(PK="A#1", SK="A#1", Type="A"),
        item(PK="A#1", SK="A#1#2", Type="A"),
        item(PK="B#1", SK="B", Type="B"),
    ]
    table = _table(model(items))
    assert [one.name for one in table.entities] == ["B"]
    assert "A is left out: its SK has not always as many parts" in table.notes[0]


def test_an_attribute_of_several_types_can_be_anything() -> None:
    items = [
        item(PK="A#1", SK="A", Type="A", value=1),
        item(PK="A#2", SK="A", Type="A", value="x"),
    ]
    types = {field.name: field.type for field in _only(model(items)).fields}
    assert types["value"] == "Any"


def test_a_model_without_items_is_refused() -> None:
    with pytest.raises(UsageError, match="shop has no sample items"):
        read_design(model([]))


def test_a_number_as_the_primary_key_is_refused() -> None:
    with pytest.raises(UsageError, match="the key attribute PK is not text"):
        read_design(model([item(PK=1, SK="x", Type="A")]))


def test_where_the_name_of_the_type_attribute_is_taken_another_is_found() -> None:
    items = [
        item(PK="A#1", SK="A", EntityType="A", Type="express"),
        item(PK="A#2", SK="A", EntityType="A"),
    ]
    assert _table(model(items)).type_attribute == "EntityType"
    loose = [item(PK="A#1", SK="A", Type="express"), item(PK="A#2", SK="A")]
    assert _table(model(loose)).type_attribute == "EntityType"
