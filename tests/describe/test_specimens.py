"""Sample items: real keys, of every entity, no two alike."""

from datetime import UTC, datetime

from apps.stories.design import table as stories
from apps.surveys.design import table as surveys
from singletable.describe.specimens import specimens
from tests.describe.designs import table as shop
from tests.describe.golden import APPS


def test_keys_are_made_by_the_templates() -> None:
    chapter = specimens(stories)["Chapter"][0].item
    assert chapter["PK"] == {"S": "STORY#‹story_id›"}
    assert chapter["SK"] == {"S": "CHAPTER#‹node_id›"}
    assert chapter["GSI1PK"] == {"S": "USER#‹author_id›"}


def test_items_of_an_entity_differ_in_the_last_field_of_their_key() -> None:
    keys = [one.item["SK"]["S"] for one in specimens(stories)["Chapter"]]
    assert keys == ["CHAPTER#‹node_id›", "CHAPTER#‹node_id 2›", "CHAPTER#‹node_id 3›"]


def test_a_key_of_a_few_values_has_as_many_items() -> None:
    summaries = specimens(APPS["campaigns"].table)["SUMMARY"]
    assert [one.values["audience"] for one in summaries] == ["GM", "PLAYER"]


def test_a_sparse_index_is_shown_with_and_without_its_items() -> None:
    found = {one.values["status"]: "GSI1PK" in one.item for one in specimens(stories)["Story"]}
    assert found == {"PUBLISHED": True, "COMPLETED": True, "DRAFT": False}


def test_no_two_items_of_a_table_have_one_key() -> None:
    for table in (stories, surveys, shop):
        items = [one.item for few in specimens(table).values() for one in few]
        keys = [str([item[name] for name in table.primary.attributes]) for item in items]
        assert len(keys) == len(set(keys))


def test_an_entity_that_there_is_one_of_has_one_item() -> None:
    assert [one.item["id"] for one in specimens(shop)["Counter"]] == [{"S": "COUNTER"}]


def test_a_number_that_is_too_long_for_its_key_is_made_smaller() -> None:
    many = {f"field_{number}": (int, ...) for number in range(120)}
    from pydantic import create_model

    from singletable import Entity, Table

    table = Table("wide")
    fields: dict[str, object] = {**many, "order": (int, ...)}
    create_model(  # type: ignore[call-overload] # its fields are made up
        "Wide",
        __base__=Entity,
        __cls_kwargs__={"table": table, "pk": "W", "sk": "{order:02d}"},
        **fields,
    )
    assert [one.item["SK"]["S"] for one in specimens(table)["Wide"]] == ["00", "01", "02"]


def test_nested_models_sets_and_long_content_have_samples() -> None:
    thing = specimens(shop)["Thing"][0]
    assert thing.item["maker"] == {"M": {"name": {"S": "‹name›"}, "founded": {"N": "7"}}}
    assert thing.item["marks"] == {"SS": ["‹marks›"]}
    assert thing.item["picture"]["M"]["content"] == {"B": "‹picture›".encode()}
    assert thing.values["taken_at"] > datetime(2026, 1, 1, tzinfo=UTC)


def test_every_sample_item_can_be_read_back() -> None:
    for store in APPS.values():
        for few in specimens(store.table).values():
            for one in few:
                assert type(one.schema.items.read(one.item)) is one.schema.entity
