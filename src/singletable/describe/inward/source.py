"""A design written as a Python file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Any

from singletable.model.table import camel_case

from .drafts import DesignDraft, EntityDraft, FieldDraft, IndexDraft, PatternDraft, TableDraft
from .foreign import KeySchema
from .names import class_name, snake

LINE_MAX = 100
_LIBRARY = ("Attribute", "Entity", "Get", "GlobalIndex", "Index", "Query", "Scan", "Store", "Table")
_STANDARD = {
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Annotated", "Any"),
    "uuid": ("UUID",),
}


def source(draft: DesignDraft) -> str:
    """Write a design as Python."""
    body: list[str] = []
    for table in draft.tables:
        body += _table(table, draft)
    text = "\n".join(body)
    purpose = _prose(draft.purpose) or f"The design of {draft.name}."
    head = [f'"""{purpose}"""', "", *_imports(text)]
    return "\n".join([*head, "", text]).rstrip("\n") + "\n"


def _imports(text: str) -> Iterator[str]:
    def used(name: str) -> bool:
        return re.search(rf"(?<![\w\"'.]){name}(?!\w|:)", text) is not None

    standard = {module: list(filter(used, names)) for module, names in _STANDARD.items()}
    for module, found in standard.items():
        if found:
            yield f"from {module} import {', '.join(found)}"
    if any(standard.values()):
        yield ""
    found = [name for name in _LIBRARY if used(name)]
    found += [name for name in ("camel_case", "pattern") if used(name)]
    yield from ("from singletable import (", *(f"    {name}," for name in found), ")")


def _call(opening: str, parts: list[str], closing: str = "", depth: int = 0) -> Iterator[str]:
    """Write a call on one line, or, where that is too long, one of its parts on each."""
    margin = " " * 4 * depth
    line = f"{margin}{opening}({', '.join(parts)}){closing}"
    if len(line) <= LINE_MAX:
        yield line
        return
    yield f"{margin}{opening}("
    yield from (f"{margin}    {part}," for part in parts)
    yield f"{margin}){closing}"


def _table(table: TableDraft, draft: DesignDraft) -> Iterator[str]:
    several = len(draft.tables) > 1
    variable = f"{snake(table.name)}_table" if several else "table"
    convention = _convention(table)
    yield from _call(f"{variable} = Table", list(_table_parts(table, convention)))
    for entity in table.entities:
        yield from ("", "", *_entity(entity, variable, convention))
    yield from ("", "", *_store(table, draft, variable))


def _table_parts(table: TableDraft, convention: Callable[[str], str]) -> Iterator[str]:
    yield _text(table.name)
    if table.indexes:
        yield _indexes(list(map(_index_declaration, table.indexes)))
    if table.primary.pk != "PK":
        yield f"pk={_text(table.primary.pk)}"
    if table.primary.sk != "SK":
        yield f"sk={_text(table.primary.sk) if table.primary.sk else None}"
    if table.type_attribute != "Type":
        yield f"type_attribute={_text(table.type_attribute)}"
    if convention is camel_case:
        yield "attribute_names=camel_case"
    if table.delimiter != "#":
        yield f"delimiter={_text(table.delimiter)}"


def _indexes(declared: list[str]) -> str:
    line = f"indexes=[{', '.join(declared)}]"
    if len(line) < LINE_MAX - 8:
        return line
    return "\n        ".join(["indexes=[", *(f"{one}," for one in declared)]) + "\n    ]"


def _index_declaration(index: KeySchema) -> str:
    conventional = index.attributes == (f"{index.index}PK", f"{index.index}SK")
    if conventional and index.projection == "ALL":
        return _text(index.index)
    parts = [_text(index.index)]
    if not conventional:
        parts += [f"pk={_text(index.pk)}", f"sk={_text(index.sk) if index.sk else ()}"]
    if index.projection != "ALL":
        shown = index.projection
        parts.append(f"projection={_text(shown) if isinstance(shown, str) else _texts(shown)}")
    return f"GlobalIndex({', '.join(parts)})"


def _convention(table: TableDraft) -> Callable[[str], str]:
    """Choose how fields name their attributes: as most of them do."""
    fields = [field for entity in table.entities for field in entity.fields]
    plain = sum(field.attribute == field.name for field in fields)
    camel = sum(field.attribute == camel_case(field.name) for field in fields)
    return camel_case if camel > plain else str


def _entity(entity: EntityDraft, table: str, convention: Callable[[str], str]) -> Iterator[str]:
    parts = ["Entity", f"table={table}"]
    parts += [f"type={_text(entity.type)}"] if entity.type != entity.name else []
    parts += [f"pk={_text(entity.pk)}"]
    parts += [f"sk={_text(entity.sk)}"] if entity.sk is not None else []
    yield from _call(f"class {entity.name}", parts, ":")
    yield f'    """An item of the type {_prose(entity.type)}."""'
    if entity.indexes:
        yield ""
    for index in entity.indexes:
        yield from _index(index)
    yield ""
    # A field without a default may not follow one that has a default.
    for field in sorted(entity.fields, key=lambda one: one.optional):
        yield f"    {_field(field, convention)}"


def _index(index: IndexDraft) -> Iterator[str]:
    parts = [_text(index.index)]
    for side, part in (("pk", index.pk), ("sk", index.sk)):
        if part is not None:
            parts.append(f"{side}={_texts(part) if isinstance(part, tuple) else _text(part)}")
    if index.when:
        pairs = (f"{_text(field)}: {_values(values)}" for field, values in index.when)
        parts.append(f"when={{{', '.join(pairs)}}}")
    yield from _call(f"{index.label} = Index", parts, depth=1)


def _values(values: tuple[Any, ...]) -> str:
    texts = [_text(value) if isinstance(value, str) else repr(value) for value in values]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _field(field: FieldDraft, convention: Callable[[str], str]) -> str:
    type_ = f"{field.type} | None" if field.optional and field.type != "Any" else field.type
    if field.attribute not in {"", convention(field.name)}:
        type_ = f"Annotated[{type_}, Attribute({_text(field.attribute)})]"
    return f"{field.name}: {type_}{' = None' if field.optional else ''}"


def _store(table: TableDraft, draft: DesignDraft, variable: str) -> Iterator[str]:
    taken = {entity.name for one in draft.tables for entity in one.entities}
    named = draft.name if len(draft.tables) == 1 else f"{draft.name} {table.name}"
    name = class_name(named, taken)
    yield f"class {name}(Store, table={variable}):"
    yield from _documented(f"Access patterns of {table.name}.", table.notes)
    for pattern in table.patterns:
        yield from ("", *_pattern(pattern))


def _documented(sentence: str, notes: tuple[str, ...]) -> Iterator[str]:
    if not notes:
        yield f'    """{_prose(sentence)}"""'
        return
    yield from (f'    """{_prose(sentence)}', "")
    for note in notes:
        yield from wrap(_prose(note), LINE_MAX, initial_indent="    - ", subsequent_indent="      ")
    yield '    """'


def _pattern(pattern: PatternDraft) -> Iterator[str]:
    parameters = ["self", *(f"{name}: {kind}" for name, kind in pattern.parameters)]
    yield "    @pattern()"
    yield from _call(f"def {pattern.name}", parameters, f" -> {pattern.returns}:", depth=1)
    if purpose := _prose(pattern.purpose):
        yield f'        """{purpose}"""'
    yield from _call(f"return {pattern.call}", list(pattern.arguments), pattern.then, depth=2)


def _text(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def _texts(texts: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _prose(text: str) -> str:
    """Give a text that can stand in a docstring, on one line."""
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")
