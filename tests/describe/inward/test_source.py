"""Generated designs are Python that compiles, checks and reads well."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from singletable import Store
from singletable.describe import describe, python_design
from tests.describe.designs import imported, only_store
from tests.describe.golden import APPS
from tests.describe.inward.models import item, model

ODD = model(
    [
        item(
            PK="A#1",
            SK="A",
            Type="A",
            GSI1__PK="X#1",
            GSI1__SK="y",
            copy="shadows",
            model_x="taken",
            **{"class": "keyword", "2nd": "digit", "Created At": "spaces", 'quo"te': "q"},
            picture={"B": "AQ=="},
            date="2026-01-01",
            numbers={"NS": ["1", "2"]},
            price={"N": "1.5"},
        )
    ],
    indexes={"GSI1": ("GSI1-PK", "GSI1-SK")},
)


def test_names_that_python_does_not_allow_are_changed_and_attributes_kept() -> None:
    with imported(python_design(ODD)) as module:
        (schema,) = only_store(module).table.entities.values()
        attributes = dict(schema.attributes)
    assert attributes["class_"] == "class"
    assert attributes["copy_"] == "copy"
    assert attributes["field_2nd"] == "2nd"
    assert attributes["created_at"] == "Created At"
    assert attributes["date_"] == "date"
    assert attributes["field_model_x"] == "model_x"
    assert attributes["quo_te"] == 'quo"te'


def test_indexes_with_names_of_their_own_are_declared_with_them() -> None:
    text = python_design(ODD)
    assert 'indexes=[GlobalIndex("GSI1", pk="GSI1-PK", sk="GSI1-SK")]' in text


@pytest.mark.parametrize("app", APPS)
def test_generated_designs_are_formatted_and_pass_the_linter(app: str, tmp_path: Path) -> None:
    file = tmp_path / "design.py"
    file.write_text(python_design(describe(APPS[app], "workbench")), "utf-8")
    assert max(map(len, file.read_text("utf-8").splitlines())) <= 100
    compile(file.read_text("utf-8"), str(file), "exec")
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=E,F,I,W,UP,D1", "-q"]
    ruff.append("--line-length=100")
    ran = subprocess.run([*ruff, str(file)], capture_output=True, text=True, check=False)
    assert ran.stdout + ran.stderr == ""


def test_a_model_with_several_tables_has_a_store_for_each() -> None:
    document = json.loads(model([item(PK="A#1", SK="A", Type="A")]))
    other = document["DataModel"][0] | {"TableName": "second"}
    other["TableData"] = [item(PK="B#1", SK="B", Type="B")]
    document["DataModel"].append(other)
    with imported(python_design(json.dumps(document))) as module:
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        stores = {one.table.name for one in classes if issubclass(one, Store) and one is not Store}
    assert stores == {"shop", "second"}


def test_a_description_cannot_break_out_of_its_docstring() -> None:
    document = json.loads(model([item(PK="A#1", SK="A", Type='A"""\\')]))
    document["ModelMetadata"]["Description"] = 'x"""; import os; """ \\'
    with imported(python_design(json.dumps(document))) as module:
        assert not hasattr(module, "os")


def test_braces_in_a_key_stay_braces() -> None:
    with imported(python_design(model([item(PK="A{x}#1", SK="{A}", Type="A")]))) as module:
        (schema,) = only_store(module).table.entities.values()
        assert schema.item_key({"a_id": "1"})["PK"] == {"S": "A{x}#1"}
