"""``schema.json``: it keeps to the rules that AWS's server documents for it."""

import json
import re
from typing import Any

import pytest

from singletable import Store
from singletable.describe import describe
from tests.describe.designs import Shop
from tests.describe.golden import APPS

FIELD_TYPES = {"string", "integer", "decimal", "boolean", "array", "object", "uuid"}
OPERATIONS = {"GetItem", "Query", "Scan", "BatchGetItem"}
RETURNS = {"single_entity", "entity_list", "mixed_data"}
RANGES = {"begins_with", "between", ">=", "<=", ">", "<"}


def _table(store: type[Store]) -> dict[str, Any]:
    (table,) = json.loads(describe(store, "schema"))["tables"]
    found: dict[str, Any] = table
    return found


@pytest.mark.parametrize("store", [*APPS.values(), Shop])
def test_templates_name_fields_and_fields_have_known_types(store: type[Store]) -> None:
    table = _table(store)
    indexes = {one["name"] for one in table.get("gsi_list", [])}
    for entity in table["entities"].values():
        fields = {field["name"]: field for field in entity["fields"]}
        assert {field["type"] for field in fields.values()} <= FIELD_TYPES
        assert all(("item_type" in one) == (one["type"] == "array") for one in fields.values())
        mappings = entity.get("gsi_mappings", [])
        assert {mapping["name"] for mapping in mappings} <= indexes
        for keys in (entity, *mappings):
            for template in (keys["pk_template"], keys.get("sk_template", "")):
                slots = re.findall(r"\{([^}]*)\}", template)
                assert all(re.fullmatch(r"\w+", slot) and slot in fields for slot in slots)


@pytest.mark.parametrize("store", [*APPS.values(), Shop])
def test_patterns_have_numbers_of_their_own_and_known_words(store: type[Store]) -> None:
    entities = _table(store)["entities"].values()
    patterns = [one for entity in entities for one in entity["access_patterns"]]
    numbers = [one["pattern_id"] for one in patterns]
    assert len(numbers) == len(set(numbers))
    assert {one["operation"] for one in patterns} <= OPERATIONS
    assert {one["return_type"] for one in patterns} <= RETURNS
    assert {one["range_condition"] for one in patterns if "range_condition" in one} <= RANGES
    for one in patterns:
        assert {each["type"] for each in one["parameters"]} <= {"string", "integer", "boolean"}


def test_templates_have_the_names_of_attributes() -> None:
    chapter = _table(APPS["stories"])["entities"]["Chapter"]
    assert chapter["pk_template"] == "STORY#{storyId}"


def test_a_field_that_is_written_in_its_own_way_becomes_a_field() -> None:
    chapter = _table(APPS["stories"])["entities"]["Chapter"]
    templates = {one["name"]: one["sk_template"] for one in chapter["gsi_mappings"]}
    level = "LEVEL#{depth_03d}#{parentNodeId}#{order_05d}#{nodeId}"
    assert templates["GSI2"] == level
    assert {"name": "order_05d", "type": "string", "required": True} in chapter["fields"]


def test_only_what_can_be_none_may_be_absent() -> None:
    chapter = _table(APPS["stories"])["entities"]["Chapter"]
    required = {field["name"]: field["required"] for field in chapter["fields"]}
    assert required["nodeId"]
    assert not required["parentNodeId"]


def test_indexes_that_the_format_does_not_know_are_left_out() -> None:
    table = _table(Shop)
    assert table["gsi_list"] == [{"name": "ByCode", "partition_key": "code_key"}]
    assert [one["name"] for one in table["entities"]["Thing"]["gsi_mappings"]] == ["ByCode"]


def test_comparisons_are_range_conditions() -> None:
    session = _table(APPS["campaigns"])["entities"]["Session"]
    found = {one["name"]: one.get("range_condition") for one in session["access_patterns"]}
    assert found["sessions_between"] == "between"
    assert found["recently_done"] == ">="
    assert found["sessions"] is None
