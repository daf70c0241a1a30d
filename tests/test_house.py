"""Rules that hold for every file, and what importing the library may cost."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from pkgutil import iter_modules

import pytest

import singletable
from singletable.cli._commands import MODULES_BY_EXTRA

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/singletable"
# Registries' hosts, links into them, and folders that exist on one machine only.
FOREIGN = re.compile(
    r"pypi\.org|pythonhosted|registry\.(npmjs|yarnpkg)|(?<![\w.~-])/(root|home|Users|work)/"
)
IMPORT_MS_MAX = 120


def _kept_files() -> list[Path]:
    """List what git keeps, or would keep once added."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout: nothing says which files are kept")
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def _modules_after(statement: str) -> set[str]:
    """Run a statement in a new interpreter; name the modules that are loaded then."""
    script = f"{statement}; import sys; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    return set(shown.stdout.decode().split())


def test_no_file_names_a_registry_host_or_a_path_of_one_machine() -> None:
    named = {
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in _kept_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if path != Path(__file__) and FOREIGN.search(line)
    }
    assert not named


@pytest.mark.parametrize("folder", ["src", "tests", "bench", "apps", "tools"])
def test_every_module_says_what_it_owns(folder: str) -> None:
    modules = ((path, path.read_text("utf-8")) for path in (ROOT / folder).rglob("*.py"))
    silent = [
        str(path.relative_to(ROOT))
        for path, text in modules
        if text and not ast.get_docstring(ast.parse(text))
    ]
    assert not silent


def test_no_part_is_imported_as_an_attribute_of_the_package() -> None:
    """Not ``from singletable import engine``, which may find one that is no longer imported.

    ``mock.patch.dict(sys.modules)`` forgets what its block imported. The package, which the plugin
    for pytest imports before, stays, and so does its attribute: old and new parts then meet.
    """
    parts = {module.name for module in iter_modules(singletable.__path__)}
    imported = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {alias.name}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "singletable"
        for alias in node.names
        if alias.name in parts
    ]
    assert not imported


def test_errors_are_caught_after_an_import_was_undone() -> None:
    script = """
import sys
from unittest import mock

import singletable


def fail():
    from singletable.engine import Engine

    with Engine() as engine:
        try:
            engine.describe_table(TableName="Nope")
        except engine.exceptions.ResourceNotFoundException:
            pass


with mock.patch.dict(sys.modules):
    fail()
fail()
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_services_use_nothing_but_public_names() -> None:
    public = {"singletable", "singletable.migrate", "singletable.streams", "singletable.sync"}
    public |= {"singletable.streams.events", "singletable.streams.search"}
    used = {
        (str(path.relative_to(ROOT)), node.module)
        for path in (ROOT / "apps").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("singletable")
    }
    assert {module for _, module in used} <= public, used


def test_public_names_are_all_there() -> None:
    named = {
        name: getattr(getattr(singletable, name), "__name__", name)  # a constant has none
        for name in singletable.__all__
    }
    assert named == {name: name for name in singletable.__all__}
    assert set(singletable.__all__) <= set(dir(singletable))


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'singletable' has no attribute 'Motor'"):
        getattr(singletable, "Motor")  # noqa: B009 - mypy rightly refuses singletable.Motor


def test_importing_the_library_loads_nothing_that_is_not_used() -> None:
    loaded = _modules_after("import singletable")
    assert not loaded & {"boto3", "botocore", "orjson", "pydantic", "rich", "sqlite3", "typer"}


def test_the_engine_loads_no_sdk_no_models_and_no_web() -> None:
    loaded = _modules_after("from singletable import Engine; Engine().close()")
    assert "sqlite3" in loaded
    assert not loaded & {"boto3", "botocore", "pydantic", "rich", "typer", "uvicorn"}


def test_a_design_loads_no_sdk_no_engine_and_no_event_loop() -> None:
    loaded = _modules_after("from singletable import Entity, Query, Store, Table, pattern")
    assert "pydantic" in loaded
    unneeded = {"asyncio", "boto3", "botocore", "concurrent.futures", "ksuid", "sqlite3", "ulid"}
    assert not loaded & {*unneeded, "rich", "singletable.engine", "typer"}


def test_importing_the_library_takes_no_time() -> None:
    """Processor time, the best of three, stands for an idle machine."""
    script = "from time import process_time as t; s = t(); import singletable; print(t() - s)"
    runs = [subprocess.check_output([sys.executable, "-c", script]) for _ in range(3)]
    assert min(float(run) for run in runs) * 1000 < IMPORT_MS_MAX


def test_every_extra_that_the_command_line_names_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(MODULES_BY_EXTRA) <= set(project["optional-dependencies"])
