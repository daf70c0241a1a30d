"""Access patterns of AWS's ``schema.json`` as those of a store.

The schema names parameters, but not which field each stands for: those with the name of a field
are that field; the others are taken, in their order, for what the partition key still needs.
"""

from __future__ import annotations

from collections.abc import Collection

from pydantic import BaseModel

from .documents import Listed, Name
from .drafts import EntityDraft, IndexDraft, PatternDraft, slots
from .names import field_name, method_name

_COMPARISONS = {
    "<": ("lt", 1),
    "<=": ("le", 1),
    ">": ("gt", 1),
    ">=": ("ge", 1),
    "begins_with": ("begins_with", 1),
    "between": ("between", 2),
}
"""The methods of a query, each with the number of its operands."""
_TYPES = {"integer": "int", "boolean": "bool"}


class _Parameter(BaseModel):
    name: Name
    type: str = "string"


class SchemaPattern(BaseModel):
    """An access pattern as the schema has it."""

    name: Name
    description: str = ""
    operation: str
    index_name: str | None = None
    range_condition: str | None = None
    parameters: Listed[_Parameter] = ()


def pattern_draft(
    one: SchemaPattern, entity: EntityDraft, taken: Collection[str]
) -> PatternDraft | str:
    """Give the pattern of a store, or say why there is none."""
    name = method_name(one.name, taken)
    if one.operation == "Scan":
        return PatternDraft(
            name, one.description, (), f"Scan[{entity.name}]", f"{entity.name}.scan"
        )
    if one.operation not in {"GetItem", "Query"}:
        return f"{one.name} is a {one.operation}: see the methods of the store."
    return _read(one, entity, name) or (
        f"{one.name} is left out: its parameters do not name what the key and the range need."
    )


def _read(one: SchemaPattern, entity: EntityDraft, name: str) -> PatternDraft | None:
    types = {field.name: field.type for field in entity.fields}
    given = {field_name(each.name): _TYPES.get(each.type, "str") for each in one.parameters}
    index = next((each for each in entity.indexes if each.index == one.index_name), None)
    if one.index_name is not None and index is None:
        return None
    if one.operation == "GetItem":
        pairs = _paired([each for each, _ in slots(entity.pk, entity.sk)], [], list(given))
        call, then = "get", ""
    else:
        known, then = _compared(list(given), one.range_condition)
        pairs = None if known is None else _paired(*_sides(index or entity), known)
        call = f"{index.label}.query" if index else "query"
    if pairs is None:
        return None
    return PatternDraft(
        name,
        one.description,
        tuple((each, types.get(each, type_)) for each, type_ in given.items()),
        f"{'Get' if call == 'get' else 'Query'}[{entity.name}]",
        f"{entity.name}.{call}",
        tuple(f"{field}={each}" for field, each in pairs.items()),
        then,
    )


def _sides(keys: EntityDraft | IndexDraft) -> tuple[list[str], list[str]]:
    """Name the fields of a partition key, and those that only the sort key has."""
    pk, sk = (part if isinstance(part, str) else None for part in (keys.pk, keys.sk))
    needed = [name for name, _ in slots(pk)]
    return needed, [name for name, _ in slots(sk) if name not in needed]


def _compared(given: list[str], condition: str | None) -> tuple[list[str] | None, str]:
    """Split parameters into those that are known and the comparison of the last ones.

    None is known where there is no such comparison, or are too few parameters for it.
    """
    if not condition:
        return given, ""
    method, count = _COMPARISONS.get(condition, ("", len(given) + 1))
    if count > len(given):
        return None, ""
    return given[:-count], f".{method}({', '.join(given[-count:])})"


def _paired(needed: list[str], further: list[str], given: list[str]) -> dict[str, str] | None:
    """Pair fields with parameters: those of one name, then, of what is needed, in their order.

    None where a field that is needed has no parameter, or a parameter no field.
    """
    pairs = {name: name for name in needed if name in given}
    left = [name for name in given if name not in pairs]
    missing = [name for name in needed if name not in pairs]
    pairs |= dict(zip(missing, left, strict=False))
    left = left[len(missing) :]
    pairs |= {name: name for name in further if name in left}
    whole = all(name in pairs for name in needed) and all(name in further for name in left)
    return {name: pairs[name] for name in (*needed, *further) if name in pairs} if whole else None
