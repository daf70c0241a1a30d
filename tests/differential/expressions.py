"""Expressions, generated from the grammar: conditions, projections, updates, key conditions.

Most are valid; what is wrong now and then (a function out of place, a type that does not fit, paths
that overlap) is wrong in ways that a program may be.
"""

from __future__ import annotations

from .placeholders import Placeholders
from .tables import USUAL, Index, Table, attribute
from .values import KINDS, SETS, any_value, key_value, value

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")


def condition(names: Placeholders, depth: int = 2) -> str:
    """Make a condition or filter."""
    dice = names.dice
    kind = dice.below(10) if depth else 0
    if kind < 6:
        return _simple(names)
    if kind == 6:
        return f"NOT {condition(names, depth - 1)}"
    if kind == 7:
        return f"({condition(names, depth - 1)})"
    word = dice.pick((" AND ", " OR ", " and "))
    return condition(names, depth - 1) + word + condition(names, depth - 1)


def _simple(names: Placeholders) -> str:
    dice = names.dice
    name, path = names.path()
    match dice.below(10):
        case 0:
            return f"attribute_exists({path})"
        case 1:
            return f"attribute_not_exists({path})"
        case 2 | 3 | 4:
            sides = [path, names.operand_for(name)]
            return f" {dice.pick(COMPARATORS)} ".join(sides[::-1] if dice.chance(15) else sides)
        case 5:
            return f"{path} BETWEEN {names.operand_for(name)} AND {names.operand_for(name)}"
        case 6:
            options = [names.operand_for(name) for _ in range(dice.between(1, 3))]
            return f"{path} IN ({', '.join(options)})"
        case 7:
            size = names.operand_for("n") if dice.chance(80) else f"size({names.path()[1]})"
            return f"size({path}) {dice.pick(COMPARATORS)} {size}"
        case 8:
            kind = dice.pick((USUAL.get(name, "S"), *KINDS))
            return f"attribute_type({path}, {names.value({'S': kind})})"
    return _part(names, name, path)


def _part(names: Placeholders, name: str, path: str) -> str:
    """Make a test whether an attribute contains, or begins with, something."""
    dice = names.dice
    function = dice.pick(("contains", "begins_with"))
    kind = USUAL.get(name, "S")
    if kind in SETS and function == "contains":
        return f"contains({path}, {names.value(value(dice, kind[0]))})"
    return f"{function}({path}, {names.operand_for(name)})"


def projection(names: Placeholders) -> str:
    """Make a list of paths, of which two overlap now and then."""
    return ", ".join(names.path()[1] for _ in range(names.dice.between(1, 3)))


def update(names: Placeholders) -> str:
    """Make an update of one to three sections."""
    sections = [
        ("SET", assignment),
        ("REMOVE", lambda names: names.path()[1]),
        ("ADD", _add),
        ("DELETE", _delete),
    ]
    chosen = names.dice.some(sections, 35) or [names.dice.pick(sections)]
    return " ".join(
        f"{word} " + ", ".join(action(names) for _ in range(names.dice.between(1, 2)))
        for word, action in chosen
    )


def assignment(names: Placeholders) -> str:
    """Make an action of SET."""
    name, path = names.path()
    return f"{path} = {_right_side(names, name, path)}"


def _right_side(names: Placeholders, name: str, path: str) -> str:
    dice = names.dice
    match dice.below(9):
        case 0 | 1 | 2:
            return names.operand_for(name)
        case 3:
            return f"{path} {dice.pick('+-')} {names.operand_for('n')}"
        case 4:
            return f"if_not_exists({names.path()[1]}, {names.operand_for(name)})"
        case 5:
            return f"list_append({_list(names)}, {_list(names)})"
        case 6:
            start = f"if_not_exists({path}, {names.operand_for('n')})"
            return f"{start} {dice.pick('+-')} {names.operand_for('n')}"
        case 7:
            return f"{names.operand_for('n')} {dice.pick('+-')} {names.operand_for('n')}"
    return names.path()[1]


def _list(names: Placeholders) -> str:
    match names.dice.below(3):
        case 0:
            return names.value(value(names.dice, "L", 1))
        case 1:
            return names.name("l")
    return f"if_not_exists({names.name('l')}, {names.value({'L': []})})"


def _add(names: Placeholders) -> str:
    return _changed(names, ("n", "ns", "ss", "bs", "a-b", "m", "s"))


def _delete(names: Placeholders) -> str:
    return _changed(names, ("ns", "ss", "bs", "n"))


def _changed(names: Placeholders, usual: tuple[str, ...]) -> str:
    """Make an action of ADD or DELETE, on a part of a document now and then."""
    dice, name = names.dice, names.dice.pick(usual)
    path = names.path()[1] if dice.chance(15) else names.name(name)
    content = any_value(dice, 0) if dice.chance(5) else attribute(dice, names.table, name)
    return f"{path} {names.value(content)}"


def key_condition(names: Placeholders, of: Table, index: Index | None) -> str:
    """Make a key condition for a table or index, on its sort key or not."""
    dice = names.dice
    hashed, ranged = (index.hash, index.range) if index else (of.keys[:1], of.keys[1:])
    parts = [f"{names.name(each)} = {_key(names, each)}" for each in hashed]
    tested = ranged[: dice.below(len(ranged) + 1)]
    parts += [f"{names.name(each)} = {_key(names, each)}" for each in tested[:-1]]
    if tested:
        parts.append(key_test(names, tested[-1]))
    if dice.chance(10):
        parts.reverse()
    return " AND ".join(parts)


def _key(names: Placeholders, name: str) -> str:
    return names.value(key_value(names.dice, names.table.kinds[name]))


def key_test(names: Placeholders, name: str) -> str:
    """Make a condition on a sort key."""
    shown, kind = names.name(name), names.table.kinds[name]
    match names.dice.below(8):
        case 0 | 1 | 2 | 3 | 4:
            operator = names.dice.pick(("=", "<", "<=", ">", ">="))
            return f"{shown} {operator} {_key(names, name)}"
        case 5 | 6:
            low, high = _key(names, name), _key(names, name)
            return f"{shown} BETWEEN {low} AND {high}"
    kind = kind if kind != "N" or names.dice.chance(10) else ""
    return (
        f"begins_with({shown}, {_key(names, name)})" if kind else f"{shown} > {_key(names, name)}"
    )
