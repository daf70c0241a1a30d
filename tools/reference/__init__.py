"""The reference pages, made from the code: commands, public names, errors, settings.

``python -m tools.reference`` writes them into docs/reference; a test compares them. What the code
does not say for itself, such as what to do about an error, is data beside this: a name that has
none there is refused, and so is one too many.
"""

from collections.abc import Callable
from pathlib import Path

from . import api, commands, errors, settings

FOLDER = Path(__file__).resolve().parents[2] / "docs/reference"
COMMAND = "python -m tools.reference"


def pages() -> dict[str, str]:
    """Make every page: the name of its file → its text."""
    made: dict[str, Callable[[], str]] = {
        "commands.md": commands.page,
        "errors.md": errors.page,
        "settings.md": settings.page,
        **{f"{name}.md": module.page for name, module in api.MODULES.items()},
    }
    texts = {name: make() for name, make in made.items()}
    return {"README.md": _index(texts), **texts}


def write() -> None:
    """Write every page, and remove those that are no longer made."""
    made = pages()
    for stale in set(FOLDER.glob("*.md")) - {FOLDER / name for name in made}:
        stale.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, "utf-8")


def _index(texts: dict[str, str]) -> str:
    rows = [f"| [{_title(text)}]({name}) | {_first(text)} |" for name, text in texts.items()]
    head = [
        "# Reference",
        "",
        f"Made from the code by `{COMMAND}`, and compared with it by the tests. The rules of",
        "`singletable check` have [a page each](../check/README.md).",
        "",
        "| page | what it lists |",
        "|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _first(text: str) -> str:
    """Give the first paragraph of a page as one line."""
    return text.split("\n\n")[1].replace("\n", " ")
