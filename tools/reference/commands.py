"""The command line: every command with its options, and an example."""

import re
import typing
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import typer

from singletable.cli import app

INTRO = """\
# Commands

Every command of `singletable`, with its arguments, options and an example.

TARGET, in most commands, is a store: `package.module:Store`, or a file that has one,
`path/design.py`. `singletable COMMAND --help` says the same as this page.

```
{epilog}
```"""


COMPLETION = """\
`singletable --install-completion`, run once, has bash and zsh (and fish and PowerShell) complete
commands and options from the next session on."""


def page() -> str:
    """Write the page."""
    root = typer.main.get_command(app)
    intro = INTRO.format(epilog=str(root.epilog).replace("\b\n", "").strip())
    entries = (part for each in commands() for part in _entry(*each))
    return "\n\n".join([intro, *_options(root), COMPLETION, *entries]) + "\n"


def commands() -> Iterator[tuple[str, Any]]:
    """List the commands that do something, by their whole names."""
    return _walk("singletable", typer.main.get_command(app))


def examples(command: Any) -> list[str]:
    """List the lines of a command's help that show how it is called."""
    told = f"{command.help or ''}\n{command.epilog or ''}"
    return re.findall(r"^\s*\$? ?(singletable .+?)\s*$", told, re.MULTILINE)


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for each in command.list_commands(None):
        yield from _walk(f"{name} {each}", command.get_command(None, each))


def _entry(name: str, command: Any) -> Iterator[str]:
    yield f"## `{name}`"
    yield _prose(command.help or "")
    yield f"```\n{_usage(name, command)}\n```"
    shown = examples(command)
    if shown:
        yield "For example:"
        yield "```\n" + "\n".join(shown) + "\n```"
    yield from _options(command)


def _options(command: Any) -> Iterator[str]:
    params = [param for param in command.params if not param.hidden]
    if params:
        rows = [f"| `{_spelling(each)}` | {_meaning(each, command)} |" for each in params]
        yield "\n".join(["| option | meaning |", "|---|---|", *rows])


def _usage(name: str, command: Any) -> str:
    needed = [_spelling(param).rpartition(", ")[2] for param in command.params if param.required]
    optional = any(not param.required for param in command.params)
    return " ".join([name, *needed, *(["[OPTIONS]"] if optional else [])])


def _prose(text: str) -> str:
    """Give the help without its examples, which stand below it."""
    paragraphs = text.replace("\b", "").split("\n\n")
    plain = [
        each for each in paragraphs if not re.match(r"\s*(Examples?:|\$? ?singletable )", each)
    ]
    return "\n\n".join(" ".join(each.split()) for each in plain)


def _spelling(param: Any) -> str:
    name = param.metavar or _placeholder(param)
    if not param.opts[0].startswith("-"):
        return name if param.required else f"[{name}]"
    flags = ", ".join(param.opts + param.secondary_opts)
    return flags if getattr(param, "is_flag", False) else f"{flags} {name}"


def _placeholder(param: Any) -> str:
    number = isinstance(param.default, int | float)
    return "N" if number else str(param.opts[0]).lstrip("-").upper()


def _meaning(param: Any, command: Any) -> str:
    said = [(param.help or "").strip()]
    choices = _choices(param, command)
    if choices:
        said.append("One of " + ", ".join(f"`{choice}`" for choice in choices) + ".")
    if getattr(param, "multiple", False):
        said.append("Can be repeated.")
    if _has_default(param):
        said.append(f"Default: `{param.default}`.")
    if param.envvar:
        said.append(f"Environment: `{param.envvar}`.")
    return _bare(" ".join(said))


def _has_default(param: Any) -> bool:
    shown = param.default not in {None, False, ()} if _hashable(param.default) else False
    return shown and not callable(param.default) and not param.required


def _hashable(value: object) -> bool:
    return not isinstance(value, list | dict | set)


def _choices(param: Any, command: Any) -> tuple[str, ...]:
    hint = typing.get_type_hints(command.callback).get(param.name)
    options = (hint, *get_args(hint))
    return next((get_args(each) for each in options if get_origin(each) is Literal), ())


def _bare(text: str) -> str:
    """Keep what is literal from being taken for Markdown."""
    return text.replace("|", "\\|").replace("<", "&lt;")
