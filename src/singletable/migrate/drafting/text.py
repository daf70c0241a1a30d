"""The draft as a Python module: one that imports and type checks, to be read and mended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from singletable.store.store import Store

from .arranging import ROW, DraftRule, Making
from .names import identifier, quoted
from .values import Value

WIDTH = 100
_INDENT = " " * 4


def module(store: type[Store], rules: Sequence[DraftRule], notes: Sequence[str]) -> str:
    """Write the module."""
    lines = [
        f'"""A first draft of the way to {store.__name__}: read it before you run it."""',
        "",
        "from collections.abc import Iterator",
        "",
        "from singletable import Entity",
        _import("singletable.migrate", _used(rules)),
        "",
        *_designs(store, rules),
        "",
        "",
        f"class To{store.__name__}(Migration[{store.__name__}]):",
        f'{_INDENT}"""From {sum(1 + len(rule.related) for rule in rules)} tables to one."""',
        *(line for rule in rules for line in _rule(rule)),
        *_noted(notes),
    ]
    return "\n".join(lines) + "\n"


def _used(rules: Iterable[DraftRule]) -> list[str]:
    values = (value for rule in rules for making in rule.makings for value in making.values)
    holes = any(value.reads is None for value in values)
    return ["Migration", "Row", "rows", *(["unmatched"] if holes else [])]


def _designs(store: type[Store], rules: Iterable[DraftRule]) -> Iterator[str]:
    """Import the store and the entities from where they are declared."""
    entities = {making.match.schema.entity for rule in rules for making in rule.makings}
    modules: dict[str, set[str]] = {}
    for one in (store, *entities):
        modules.setdefault(one.__module__, set()).add(one.__name__)
    for name, names in sorted(modules.items()):
        yield _import(name, sorted(names))


def _import(module_name: str, names: Sequence[str]) -> str:
    line = f"from {module_name} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module_name} import (", *(f"{_INDENT}{one}," for one in names), ")"])


def _rule(rule: DraftRule) -> Iterator[str]:
    made = ", ".join(making.match.schema.name for making in rule.makings)
    yield ""
    yield from _decorator(rule)
    yield f"{_INDENT}def {identifier(rule.table.name)}(self, {ROW}: Row) -> Iterator[Entity]:"
    yield f'{_INDENT * 2}"""Make {made}."""'
    own = sorted(rule.makings, key=lambda making: making.along is not None)
    for making in own:
        yield from _making(making)


def _decorator(rule: DraftRule) -> Iterator[str]:
    related = [f"{quoted(table)}: {quoted(column)}" for table, column in rule.related.items()]
    name = quoted(rule.table.name)
    line = f"{_INDENT}@rows({name}"
    if not related:
        yield f"{line})"
    elif len(whole := f"{line}, related={{{', '.join(related)}}})") <= WIDTH:
        yield whole
    else:
        yield f"{_INDENT}@rows("
        yield f"{_INDENT * 2}{name},"
        yield f"{_INDENT * 2}related={{"
        yield from (f"{_INDENT * 3}{one}," for one in related)
        yield f"{_INDENT * 2}}},"
        yield f"{_INDENT})"


def _making(making: Making) -> Iterator[str]:
    indent = _INDENT * 2
    if making.along is not None:
        table = quoted(making.match.table.name)
        yield f"{indent}for {making.variable} in {ROW}.related[{table}]:"
        indent += _INDENT
    yield f"{indent}yield {making.match.schema.name}("
    for value in making.values:
        yield from _value(value, indent + _INDENT)
    yield f"{indent})"


def _value(value: Value, indent: str) -> Iterator[str]:
    line = f"{indent}{value.field}={value.text},"
    beside = f"{line}  # {value.remark}"
    if value.remark and value.reads and len(beside) <= WIDTH:
        yield beside
        return
    if value.remark:
        yield from _comment(value.remark, indent)
    yield line


def _comment(remark: str, indent: str = "", more: str = "") -> list[str]:
    """Write a remark over as many lines as it needs; those after the first begin with more."""
    return wrap(
        remark,
        WIDTH,
        initial_indent=f"{indent}# ",
        subsequent_indent=f"{indent}# {more}",
        break_on_hyphens=False,
    )


def _noted(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield ""
        yield ""
        yield "# What the draft leaves to you:"
        for note in notes:
            yield from _comment(f"- {note}", more="  ")
