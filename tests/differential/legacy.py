"""Requests with the legacy parameters, which real SDKs still send."""

from __future__ import annotations

from typing import Any

from .dice import Dice
from .outcome import Step
from .steps import CAPACITY, RETURN_VALUES, RETURN_VALUES_OF_UPDATES, page_options
from .tables import USUAL, Index, Table, attribute, item, key
from .values import SETS, Value, any_value, key_value, value

KEY_OPERATORS = ("EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH")
OPERATORS = (*KEY_OPERATORS, "NE", "IN", "NOT_NULL", "NULL", "CONTAINS", "NOT_CONTAINS")


def put_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Put an item if it is as expected."""
    table = dice.pick(tables)
    request = {"TableName": table.name, "Item": item(dice, table)}
    return Step("PutItem", request | _write_options(dice, table, RETURN_VALUES))


def delete_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Delete an item if it is as expected."""
    table = dice.pick(tables)
    request = {"TableName": table.name, "Key": key(dice, table)}
    return Step("DeleteItem", request | _write_options(dice, table, RETURN_VALUES))


def update_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Update attributes of an item if it is as expected."""
    table = dice.pick(tables)
    names = dice.some(tuple(USUAL), 20) or ["n"]
    updates = {name: _update(dice, table, name) for name in names}
    if all(each["Action"] == "DELETE" for each in updates.values()):
        # Where there is no item, Local makes one of the key alone; the service makes none.
        updates["more"] = {"Action": "PUT", "Value": {"S": "a"}}
    request = {"TableName": table.name, "Key": key(dice, table), "AttributeUpdates": updates}
    return Step("UpdateItem", request | _write_options(dice, table, RETURN_VALUES_OF_UPDATES))


def _update(dice: Dice, table: Table, name: str) -> dict[str, Any]:
    kind = table.kind(name)
    actions = ("PUT", "DELETE", "ADD") if kind in (*SETS, "N", "L") else ("PUT", "DELETE")
    action = dice.pick(actions)
    if action == "DELETE" and (kind not in SETS or dice.chance(50)):
        return {"Action": action}
    given = attribute(dice, table, name)
    if "NS" in given:
        # Local takes 100 and 1e2 for two numbers here, and then refuses its own set.
        given = {"NS": [each.replace("1e2", "100") for each in given["NS"]]}
    return {"Action": action, "Value": given}


def _write_options(dice: Dice, table: Table, returned: tuple[str, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if dice.chance(40):
        expected = {name: _expected(dice, table, name) for name in _attributes(dice)}
        options |= _joined(dice, "Expected", expected)
    if dice.chance(60):
        options["ReturnValues"] = dice.pick(returned)
    if dice.chance(30):
        options["ReturnConsumedCapacity"] = dice.pick(CAPACITY)
    return options


def _expected(dice: Dice, table: Table, name: str) -> dict[str, Any]:
    match dice.below(4):
        case 0:
            return {"Exists": False}
        case 1:
            return {"Value": attribute(dice, table, name)}
    return _condition(dice, table, name)


def _attributes(dice: Dice) -> list[str]:
    return dice.some(tuple(USUAL), 10) or [dice.pick(tuple(USUAL))]


def _joined(dice: Dice, parameter: str, tests: dict[str, Any]) -> dict[str, Any]:
    if dice.chance(30):
        return {parameter: tests, "ConditionalOperator": dice.pick(("AND", "OR"))}
    return {parameter: tests}


def _condition(dice: Dice, table: Table, name: str) -> dict[str, Any]:
    operator = dice.pick(OPERATORS)
    values = [_operand(dice, table, name, operator) for _ in range(_count(dice, operator))]
    test: dict[str, Any] = {"ComparisonOperator": operator}
    return {**test, "AttributeValueList": values} if values else test


def _count(dice: Dice, operator: str) -> int:
    if operator in ("NULL", "NOT_NULL"):
        return 0
    return 2 if operator == "BETWEEN" else dice.between(1, 2) if operator == "IN" else 1


def _operand(dice: Dice, table: Table, name: str, operator: str) -> Value:
    kind = table.kind(name)
    if kind in SETS and operator in ("CONTAINS", "NOT_CONTAINS"):
        return value(dice, kind[0])
    return any_value(dice, 0) if dice.chance(5) else attribute(dice, table, name)


def query(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Query by KeyConditions, with a QueryFilter now and then."""
    table = dice.pick(tables)
    index = dice.pick((None, *(each for each in table.indexes if len(each.keys) < 3)))
    conditions = _key_conditions(dice, table, index)
    request: dict[str, Any] = {"TableName": table.name, "KeyConditions": conditions}
    if index:
        request["IndexName"] = index.name
    if dice.chance(50):
        request["ScanIndexForward"] = dice.chance(50)
    return Step("Query", request | _read_options(dice, table, "QueryFilter"))


def _key_conditions(dice: Dice, table: Table, index: Index | None) -> dict[str, Any]:
    hashed, ranged = (index.hash, index.range) if index else (table.keys[:1], table.keys[1:])
    tests = {name: _key_condition(dice, table, name, "EQ") for name in hashed}
    if ranged and dice.chance(50):
        tests[ranged[0]] = _key_condition(dice, table, ranged[0], dice.pick(KEY_OPERATORS))
    return tests


def _key_condition(dice: Dice, table: Table, name: str, operator: str) -> dict[str, Any]:
    kind = table.kinds[name]
    values = [key_value(dice, kind) for _ in range(_count(dice, operator))]
    return {"ComparisonOperator": operator, "AttributeValueList": values}


def scan(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Scan a table or an index with a ScanFilter now and then."""
    table = dice.pick(tables)
    index = dice.pick((None, *table.indexes))
    request = {"TableName": table.name} | ({"IndexName": index.name} if index else {})
    return Step("Scan", request | _read_options(dice, table, "ScanFilter"))


def _read_options(dice: Dice, table: Table, parameter: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if dice.chance(50):
        tests = {name: _condition(dice, table, name) for name in _attributes(dice)}
        options |= _joined(dice, parameter, tests)
    if dice.chance(20):
        options["AttributesToGet"] = _attributes(dice)
    return options | page_options(dice)


def get_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Get attributes of an item."""
    table = dice.pick(tables)
    request = {"TableName": table.name, "Key": key(dice, table)}
    return Step("GetItem", {**request, "AttributesToGet": _attributes(dice)})
