"""Tables: key names by convention or as given, and what DynamoDB would refuse."""

from __future__ import annotations

import importlib
import sys
from code import InteractiveInterpreter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import new_class
from typing import Any

import pytest

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.model.table import INTERNAL, GlobalIndex, LocalIndex, Table, camel_case


def test_names_are_by_convention_or_as_given() -> None:
    table = Table(
        "tab",
        pk="hash",
        sk="range",
        indexes=["GSI1", GlobalIndex("gsi", pk="p", sk=()), LocalIndex("lsi")],
    )
    assert table.index("GSI1").attributes == ("GSI1hash", "GSI1range")
    assert table.index("gsi").attributes == ("p",)
    assert table.index("lsi").attributes == ("hash", "lsirange")
    assert (table.pk, table.sk) == ("hash", "range")
    assert Table("tab", sk=None, indexes=["GSI1"]).index("GSI1").attributes == ("GSI1PK", "GSI1SK")


REFUSED: dict[str, tuple[Callable[[], Table], str]] = {
    "delimiter": (lambda: Table("tab", delimiter="##"), "delimiter is one character"),
    "twice": (lambda: Table("tab", indexes=["aaa", "aaa"]), "two indexes named"),
    "globals": (lambda: Table("tab", indexes=[f"gsi{n}" for n in range(21)]), "DynamoDB allows 20"),
    "locals": (lambda: Table("tab", indexes=[LocalIndex(f"lsi{n}") for n in range(6)]), "allows 5"),
    "local": (
        lambda: Table("tab", sk=None, indexes=[LocalIndex("lsi")]),
        "needs a table with a sort",
    ),
    "parts": (
        lambda: Table("tab", indexes=[GlobalIndex("gsi", pk=list("abcde"))]),
        "1 to 4 partition",
    ),
    "none": (lambda: Table("tab", indexes=[GlobalIndex("gsi", pk=[])]), "1 to 4 partition"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_dynamodb_refuses_is_refused_first(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(DesignError, match=message):
        make()


def test_entities_enter_themselves_and_are_found() -> None:
    table = Table("tab")

    class One(Entity, table=table, pk="ONE#{name}", sk="ONE", type="EINS"):
        name: str

    assert table.entities == {"EINS": One.__schema__}
    assert table.named("One") is One.__schema__
    assert table.named("Two") is None
    with pytest.raises(DesignError, match="has no index 'x'; it has: none"):
        table.index("x")


def test_camel_case() -> None:
    names = {"created_at": "createdAt", "name": "name", "a_b_c": "aBC"}
    assert {name: camel_case(name) for name in names} == names


@pytest.mark.parametrize("name", ["", "ab", "a b c", "täble", "a" * 256, None])
def test_names_are_those_that_dynamodb_takes(name: Any) -> None:
    with pytest.raises(DesignError, match="cannot name a table: a name has 3 to 255"):
        Table(name)
    with pytest.raises(DesignError, match="cannot name an index"):
        Table("things", indexes=[GlobalIndex(name)])
    assert Table("a_b.C-9").name == "a_b.C-9"


@pytest.mark.parametrize("kind", sorted(INTERNAL))
def test_a_type_that_marks_items_of_the_store_is_refused(kind: str) -> None:
    with pytest.raises(DesignError, match=rf"Thing has the type '{kind}', which marks items of"):

        class Thing(Entity, table=Table("things"), pk="T#{id}", sk="T", type=kind):
            id: str


def test_a_class_takes_the_place_of_its_own_earlier_self_alone() -> None:
    table = Table("tab")

    def made(module: str) -> Any:
        body = {"__module__": module, "__qualname__": "Order", "__annotations__": {"id": str}}
        options = {"table": table, "pk": "ORDER#{id}", "sk": "ORDER"}
        return new_class("Order", (Entity,), options, lambda space: space.update(body))

    made("shop.models")
    reloaded = made("shop.models")
    as_script = made("__main__")
    assert as_script.__schema__ is table.entities["Order"] is not reloaded.__schema__
    imported = made("shop.models")
    assert imported.__schema__ is table.entities["Order"]
    with pytest.raises(DesignError, match=r"^archive\.models\.Order and shop\.models\.Order both"):
        made("archive.models")
    assert imported.__schema__ is table.entities["Order"]


ORDER = """class Order(Entity, table=table, pk="ORDER#{id}", sk="ORDER"):
    id: str
"""
OTHER = """class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{id}"):
    customer_id: str
    id: str
"""
MAKER = """def made():
    class Order(Entity, table=table, pk="ORDER#{id}", sk="ORDER"):
        id: str


made()
made()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Modules of a program: one has the table, and others are to be written beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "shop_table.py").write_text(
        "from singletable import Table\n\ntable = Table('tab')\n"
    )
    yield tmp_path
    for name in ("shop_table", "shop_models"):
        sys.modules.pop(name, None)


def imported(folder: Path, text: str) -> Table:
    """Import the module of the entities, or the module as it is by now; give their table."""
    head = "from shop_table import table\nfrom singletable import Entity\n\n\n"
    (folder / "shop_models.py").write_text(head + text)
    importlib.invalidate_caches()
    known = sys.modules.get("shop_models")
    found = importlib.reload(known) if known else importlib.import_module("shop_models")
    table: Table = found.table
    return table


def test_two_classes_of_one_name_in_one_module_are_refused(package: Path) -> None:
    """The second would take the place of the first without a word."""
    said = "^shop_models.Order is declared in line 5, and another in line 9, which would take its"
    with pytest.raises(DesignError, match=said):
        imported(package, f"{ORDER}\n\n{OTHER}")


def test_a_module_that_is_loaded_again_declares_its_classes_again(package: Path) -> None:
    table = imported(package, ORDER)
    assert table is imported(package, ORDER)
    assert table is imported(package, f"LIMIT = 5\n\n\n{OTHER}")
    assert table.entities["Order"].key_fields == ("customer_id", "id")
    with pytest.raises(DesignError, match="declared in line 5, and another in line 10"):
        imported(package, f"{OTHER}\n\n{ORDER}")


def test_a_function_may_make_a_class_again(package: Path) -> None:
    assert [*imported(package, MAKER).entities] == ["Order"]


def test_a_cell_of_a_notebook_may_be_run_again() -> None:
    table = Table("tab")
    notebook = InteractiveInterpreter({"Entity": Entity, "table": table, "__name__": "__main__"})
    for cell in (ORDER, ORDER, f"\n\n{ORDER}", OTHER):
        notebook.runcode(compile(cell, "<cell>", "exec"))
    assert table.entities["Order"].key_fields == ("customer_id", "id")
