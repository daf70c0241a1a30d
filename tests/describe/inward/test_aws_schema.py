"""``schema.json`` is read: entities, templates, and the access patterns that read."""

import json
from typing import Any

import pytest

from singletable.describe import python_design
from singletable.describe.description import description
from singletable.describe.inward import read_design
from singletable.errors import UsageError
from tests.describe.designs import imported, only_store

FIELDS = [
    {"name": "user_id", "type": "string", "required": True},
    {"name": "order_id", "type": "uuid", "required": False},
    {"name": "status", "type": "string", "required": True},
    {"name": "total", "type": "decimal", "required": False},
    {"name": "tags", "type": "array", "item_type": "string", "required": False},
    {"name": "extra", "type": "object", "required": False},
]


def _pattern(name: str, operation: str, *given: str, **members: str) -> dict[str, Any]:
    parameters = [{"name": one, "type": "string"} for one in given]
    return {"name": name, "operation": operation, "parameters": parameters} | members


PATTERNS = [
    _pattern("order", "GetItem", "user_id", "order_id", description="One order."),
    _pattern("orders", "Query", "user_id"),
    _pattern("by_status", "Query", "state", index_name="Status"),
    _pattern("since", "Query", "status", "first", index_name="Status", range_condition=">="),
    _pattern(
        "within", "Query", "status", "first", "last", index_name="Status", range_condition="between"
    ),
    _pattern("everything", "Scan"),
    _pattern("everything", "Scan"),
    _pattern("update", "Scan"),
    _pattern("create", "PutItem", "order"),
    _pattern("unclear", "GetItem", "user_id"),
    _pattern("unneeded", "Query", "user_id", "colour"),
    _pattern("unknown", "Query", "user_id", "part", range_condition="contains"),
    _pattern("narrow", "Query", "user_id", range_condition="between"),
]


def _schema(**changes: Any) -> str:
    entity: dict[str, Any] = {
        "entity_type": "ORDER",
        "pk_template": "USER#{user_id}",
        "sk_template": "ORDER#{order_id}",
        "gsi_mappings": [
            {"name": "Status", "pk_template": "STATUS#{status}", "sk_template": "{user_id}"}
        ],
        "fields": FIELDS,
        "access_patterns": PATTERNS,
    } | changes
    table = {
        "table_config": {"table_name": "shop", "partition_key": "pk", "sort_key": "sk"},
        "gsi_list": [{"name": "Status", "partition_key": "status", "sort_key": "status_sk"}],
        "entities": {"Order": entity},
    }
    return json.dumps({"tables": [table]})


def test_entities_have_their_templates_and_types() -> None:
    (order,) = read_design(_schema()).tables[0].entities
    assert (order.type, order.pk, order.sk) == ("ORDER", "USER#{user_id}", "ORDER#{order_id}")
    assert {field.name: (field.type, field.optional) for field in order.fields} == {
        "user_id": ("str", False),
        "order_id": ("UUID", False),  # the key needs it, whatever the schema says
        "status": ("str", False),
        "total": ("Decimal", True),
        "tags": ("list[str]", True),
        "extra": ("dict[str, Any]", True),
    }


def test_a_field_does_not_share_its_attribute_with_a_key_that_is_made_from_it() -> None:
    (order,) = read_design(_schema()).tables[0].entities
    attributes = {field.name: field.attribute for field in order.fields}
    assert attributes["status"] == "status_value"


def test_reads_become_patterns_that_can_be_planned() -> None:
    with imported(python_design(_schema())) as module:
        found = {one.name: one for one in description(only_store(module)).patterns}
    assert {one.fault for one in found.values()} == {""}
    conditions = {name: one.condition for name, one in found.items()}
    assert conditions["orders"] == "pk = USER#{user_id} AND begins_with(sk, ORDER#)"
    assert conditions["by_status"] == "status = STATUS#{state}"
    assert conditions["since"] == "status = STATUS#{status} AND status_sk >= {first}"
    assert "BETWEEN {first} AND {last}" in conditions["within"]
    assert found["everything"].operation == "Scan"
    assert found["order"].purpose == "One order."


def test_patterns_hide_neither_each_other_nor_methods_of_the_store() -> None:
    names = [one.name for one in read_design(_schema()).tables[0].patterns]
    assert {"everything", "everything2", "update_"} <= set(names)


def test_what_is_no_read_or_unclear_is_named() -> None:
    assert read_design(_schema()).tables[0].notes == (
        "create is a PutItem: see the methods of the store.",
        *(
            f"{name} is left out: its parameters do not name what the key and the range need."
            for name in ("unclear", "unneeded", "unknown", "narrow")
        ),
    )


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"pk_template": "USER#{nobody}"}, "'USER#{nobody}' names 'nobody', which is no field"),
        ({"pk_template": "USER#{user_id"}, "is no key template"),
        ({"sk_template": None}, "Order has no sk_template"),
        ({"fields": [{"name": "x", "type": "float"}]}, "type: Input should be 'string'"),
        ({"gsi_mappings": [{"name": "No", "pk_template": "x"}]}, "is in No, which gsi_list"),
    ],
)
def test_a_schema_that_contradicts_itself_is_refused(changes: Any, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        read_design(_schema(**changes))
