"""A design that is written for another tool and read back has the entity chart that it had."""

import json

import pytest

from apps.stories.design import Stories
from singletable import Store
from singletable.describe import describe, python_design
from singletable.describe.description import description
from tests.describe.designs import charted, imported, only_store
from tests.describe.golden import APPS


@pytest.mark.parametrize("form", ["workbench", "workbench-2.0", "workbench-1.0"])
@pytest.mark.parametrize("app", APPS)
def test_through_the_workbench_the_entity_chart_stays_the_same(app: str, form: str) -> None:
    with imported(python_design(describe(APPS[app], form))) as module:
        assert charted(only_store(module)) == charted(APPS[app])


@pytest.mark.parametrize("app", APPS)
def test_nothing_but_the_sample_items_is_needed(app: str) -> None:
    """Neither facets nor aliases tell anything that the items do not; names come from types."""
    model = json.loads(describe(APPS[app], "workbench"))
    (table,) = model["DataModel"]
    table["TableData"] = [item for one in table.pop("TableFacets") for item in one["TableData"]]
    model["ModelMetadata"]["Description"] = ""
    with imported(python_design(json.dumps(model))) as module:
        assert _keys(only_store(module)) == _keys(APPS[app])


@pytest.mark.parametrize("app", APPS)
def test_through_the_data_model_of_the_modelling_server_keys_stay_the_same(app: str) -> None:
    with imported(python_design(describe(APPS[app], "json"))) as module:
        assert _keys(only_store(module)) == _keys(APPS[app])


def _keys(store: type[Store]) -> list[object]:
    return [(one.type, one.key, one.indexes) for one in description(store).entities]


@pytest.mark.parametrize("app", APPS)
def test_a_generated_design_makes_the_same_items(app: str) -> None:
    with imported(python_design(describe(APPS[app], "workbench"))) as module:
        generated = only_store(module).table
        for few in description(APPS[app]).samples.values():
            for one in few:
                schema = generated.entities[one.schema.type]
                entity = schema.items.read(one.item)
                assert schema.items.write(dict(entity)) == one.item


def test_through_the_schema_plain_templates_and_patterns_stay_the_same() -> None:
    with imported(python_design(describe(Stories, "schema"))) as module:
        found = description(only_store(module))
    original = description(Stories)
    assert [one.key for one in found.entities] == [one.key for one in original.entities]
    conditions = {one.name: one.condition for one in original.patterns}
    # The schema has no shards, buckets, batches or numbers that are padded.
    lost = {"branches_after", "covers", "discover", "level"}
    assert {one.name for one in found.patterns} == conditions.keys() - lost
    differing = {one.name for one in found.patterns if one.condition != conditions[one.name]}
    assert differing == set()


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("form", ["workbench", "json", "schema"])
def test_every_generated_pattern_can_be_planned(app: str, form: str) -> None:
    with imported(python_design(describe(APPS[app], form))) as module:
        found = description(only_store(module)).patterns
    assert found
    assert [one.fault for one in found if one.fault] == []
