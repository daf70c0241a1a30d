"""``singletable new`` makes a project that runs, checks, tests and deploys."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from singletable import cli

MAIN = "from singletable.cli import main; main()"
SINGLETABLE = (sys.executable, "-c", MAIN)
FILES = [
    "book-shelf/.gitignore",
    "book-shelf/README.md",
    "book-shelf/book_shelf/__init__.py",
    "book-shelf/book_shelf/__main__.py",
    "book-shelf/book_shelf/design.py",
    "book-shelf/deploy.toml",
    "book-shelf/pyproject.toml",
    "book-shelf/tests/test_design.py",
]


def _new(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["new", *arguments])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was just made."""
    folder = tmp_path_factory.mktemp("new")
    assert _new("book-shelf", "--in", str(folder)).exit_code == 0
    return folder / "book-shelf"


def _ran(project: Path, *command: str) -> str:
    """Run a command in the project, which must succeed; give what it prints."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"}
    ran = subprocess.run(
        command,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_it_prints_the_files_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = _new("book-shelf")
    assert made.exit_code == 0, made.output
    assert sorted(made.stdout.split()) == FILES
    assert sorted(str(path) for path in Path().rglob("*") if path.is_file()) == FILES
    assert "cd book-shelf" in made.stderr


def test_programs_are_told_the_files_too(tmp_path: Path) -> None:
    made = json.loads(_new("book-shelf", "--in", str(tmp_path), "--format", "json").stdout)
    assert made["folder"] == str(tmp_path / "book-shelf")
    assert len(made["files"]) == len(FILES)


def test_it_runs(project: Path) -> None:
    assert "Write down the access patterns" in _ran(project, sys.executable, "-m", "book_shelf")


def test_it_has_no_faults_and_three_patterns(project: Path) -> None:
    assert "nothing found" in _ran(project, *SINGLETABLE, "check", "book_shelf/design.py")
    shown = _ran(project, *SINGLETABLE, "explain", "book_shelf/design.py", "--format", "json")
    assert [one["name"] for one in json.loads(shown)] == ["note", "notes", "notes_with_status"]
    assert "USD" in _ran(project, *SINGLETABLE, "cost", "book_shelf/design.py")


def test_it_deploys(project: Path) -> None:
    options = ("--config", "deploy.toml", "--out", "template.yaml")
    _ran(
        project, *SINGLETABLE, "deploy", "book_shelf.design", "--format", "cloudformation", *options
    )
    _ran(project, str(Path(sys.executable).with_name("cfn-lint")), "template.yaml")


def test_its_tests_pass(project: Path) -> None:
    assert "4 passed" in _ran(project, sys.executable, "-m", "pytest", "-p", "no:cacheprovider")


def test_its_types_are_right(project: Path) -> None:
    assert "Success" in _ran(project, sys.executable, "-m", "mypy")


def test_its_code_is_formatted(project: Path) -> None:
    ruff = (sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "100")
    _ran(project, *ruff, "--check", ".")


def test_its_readme_names_commands_and_files_that_exist(project: Path) -> None:
    readme = (project / "README.md").read_text("utf-8")
    assert "$" not in readme
    named = {word for word in readme.split() if word.startswith("book_shelf/")}
    assert {"book_shelf/design.py"} == named
    commands = {line.split()[1] for line in readme.splitlines() if line.startswith("singletable ")}
    assert commands <= set(cli.Commands().list_commands(None))


def test_its_readme_installs_from_a_clone_what_no_registry_has(project: Path) -> None:
    readme = (project / "README.md").read_text("utf-8")
    assert readme.index("pip install path/of/the/clone\n") < readme.index("pip install --editable")
    assert "pip install 'path/of/the/clone[aws]'" in readme
    assert "pip install 'singletable" not in readme


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    theirs = tmp_path / "shelf" / "mine.txt"
    theirs.parent.mkdir()
    theirs.write_text("mine", "utf-8")
    (tmp_path / "cellar").write_text("a file", "utf-8")
    for name in ("shelf", "cellar"):
        refused = _new(name, "--in", str(tmp_path))
        assert refused.exit_code == 2
        assert f"{tmp_path / name} is there already: choose another name" in refused.output
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] != []
    assert list(theirs.parent.iterdir()) == [theirs]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    assert _new("shelf", "--in", str(tmp_path)).exit_code == 0
    assert (tmp_path / "shelf" / "shelf" / "design.py").is_file()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ab", "'ab' cannot be a project's name: write 3 to 100 small letters and digits"),
        ("x" * 101, "cannot be a project's name"),
        ("Shelf", "cannot be a project's name"),
        ("my shelf", "cannot be a project's name"),
        ("../shelf", "cannot be a project's name"),
        ("shelf-", "cannot be a project's name"),
        ("7shelf", "cannot be a project's name"),
        ("lambda", "Python has a 'lambda' already"),
        ("json", "Python has a 'json' already"),
        ("tests", "Python has a 'tests' already"),
        ("singletable", "Python has a 'singletable' already"),
        ("python-ulid", ""),
    ],
)
def test_a_name_that_would_not_work_is_refused(name: str, said: str, tmp_path: Path) -> None:
    made = _new(name, "--in", str(tmp_path))
    assert made.exit_code == (2 if said else 0)
    assert said in made.output
    assert bool(said) == (list(tmp_path.iterdir()) == [])
