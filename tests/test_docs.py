"""Nothing in the documentation is unexecuted: examples run, commands and links exist."""

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from singletable.cli import Commands

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _script(page: Path) -> str:
    """Join a page's examples into one script whose line numbers are the page's."""
    text = page.read_text("utf-8")
    script: list[str] = []
    for block in PYTHON_BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        script += [""] * (first - len(script)) + block[1].splitlines()
    return "\n".join(script)


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_CODE = [page for page in PAGES if _script(page)]
WITH_TESTS = [page for page in WITH_CODE if "def test_" in _script(page)]


@pytest.mark.parametrize("page", [page for page in WITH_CODE if page not in WITH_TESTS], ids=_name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a module of its own, which Python's own tools for types and pickles can find."""
    monkeypatch.chdir(tmp_path)
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    exec(compile(_script(page), str(page), "exec"), vars(module))  # noqa: S102 - the page's code


@pytest.mark.parametrize("page", WITH_TESTS, ids=_name)
def test_examples_of_tests_run(page: Path, tmp_path: Path) -> None:
    """As a file of tests, in a pytest of its own; it ends with 5 if there are none."""
    example = tmp_path / "test_example.py"
    example.write_text(_script(page), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(example)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode in {0, 5}, ran.stdout + ran.stderr


def test_the_readme_has_an_example_and_a_test() -> None:
    script = _script(ROOT / "README.md")
    assert "Engine(" in script
    assert "def test_" in script


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8"))
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?|\w+\.py)`", text))
    assert "engine/storage.py" in named
    assert not [path for path in named if not (ROOT / "src/singletable" / path).exists()]


def test_the_architecture_names_every_part() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    parts = {path.name for path in (ROOT / "src/singletable").iterdir() if path.name[0] != "_"}
    assert not [part for part in parts - {"py.typed"} if f"| `{part}" not in text]


@pytest.mark.parametrize("folder", ["patterns", "check"])
def test_an_index_lists_every_page_of_its_folder(folder: str) -> None:
    pages = {page.name for page in (ROOT / "docs" / folder).glob("*.md")} - {"README.md"}
    index = (ROOT / "docs" / folder / "README.md").read_text("utf-8")
    assert pages <= set(re.findall(r"\]\(([\w-]+\.md)\)", index))


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^\| `singletable (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(Commands().list_commands(None))


def test_every_make_target_in_the_documentation_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:^|`)make (\w+)", page.read_text("utf-8"), re.MULTILINE)
    }
    assert {"demo", "test"} <= named
    assert not [target for target in named if not re.search(f"^{target}:", makefile, re.MULTILINE)]
