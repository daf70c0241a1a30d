"""Statements of PartiQL: alone, in batches and in transactions.

Left out is what DynamoDB Local is known to answer otherwise, or fails at: conditions on keys where
they choose no items, filters and several key attributes of indexes, columns inside an element of a
list, RETURNING of what was modified, two keys that differ as texts only, and numbers written out in
other than their canonical form.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .dice import Dice
from .expressions import assignment, condition, key_test, projection
from .outcome import Request, Step
from .parameters import Parameters
from .steps import RETURN_VALUES
from .tables import Index, Table, item, key
from .values import Value, key_value, value

Item = dict[str, Value]

_INSIDE = re.compile(r"\][.[]")


def select(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Read the items of a partition, of the table or an index, or all, through all pages."""
    table = dice.pick(tables)
    names = Parameters(dice, table)
    index = dice.pick((None, *filter(_is_simple, table.indexes)))
    columns = _columns(names)
    if index or _INSIDE.search(columns):
        columns = "*"
    source = f'"{table.name}"' + (f'."{index.name}"' if index else "")
    keys = index.keys if index else table.keys
    tests = _key_tests(names, keys) if index or dice.chance(75) else []
    if index is None and dice.chance(50):
        tests.append(f"({condition(names)})")
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    limit = {"Limit": dice.between(1, 5)} if dice.chance(30) else {}
    text = f"SELECT {columns} FROM {source}{where}"
    return Step("ExecuteStatement", {"Statement": text} | names.parameters() | limit)


def _key_tests(names: Parameters, keys: tuple[str, ...]) -> list[str]:
    hashed, *ranged = keys
    tests = [names.chosen({hashed: key_value(names.dice, names.table.kinds[hashed])})]
    return tests + [key_test(names, each) for each in ranged if names.dice.chance(50)]


def _is_simple(index: Index) -> bool:
    return len(index.hash) == 1 >= len(index.range)


def _columns(names: Parameters) -> str:
    return projection(names) if names.dice.chance(40) else "*"


Phrase = Callable[[Parameters, Item], str]
"""Makes the text of a statement on the item of a key."""


def _read(names: Parameters, of: Item) -> str:
    return f'SELECT {_columns(names)} FROM "{names.table.name}" WHERE {names.chosen(of)}'


def _insert(names: Parameters, of: Item) -> str:
    content = item(names.dice, names.table) | of
    members = ", ".join(f"'{name}': {names.value(content[name])}" for name in content)
    return f'INSERT INTO "{names.table.name}" VALUE {{{members}}}'


def _update(names: Parameters, of: Item) -> str:
    clauses = " ".join(_clause(names) for _ in range(names.dice.between(1, 3)))
    return f'UPDATE "{names.table.name}" {clauses} WHERE {_chosen(names, of)}'


def _clause(names: Parameters) -> str:
    dice = names.dice
    match dice.below(6):
        case 0:
            return f"REMOVE {names.path()[1]}"
        case 1:
            name, function = dice.pick(("ss", "ns", "bs")), dice.pick(("set_add", "set_delete"))
            return f"SET {name} = {function}({name}, {names.value(value(dice, name.upper()))})"
    return f"SET {assignment(names)}"


def _delete(names: Parameters, of: Item) -> str:
    return f'DELETE FROM "{names.table.name}" WHERE {_chosen(names, of)}'


def _exists(names: Parameters, of: Item) -> str:
    where = f"{names.chosen(of)} AND {condition(names, 0)}"
    return f'EXISTS(SELECT * FROM "{names.table.name}" WHERE {where})'


def _chosen(names: Parameters, of: Item) -> str:
    """Make the condition of a write, on more than the key now and then."""
    return names.chosen(of) + (f" AND ({condition(names)})" if names.dice.chance(30) else "")


WRITES: tuple[Phrase, ...] = (_insert, _update, _update, _delete)
RETURNING = {
    _update: (" RETURNING ALL OLD *", " RETURNING ALL NEW *"),
    _delete: (" RETURNING ALL OLD *",),
}


def write(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Insert, update or delete an item."""
    table = dice.pick(tables)
    names, phrase = Parameters(dice, table), dice.pick(WRITES)
    text = phrase(names, _key(dice, table))
    if phrase in RETURNING and dice.chance(40):
        text += dice.pick(RETURNING[phrase])
    request = {"Statement": text} | names.parameters()
    if dice.chance(30):
        request["ReturnValuesOnConditionCheckFailure"] = dice.pick(RETURN_VALUES)
    return Step("ExecuteStatement", request)


def batch(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Read or write several items, each on its own."""
    phrases = (_read,) if dice.chance(30) else WRITES
    return Step("BatchExecuteStatement", {"Statements": _statements(dice, tables, phrases)})


def transaction(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Read or write several items, or none."""
    phrases = (_read,) if dice.chance(30) else (*WRITES, _exists)
    return Step("ExecuteTransaction", {"TransactStatements": _statements(dice, tables, phrases)})


def _statements(
    dice: Dice, tables: tuple[Table, ...], phrases: tuple[Phrase, ...]
) -> list[Request]:
    made: list[Request] = []
    for table in dice.some(tables, 70) or tables[:1]:
        keys = [_key(dice, table) for _ in range(dice.between(1, 3))]
        for at, each in enumerate(keys):
            if each not in keys[:at]:
                names = Parameters(dice, table)
                made.append({"Statement": dice.pick(phrases)(names, each)} | names.parameters())
    return made


def _key(dice: Dice, of: Table) -> Item:
    """Make a primary key, none of whose numbers is written in two ways."""
    made = key(dice, of)
    return {name: {"N": "1.5"} if made[name] == {"N": "1.50"} else made[name] for name in made}
