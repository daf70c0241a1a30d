"""Item collections: what stands together, in the order that DynamoDB gives it."""

from apps.campaigns.design import Campaigns
from singletable.describe.description import description
from singletable.describe.partitions import Layout, text_of
from tests.describe.designs import Shop


def _layouts(store: type) -> dict[str | None, Layout]:
    return {one.index: one for one in description(store).layouts}


CAMPAIGNS, SHOP = _layouts(Campaigns), _layouts(Shop)


def test_the_items_of_a_partition_stand_together_in_the_order_of_their_keys() -> None:
    (mine,) = [one for one in CAMPAIGNS[None].collections if one.pk == "USER#‹user_id›"]
    keys = [row.sk for row in mine.rows]
    assert keys == sorted(keys)
    assert {row.entity for row in mine.rows} == {
        "User",
        "Campaign",
        "Session",
        "Transcript",
        "Summary",
    }


def test_an_index_holds_the_items_that_are_in_it_and_no_others() -> None:
    entities = {row.entity for one in CAMPAIGNS["GSI1"].collections for row in one.rows}
    assert entities == {"Session"}


def test_an_item_in_an_index_is_shown_by_the_key_that_it_has_in_the_table() -> None:
    row = CAMPAIGNS["GSI1"].collections[0].rows[0]
    assert dict(row.attributes).keys() == {"PK", "SK"}


def test_an_index_shows_the_attributes_that_it_names() -> None:
    row = SHOP["ByCode"].collections[0].rows[0]
    assert dict(row.attributes) == {
        "id": "THING#‹code›#0",
        "part": "ABOUT|02",
        "name": "‹name›",
    }


def test_keys_of_several_attributes_sort_numbers_as_numbers() -> None:
    assert [row.sk for row in SHOP["ByPrice"].collections[0].rows] == ["5 · ‹code›", "6 · ‹code›"]


def test_values_are_written_without_their_types() -> None:
    assert text_of({"BOOL": True}) == "true"
    assert text_of({"N": "1.50"}) == "1.50"
    assert text_of({"B": b"123"}) == "3 bytes"
    assert text_of({"NULL": True}) == "null"
    assert text_of({"L": [{"N": "1"}, {"M": {"a": {"NS": ["2"]}}}]}) == '[1, {"a": [2]}]'
