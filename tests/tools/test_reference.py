"""Everything that a user can name has its place in the reference, and the pages are up to date."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from singletable import errors as errors_of_the_library
from singletable.check.rule import all_rules
from singletable.cli import app
from singletable.errors import SingletableError
from tools import reference
from tools.reference import api, commands, errors, settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = reference.pages()


def _headings(page: str) -> set[str]:
    return set(re.findall(r"^#+ `(.+)`$", PAGES[page], re.MULTILINE))


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_as_it_would_be_written_now(name: str) -> None:
    file = reference.FOLDER / name
    kept = file.read_text("utf-8") if file.exists() else ""
    assert kept == PAGES[name], f"docs/reference/{name} is stale: {reference.COMMAND} writes it"


def test_there_are_no_other_pages() -> None:
    assert {file.name for file in reference.FOLDER.glob("*.md")} == set(PAGES)


def test_every_command_has_its_options_and_an_example() -> None:
    listed = list(commands.commands())
    assert {name for name, _ in listed} == _headings("commands.md")
    assert {name.split()[1] for name, _ in listed} == set(app_commands())
    for name, command in listed:
        section = PAGES["commands.md"].partition(f"## `{name}`")[2].partition("\n## ")[0]
        options = [param.opts[0] for param in command.params if param.opts[0].startswith("-")]
        assert not [option for option in options if option not in section], name
        assert commands.examples(command), f"{name} --help shows no example"


def test_completion_is_told_of() -> None:
    assert "| `--install-completion` |" in PAGES["commands.md"]


def app_commands() -> list[str]:
    """Name the commands as the command line itself does."""
    import typer

    group: Any = typer.main.get_command(app)
    return list(group.list_commands(None))


@pytest.mark.parametrize("page", sorted(api.MODULES))
def test_every_public_name_has_an_entry(page: str) -> None:
    module = import_module(api.MODULES[page].module)
    things = {name: getattr(module, name) for name in module.__all__}
    faults = {
        n for n, t in things.items() if isinstance(t, type) and issubclass(t, SingletableError)
    }
    assert set(things) - faults == _headings(f"{page}.md") - {module.__name__}
    assert faults <= _headings("errors.md")


def test_every_error_has_an_entry_with_what_to_do() -> None:
    declared = vars(errors_of_the_library).values()
    own = {e.__name__ for e in declared if isinstance(e, type) and issubclass(e, SingletableError)}
    assert own <= _headings("errors.md")
    assert PAGES["errors.md"].count("**What to do.**") == len(errors.names())


def test_every_setting_has_a_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \|(?:.*\|)? (.*) \|$", PAGES["settings.md"], re.MULTILINE)
    named = {name for name, meaning in rows if meaning}
    assert named >= {
        option.name for _, place, _ in settings.SECTIONS for option in settings.options(place)
    }
    assert named >= settings.environment()


def test_every_rule_has_a_page() -> None:
    assert not [code for code in all_rules() if not (ROOT / f"docs/check/{code}.md").exists()]


def test_an_error_without_a_remedy_is_refused() -> None:
    with pytest.raises(LookupError, match=r"lacks \['New'\] and has \['Old'\]"):
        errors._compare({"New"}, {"Old"})
