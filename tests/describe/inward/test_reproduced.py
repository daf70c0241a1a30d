"""Whatever the sample items are, a generated design compiles and makes the keys that they have."""

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.describe import python_design
from singletable.describe.inward import read_design
from singletable.errors import UsageError
from singletable.model.keys import Keys, TemplateKey
from tests.describe.designs import imported, only_store
from tests.describe.inward.models import item, model

WORDS = st.sampled_from(["USER", "ORDER", "a", "Type", "x y", "{b}", "é", "pk", "model_x", "v1"])
VALUES = st.sampled_from(["1", "02", "007", "99", "u1", "Ann", "ann", "2026-01-05", "2026-01", ""])
KEYS = st.lists(WORDS | VALUES, min_size=1, max_size=3).map("#".join).filter(bool)
NAMES = st.sampled_from(["userId", "id", "class", "Order-Id", "status", "n", "Type", "copy", "PK2"])
ATTRIBUTES = st.dictionaries(NAMES, VALUES | st.integers(0, 120) | st.booleans(), max_size=4)
ITEMS = st.tuples(KEYS, KEYS, st.sampled_from(["A", "B"]), st.none() | KEYS, ATTRIBUTES)
INDEXES: dict[str, tuple[str, str | None]] = {"GSI1": ("GSI1PK", "GSI1SK")}


def _item(pk: str, sk: str, kind: str, index: str | None, attributes: Any) -> dict[str, Any]:
    made = item(PK=pk, SK=sk, entityType=kind, **attributes)
    return made if index is None else made | item(GSI1PK=index, GSI1SK=sk)


@given(st.lists(ITEMS, min_size=1, max_size=6, unique_by=lambda one: one[:2]))
def test_keys_are_reproduced(drawn: list[tuple[str, str, str, str | None, Any]]) -> None:
    items = [_item(*one) for one in drawn]
    text = model(items, indexes=INDEXES)
    named = {entity.type for entity in read_design(text).tables[0].entities}
    with imported(python_design(text)) as module:
        entities = only_store(module).table.entities
        assert entities.keys() == named
        for one in items:
            schema = entities.get(one["entityType"]["S"])
            for keys in schema.all_keys if schema else ():
                _check(keys, one)


def _check(keys: Keys, one: dict[str, Any]) -> None:
    """Check that a key, read by its template, is written again as it was."""
    for part in (*keys.pk, *keys.sk):
        if isinstance(part, TemplateKey) and part.attribute in one:
            key = one[part.attribute]["S"]
            told = part.template.parse(key)
            assert told is not None, (part.template.text, key)


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "DataModel",
                        "tables",
                        "TableName",
                        "KeyAttributes",
                        "PartitionKey",
                        "AttributeName",
                        "TableData",
                        "TableFacets",
                        "ModelMetadata",
                        "table_config",
                        "entities",
                        "KeySchema",
                        "items",
                        "fields",
                    ]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_what_is_no_model_is_refused_and_breaks_nothing(document: Any) -> None:
    with suppress(UsageError):
        read_design(json.dumps(document))
