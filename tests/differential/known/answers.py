"""What Local's answers say otherwise than the service's, or not at all."""

from __future__ import annotations

from typing import Any

from tests.differential.outcome import Outcome, Step, canonical

Answer = dict[str, Any]
CAPACITY = "ConsumedCapacity"
INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")


def comparable(step: Step, ours: Answer, local: Answer) -> tuple[Answer, Answer]:
    """Take out of two answers in what they are known to differ."""
    if _asked(step) == "NONE":
        local = _without(local, CAPACITY)  # Local tells it of deletions, asked or not.
    elif _incomparable_capacity(step, local):
        ours, local = _without(ours, CAPACITY), _without(local, CAPACITY)
    elif CAPACITY in ours and CAPACITY in local:
        local = {**local, CAPACITY: _less_indexes(ours[CAPACITY], local[CAPACITY])}
    if step.request.get("ReturnValues", "").startswith("UPDATED") and "Attributes" in ours:
        local = _only_updated(ours, local)
    return ours, local


def _asked(step: Step) -> str:
    asked: str = step.request.get("ReturnConsumedCapacity", "NONE")
    return asked


def _without(answer: Answer, member: str) -> Answer:
    return {name: content for name, content in answer.items() if name != member}


def _incomparable_capacity(step: Step, local: Answer) -> bool:
    """Tell whether Local counts the capacity of such a request by rules of its own.

    It charges transactions by the request and not by the item, nothing for reading what is not
    there, twice for deleting it in a batch, and nothing for what a scan of a local index reads
    from the table; and a query of one reads the table for it, if that names attributes which the
    index has.
    """
    if step.operation.startswith("Transact"):
        return True
    if step.operation == "BatchWriteItem":
        return "DeleteRequest" in str(step.request)
    if step.operation == "BatchGetItem":
        wanted = sum(len(part["Keys"]) for part in step.request["RequestItems"].values())
        return wanted > sum(map(len, local.get("Responses", {}).values()))
    named = {"ProjectionExpression", "AttributesToGet"} & step.request.keys()
    if step.operation == "Scan" and (named or "Select" in step.request):
        return "IndexName" in step.request or local.get("ScannedCount") == 0
    if step.operation == "Query" and local.get("ScannedCount") != 0:
        is_global = "GlobalSecondaryIndexes" in local.get(CAPACITY, {})
        return bool(named) and "IndexName" in step.request and not is_global
    return step.operation in ("Query", "Scan") and local.get("ScannedCount") == 0


def _less_indexes(ours: Any, local: Any, *, in_batch: bool = False) -> Any:
    """Take away what Local charges for indexes that have the item neither before nor after.

    It does so where a write changes one key attribute of an index and the item lacks another. In a
    batch that may come on top of what is right; and to each entry of a local index Local adds the
    100 bytes that AWS documents as an overhead of its storage.
    """
    if isinstance(local, list):
        mine = {each["TableName"]: each for each in ours}
        found = [
            _less_indexes(mine.get(each["TableName"], each), each, in_batch=True) for each in local
        ]
        return sorted(found, key=lambda each: [*mine].index(each["TableName"]))
    if "Table" not in local:
        return {**local, "CapacityUnits": min(ours["CapacityUnits"], local["CapacityUnits"])}
    indexes = {}
    for scope in INDEXES:
        left, right = ours.get(scope, {}), local.get(scope, {})
        more = in_batch or scope == "LocalSecondaryIndexes"
        indexes[scope] = {
            name: min(left[name], units, key=lambda each: each["CapacityUnits"]) if more else units
            for name, units in right.items()
            if name in left
        }
    units = sum(each["CapacityUnits"] for part in indexes.values() for each in part.values())
    kept = {name: content for name, content in {**local, **indexes}.items() if content}
    return {**kept, "CapacityUnits": local["Table"]["CapacityUnits"] + units}


def _only_updated(ours: Answer, local: Answer) -> Answer:
    """Take ours for Local's where it is a part: Local returns all of an attribute."""
    if not _is_part(canonical(ours["Attributes"]), canonical(local.get("Attributes"))):
        return local
    return {**local, "Attributes": ours["Attributes"]}


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _is_part(part[name], whole[name]) for name in part)
    if isinstance(part, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(_is_part(each, other) for other in rest) for each in part)
    return bool(part == whole)


def reads_more(step: Step, ours: Outcome, local: Outcome) -> bool:
    """Tell whether Local answers a scan whose filter names attributes that the index lacks.

    It refuses such a query as the service does, but filters whole items in a scan.
    """
    lacking = "does not project one or more filter attributes" in ours.message
    return step.operation == "Scan" and lacking and not local.failed


def diverges(step: Step, ours: Outcome, local: Outcome) -> bool:
    """Tell whether Local does what the service refuses, after which contents differ.

    In a transaction it takes conditions on parts of keys, which it refuses everywhere else, and two
    actions on one item whose key has a number like 1.50; and it overlooks that an update computes
    a key of a local index in a wrong type.
    """
    nested = step.operation.startswith("Transact") and "must be scalars" in ours.message
    twice = "multiple operations on one item" in ours.message and "'1.50'" in str(step.request)
    computed = "update the secondary index key to unsupported type" in str(ours)
    return (nested or twice or computed) and not local.failed
