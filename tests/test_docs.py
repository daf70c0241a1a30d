"""Nothing in the documentation is unexecuted: examples run, commands and links exist."""

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest

from singletable.cli import Commands
from tools.reference.commands import commands

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
CODE = re.MULTILINE | re.DOTALL
COMMANDS = {
    name.removeprefix("singletable "): {"--help", *(o for p in command.params for o in p.opts)}
    for name, command in commands()
}
# Of all that is installed here, a reader has this plugin alone; it is faster, too.
PLUGINS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "singletable.pytest_plugin",
}
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


def _links(page: Path) -> list[tuple[str, str]]:
    """List the links of a page to others, each with its anchor, and leave code alone."""
    prose = re.sub(r"^```.*?^```|`[^`\n]+`", "", page.read_text("utf-8"), flags=CODE)
    return re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", prose)


def _leads_somewhere(page: Path, target: str, anchor: str) -> bool:
    file = page.parent / target if target else page
    return file.exists() and (not anchor or anchor in _anchors(file))


def _anchors(page: Path) -> set[str]:
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=CODE)
    return {_anchor(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)}


def _anchor(heading: str) -> str:
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def _is_understood(line: str) -> bool:
    """Tell whether there is such a command, with such options."""
    words = line.partition("#")[0].split()
    name = " ".join(takewhile(lambda word: re.fullmatch(r"[a-z]+", word), words))
    found = next((n for n in COMMANDS if f"{name} ".startswith(f"{n} ")), None)
    if found is None:  # a group of commands, or what follows is no command of ours
        return any(n.startswith(f"{name} ") for n in COMMANDS) or not name
    return {word for word in words if word.startswith("--")} <= COMMANDS[found]


WITH_CODE = [page for page in PAGES if _script(page)]
WITH_TESTS = [page for page in WITH_CODE if "def test_" in _script(page)]


@pytest.fixture(autouse=True)
def _own_loop() -> Iterator[None]:
    """Give what a page makes in passing, such as mangum, an event loop that is closed again."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


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
    environment = {**os.environ, **PLUGINS}
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode in {0, 5}, ran.stdout + ran.stderr


@pytest.mark.parametrize(("kind", "read"), [("toml", tomllib.loads), ("json", json.loads)])
def test_data_that_is_shown_can_be_read(kind: str, read: Callable[[str], object]) -> None:
    block = re.compile(rf"^```{kind}\n(.*?)^```", CODE)
    found = [text for page in PAGES for text in block.findall(page.read_text("utf-8"))]
    assert found
    for text in found:
        read(text)


def test_the_readme_has_an_example() -> None:
    assert ".connect(" in _script(ROOT / "README.md")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    assert not [link for link in _links(page) if not _leads_somewhere(page, *link)]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_that_are_shown_exist(page: Path) -> None:
    code = "\n".join(re.findall(r"^```.*?^```|`[^`\n]+`", page.read_text("utf-8"), CODE))
    shown = re.findall(r"^[`$ ]*singletable ([^`\n]+)", code, re.MULTILINE)
    assert not [each for each in shown if not _is_understood(each)]


def test_what_does_not_exist_is_noticed() -> None:
    page = ROOT / "docs/README.md"
    assert _leads_somewhere(page, "cost.md", "where-they-differ")
    assert not _leads_somewhere(page, "cost.md", "nowhere")
    assert not _leads_somewhere(page, "nowhere.md", "")
    assert _is_understood("check TARGET --format json")
    assert not _is_understood("check TARGET --quickly")
    assert not _is_understood("chekc TARGET")


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Is the file sound?", "is-the-file-sound"),
        ("`singletable migrate run`", "singletable-migrate-run"),
        ("A [link](x.md), & more", "a-link--more"),
    ],
)
def test_anchors_are_made_as_github_makes_them(heading: str, anchor: str) -> None:
    assert _anchor(heading) == anchor


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?|\w+\.py)`", text))
    assert "engine/storage.py" in named
    assert not [path for path in named if not (ROOT / "src/singletable" / path).exists()]


def test_the_architecture_names_every_part() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    parts = {path.name for path in (ROOT / "src/singletable").iterdir() if path.name[0] != "_"}
    assert not [part for part in parts - {"py.typed"} if f"| `{part}" not in text]


@pytest.mark.parametrize("folder", ["patterns", "check", "guides", "reference"])
def test_an_index_lists_every_page_of_its_folder(folder: str) -> None:
    pages = {page.name for page in (ROOT / "docs" / folder).glob("*.md")} - {"README.md"}
    index = (ROOT / "docs" / folder / "README.md").read_text("utf-8")
    assert pages <= set(re.findall(r"\]\(([\w-]+\.md)\)", index))


def test_the_index_lists_every_page_and_folder() -> None:
    docs = ROOT / "docs"
    pages = {page.name for page in docs.glob("*.md")} | {
        str(page.relative_to(docs)) for page in docs.glob("*/README.md")
    }
    assert pages - {"README.md"} == {target for target, _ in _links(docs / "README.md")}


def test_the_guide_to_testing_names_every_fixture() -> None:
    plugin = (ROOT / "src/singletable/pytest_plugin.py").read_text("utf-8")
    fixtures = re.findall(r"^@pytest\.fixture.*\ndef (\w+)", plugin, re.MULTILINE)
    guide = (ROOT / "docs/guides/testing.md").read_text("utf-8")
    assert fixtures
    assert not [name for name in fixtures if f"`{name}`" not in guide]


def test_the_index_lists_every_command() -> None:
    index = (ROOT / "docs/README.md").read_text("utf-8")
    listed = re.findall(r"^\| `singletable (\w+)", index, re.MULTILINE)
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
