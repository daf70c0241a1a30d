"""Steps of a scenario: one request each, as a theme wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dice import Dice
from .expressions import condition, key_condition, projection, update
from .outcome import Step
from .placeholders import Placeholders
from .tables import USUAL, Table, item, key

RETURN_VALUES = ("NONE", "ALL_OLD")
RETURN_VALUES_OF_UPDATES = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
CAPACITY = ("INDEXES", "TOTAL", "NONE")


Make = Callable[[Dice, tuple[Table, ...]], Step]


def put_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Put an item, under a condition now and then."""
    table = dice.pick(tables)
    request = {"TableName": table.name, "Item": item(dice, table)}
    return Step("PutItem", request | _write_options(dice, table, RETURN_VALUES))


def plain_put(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Put an item."""
    table = dice.pick(tables)
    return Step("PutItem", {"TableName": table.name, "Item": item(dice, table)})


def delete_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Delete an item, under a condition now and then."""
    table = dice.pick(tables)
    request = {"TableName": table.name, "Key": key(dice, table)}
    return Step("DeleteItem", request | _write_options(dice, table, RETURN_VALUES))


def update_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Update an item, under a condition now and then."""
    table = dice.pick(tables)
    names = Placeholders(dice, table)
    request = {"TableName": table.name, "Key": key(dice, table)}
    if not dice.chance(3):
        request["UpdateExpression"] = update(names)
    return Step(
        "UpdateItem", request | _write_options(dice, table, RETURN_VALUES_OF_UPDATES, names)
    )


def _write_options(
    dice: Dice, table: Table, returned: tuple[str, ...], names: Placeholders | None = None
) -> dict[str, Any]:
    names = names or Placeholders(dice, table)
    options = _guard(names, 35)
    options |= names.parameters()
    if dice.chance(60):
        options["ReturnValues"] = dice.pick(returned)
    return options | _capacity(dice)


def _guard(names: Placeholders, percent: int) -> dict[str, Any]:
    guard: dict[str, Any] = {}
    if names.dice.chance(percent):
        guard["ConditionExpression"] = condition(names)
        if names.dice.chance(50):
            guard["ReturnValuesOnConditionCheckFailure"] = names.dice.pick(RETURN_VALUES)
    return guard


def _capacity(dice: Dice) -> dict[str, Any]:
    return {"ReturnConsumedCapacity": dice.pick(CAPACITY)} if dice.chance(40) else {}


def get_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Get an item, or some of its attributes."""
    table = dice.pick(tables)
    names = Placeholders(dice, table)
    request: dict[str, Any] = {"TableName": table.name, "Key": key(dice, table)}
    if dice.chance(40):
        request["ProjectionExpression"] = projection(names)
    if dice.chance(30):
        request["ConsistentRead"] = dice.chance(50)
    return Step("GetItem", request | names.parameters() | _capacity(dice))


def query(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Query a table or an index, through all pages."""
    table = dice.pick(tables)
    names = Placeholders(dice, table)
    index = dice.pick((None, *table.indexes))
    request: dict[str, Any] = {
        "TableName": table.name,
        "KeyConditionExpression": key_condition(names, table, index),
        **({"IndexName": index.name} if index else {}),
    }
    if dice.chance(50):
        request["ScanIndexForward"] = dice.chance(50)
    return Step("Query", request | _read_options(dice, names))


def scan(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Scan a table or an index, through all pages and segments."""
    table = dice.pick(tables)
    index = dice.pick((None, *table.indexes))
    request: dict[str, Any] = {"TableName": table.name}
    if index:
        request["IndexName"] = index.name
    if dice.chance(15):
        request["TotalSegments"] = dice.between(1, 4)
    return Step("Scan", request | _read_options(dice, Placeholders(dice, table)))


def _read_options(dice: Dice, names: Placeholders) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if dice.chance(40):
        options["FilterExpression"] = condition(names)
    if dice.chance(30):
        options["ProjectionExpression"] = projection(names)
    return options | names.parameters() | page_options(dice)


def page_options(dice: Dice) -> dict[str, Any]:
    """Make what may stand beside expressions and legacy parameters alike."""
    options: dict[str, Any] = {}
    if dice.chance(30):
        options["Select"] = dice.pick(
            ("COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
        )
    if dice.chance(40):
        options["Limit"] = dice.between(1, 5)
    if dice.chance(15):
        options["ConsistentRead"] = dice.chance(70)
    return options | _capacity(dice)


def batch_get_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Get several items of one or both tables."""
    wanted: dict[str, Any] = {}
    for table in dice.some(tables, 70) or tables[:1]:
        names = Placeholders(dice, table)
        part: dict[str, Any] = {"Keys": _distinct(dice, table)}
        if dice.chance(30):
            part["ProjectionExpression"] = projection(names)
        elif dice.chance(20):
            part["AttributesToGet"] = dice.some(tuple(USUAL), 20) or ["n"]
        if dice.chance(30):
            part["ConsistentRead"] = dice.chance(50)
        wanted[table.name] = part | names.parameters()
    return Step("BatchGetItem", {"RequestItems": wanted} | _capacity(dice))


def _distinct(dice: Dice, table: Table) -> list[dict[str, Any]]:
    """Make one to four keys, of which two are the same now and then."""
    keys: list[dict[str, Any]] = []
    for _ in range(dice.between(1, 4)):
        made = key(dice, table)
        if made not in keys or dice.chance(5):
            keys.append(made)
    return keys


def batch_write_item(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Put and delete several items of one or both tables."""
    wanted: dict[str, Any] = {}
    for table in dice.some(tables, 70) or tables[:1]:
        wanted[table.name] = [_batched(dice, table, each) for each in _distinct(dice, table)]
    return Step("BatchWriteItem", {"RequestItems": wanted} | _capacity(dice))


def _batched(dice: Dice, table: Table, chosen: dict[str, Any]) -> dict[str, Any]:
    if dice.chance(30):
        return {"DeleteRequest": {"Key": chosen}}
    return {"PutRequest": {"Item": item(dice, table) | chosen}}


def transact_write_items(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Write several items or none."""
    actions = []
    for table in dice.some(tables, 70) or tables[:1]:
        actions += [_action(dice, table, each) for each in _distinct(dice, table)]
    return Step("TransactWriteItems", {"TransactItems": actions} | _capacity(dice))


def _action(dice: Dice, table: Table, chosen: dict[str, Any]) -> dict[str, Any]:
    names = Placeholders(dice, table)
    kind = dice.pick(("Put", "Update", "Delete", "ConditionCheck"))
    body: dict[str, Any] = {"TableName": table.name}
    if kind == "Put":
        body["Item"] = item(dice, table) | chosen
    else:
        body["Key"] = chosen
    if kind == "Update":
        body["UpdateExpression"] = update(names)
    body |= _guard(names, 100 if kind == "ConditionCheck" else 20)
    return {kind: body | names.parameters()}


def transact_get_items(dice: Dice, tables: tuple[Table, ...]) -> Step:
    """Get several items as they are at one time."""
    actions = []
    for table in dice.some(tables, 70) or tables[:1]:
        for chosen in _distinct(dice, table):
            names = Placeholders(dice, table)
            body: dict[str, Any] = {"TableName": table.name, "Key": chosen}
            if dice.chance(30):
                body["ProjectionExpression"] = projection(names)
            actions.append({"Get": body | names.parameters()})
    return Step("TransactGetItems", {"TransactItems": actions} | _capacity(dice))
