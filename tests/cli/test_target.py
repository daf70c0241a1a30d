"""The store that a command works on, found by a module's name or by a file."""

import os
import sys
from pathlib import Path

import pytest
import typer

from singletable import Store
from singletable.cli._commands import plainly
from singletable.cli._target import load
from singletable.errors import DesignError, UsageError

ROOT = Path(__file__).parents[2]
DESIGN = """
from singletable import Entity, Store, Table

table = Table("things")


class Shop(Store, table=table):
    pass
"""


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Work in an empty folder, and leave the path and the modules as they were."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", {**sys.modules})


def test_a_file_with_one_store() -> None:
    Path("design.py").write_text(DESIGN)
    assert load("design.py").__name__ == "Shop"
    assert issubclass(load("design.py"), Store)
    assert load("./design.py:Shop") is load("design.py")


def test_two_files_of_one_name_are_two_modules() -> None:
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "design.py").write_text(DESIGN)
    assert load("one/design.py") is not load("two/design.py")


def test_a_file_in_a_package_is_imported_as_a_part_of_it() -> None:
    package = Path("lib/shop")
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "names.py").write_text("NAME = 'things'\n")
    (package / "design.py").write_text("from .names import NAME\n" + DESIGN)
    assert load("lib/shop/design.py").__module__ == "shop.design"


def test_a_module_of_the_current_directory() -> None:
    Path("my_design.py").write_text(DESIGN)
    assert load("my_design").__name__ == load("my_design:Shop").__name__ == "Shop"


def test_a_store_that_a_module_only_imports_is_found_where_it_has_none_of_its_own() -> None:
    Path("my_stores.py").write_text(DESIGN)
    Path("my_app.py").write_text("from my_stores import Shop\n")
    assert load("my_app").__name__ == "Shop"


def test_a_store_that_is_imported_does_not_count_beside_its_own() -> None:
    Path("their_stores.py").write_text(DESIGN)
    own = DESIGN.replace("Shop", "Mine")
    Path("our_app.py").write_text("from their_stores import Shop\n" + own)
    assert load("our_app").__name__ == "Mine"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("", "'' names no module"),
        (":Shop", "':Shop' names no module"),
        ("nowhere", "There is no module 'nowhere'"),
        ("singletable.nowhere:Store", "There is no module 'singletable.nowhere'"),
        ("nowhere.py", "There is no file"),
        ("singletable.values", "it has no store: class MyStore(Store, table=table)"),
        ("two.py", "two.py: name one of its stores behind it: :Shop, :Market"),
        ("two.py:Bazaar", "two.py has no 'Bazaar'; name one of its stores behind it: :Shop"),
        ("two.py:table", "two.py has a 'table' that is no store"),
        ("two:Store", "two has a 'Store' that is no store"),
        ("broken.py", "broken.py cannot be imported: ModuleNotFoundError: No module named 'nix'"),
        ("wrong.py", "wrong.py cannot be imported: SyntaxError"),
    ],
)
def test_what_is_no_store_is_refused(target: str, said: str) -> None:
    market = "class Market(Store, table=table):\n    pass\n"
    Path("two.py").write_text(DESIGN + market)
    Path("broken.py").write_text("import nix\n")
    Path("wrong.py").write_text("class\n")
    with pytest.raises(UsageError) as refusal:
        load(target)
    assert said in str(refusal.value)


def test_a_file_that_is_no_python_is_refused() -> None:
    Path("notes.txt").write_text("x = 1\n")
    with pytest.raises(UsageError, match=r"notes\.txt is no Python: write package\.module:Store"):
        load("./notes.txt")


def test_a_file_that_cannot_be_read_is_named_without_python_s_own_lines() -> None:
    Path("closed.py").symlink_to("elsewhere.py")
    Path("elsewhere.py").write_bytes(b"")
    Path("elsewhere.py").chmod(0)
    if os.access("elsewhere.py", os.R_OK):
        pytest.skip("root may read anything")
    with pytest.raises(UsageError, match=r"Permission denied: '[^']+'$"):
        load("closed.py")


def test_an_error_inside_of_a_library_is_told_with_the_line_that_led_there() -> None:
    Path("uses.py").write_text("import json\n\njson.loads('{')\n")
    with pytest.raises(UsageError, match=r"JSONDecodeError: .* \(uses\.py, line 3\)$"):
        load("uses.py")


def test_a_file_that_failed_leaves_no_module_behind() -> None:
    Path("half.py").write_text("1 / 0\n")
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        load("half.py")
    assert "half" not in sys.modules


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (
            DESIGN.replace('Table("things")', 'Table("things", delimiter="##")'),
            r"the delimiter is one character.* \(faulty\.py, line 4\)$",
        ),
        (
            DESIGN + 'class A(Entity, table=table, pk="A#{aid}", sk="A"):\n    name: str\n',
            r"A\.pk 'A#\{aid\}': there is no field 'aid'.* \(faulty\.py, line 9\)$",
        ),
    ],
    ids=["table", "entity"],
)
def test_a_fault_of_the_design_itself_is_told_with_its_line(design: str, said: str) -> None:
    Path("faulty.py").write_text(design)
    with pytest.raises(DesignError, match=said):
        load("faulty.py")


def test_a_fault_of_a_design_that_is_imported_is_told_with_the_line_there() -> None:
    Path("inner_design.py").write_text("from singletable import Table\ntable = Table('t')\n")
    Path("outer_design.py").write_text("\n\nfrom inner_design import table\n")
    with pytest.raises(DesignError, match=r"'t' cannot name .* \(inner_design\.py, line 2\)$"):
        load("outer_design")


def test_errors_are_printed_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as stop, plainly("check"):
        raise UsageError("this is wrong")
    assert stop.value.exit_code == 2
    assert capsys.readouterr().err == "singletable check: this is wrong\n"
