"""How a table is billed and what throughput is set for it and its indexes.

None of it limits anything here: the numbers are checked, kept and described as the service does.
"""

from __future__ import annotations

from singletable.errors import ValidationException, invalid

from .schema import Document

CAPACITY_UNITS_MAX = 1_000_000_000_000
WARM_READ_UNITS = 12_000
WARM_WRITE_UNITS = 4_000
"""What a new on-demand table sustains at once."""
NO_MAXIMUM = -1
_DAY = 86400


def check_throughput(document: Document) -> None:
    """Check a table's throughput against its billing mode."""
    if document["BillingMode"] == "PROVISIONED":
        if "ProvisionedThroughput" not in document:
            raise invalid(
                "ReadCapacityUnits and WriteCapacityUnits must both be specified "
                "when BillingMode is PROVISIONED"
            )
    elif "ProvisionedThroughput" in document:
        raise invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
            "when BillingMode is PAY_PER_REQUEST"
        )
    _check_bounds(document, document["BillingMode"], "table")


def _check_bounds(document: Document, mode: str, what: str) -> None:
    """Check the numbers of a table's or index's throughput."""
    for member, units in document.get("ProvisionedThroughput", {}).items():
        if units > CAPACITY_UNITS_MAX:
            raise ValidationException(f"Given value {units} for {member} is out of bounds")
    maximum = document.get("OnDemandThroughput", {})
    if maximum and mode == "PROVISIONED":
        raise invalid(f"OnDemandThroughput for {what} needs the BillingMode PAY_PER_REQUEST")
    for member, units in maximum.items():
        if units < 1 and units != NO_MAXIMUM:
            raise invalid(
                f"Requested {member} for OnDemandThroughput for {what} is outside of valid range"
            )


def check_warm(document: Document) -> None:
    """Refuse to warm a new table or index for less than it sustains anyway."""
    least = warm_units({**document, "WarmThroughput": {}})
    for member, units in document.get("WarmThroughput", {}).items():
        if units < least[member]:
            raise invalid(f"{member} of WarmThroughput must be at least {least[member]}: {units}")


def check_index_throughput(index: Document, mode: str) -> None:
    """Check a global index's throughput against its table's billing mode."""
    name = index["IndexName"]
    if mode == "PROVISIONED" and "ProvisionedThroughput" not in index:
        # One that is there already, of a table that was on demand, has its Id.
        verb = "must be" if "Id" in index else "is not"
        raise invalid(f"ProvisionedThroughput {verb} specified for index: {name}")
    if mode != "PROVISIONED" and "ProvisionedThroughput" in index:
        raise invalid(
            f"ProvisionedThroughput should not be specified for index: {name} "
            "when BillingMode is PAY_PER_REQUEST"
        )
    _check_bounds(index, mode, f"index {name}")


def with_throughput(table: Document) -> list[Document]:
    """List what has throughput of its own: a table and its global indexes."""
    return [table, *table.get("GlobalSecondaryIndexes", ())]


def billing(mode: str, now: float) -> Document:
    """Give the members that say how a table is billed, and since when on demand."""
    return {"BillingMode": mode} | ({"OnDemandSince": now} if mode == "PAY_PER_REQUEST" else {})


def change_billing(document: Document, mode: str, now: float) -> None:
    """Switch the billing mode, and forget what was set for the other one."""
    if mode == document["BillingMode"]:
        return
    document |= billing(mode, now)
    past = "ProvisionedThroughput" if mode == "PAY_PER_REQUEST" else "OnDemandThroughput"
    for each in with_throughput(document):
        each.pop(past, None)


def change_throughput(document: Document, wanted: Document, now: float, what: str) -> None:
    """Set what is provisioned for a table or index, with the time of the change.

    Where nothing was, as on demand, it is an increase.
    """
    current = document.get("ProvisionedThroughput", dict.fromkeys(wanted, 0))
    if current | wanted == current:
        raise _unchanged(what, current)
    changed = current | wanted
    if any(units > current[member] for member, units in wanted.items()):
        changed["LastIncreaseDateTime"] = now
    if any(units < current[member] for member, units in wanted.items()):
        changed["DecreasesToday"] = decreases_today(current, now) + 1
        changed["LastDecreaseDateTime"] = now
    document["ProvisionedThroughput"] = changed


def provisioned_units(provisioned: Document) -> Document:
    """Give the units alone, without the times of their changes."""
    return {member: provisioned[member] for member in ("ReadCapacityUnits", "WriteCapacityUnits")}


def decreases_today(provisioned: Document, now: float) -> int:
    """Count how often less was provisioned on this day, which is UTC's."""
    is_of_today = provisioned.get("LastDecreaseDateTime", 0) // _DAY == now // _DAY
    count: int = provisioned.get("DecreasesToday", 0) if is_of_today else 0
    return count


def change_limits(document: Document, wanted: Document, what: str) -> None:
    """Set on-demand and warm throughput of a table or index; units that are not given stay.

    A maximum of -1 takes away the one that there is.
    """
    current = warm_units(document)
    for member, units in wanted.get("WarmThroughput", {}).items():
        if units < current[member]:
            raise invalid(
                f"Requested {member} for WarmThroughput for {what} is lower than current "
                "WarmThroughput, decreasing WarmThroughput is not supported"
            )
    for limit in ("OnDemandThroughput", "WarmThroughput"):
        if wanted.get(limit) == {}:
            raise invalid(f"{limit} must specify units for reads, for writes, or for both")
        if limit in wanted:
            document[limit] = document.get(limit, {}) | wanted[limit]


def drop_unlimited(document: Document) -> None:
    """Leave out the maximum of on-demand requests where it is none: -1, or not given."""
    for each in with_throughput(document):
        maximum = each.pop("OnDemandThroughput", {})
        if limits := {member: units for member, units in maximum.items() if units != NO_MAXIMUM}:
            each["OnDemandThroughput"] = limits


def keep_warm(document: Document) -> None:
    """Note what a table and its indexes sustain at once, before a change: it never falls."""
    for each in with_throughput(document):
        each["WarmThroughput"] = warm_units(each)


def warm_units(document: Document) -> dict[str, int]:
    """Give what a table sustains at once: at least what it was provisioned or warmed for."""
    provisioned = document.get("ProvisionedThroughput")
    kept = document.get("WarmThroughput", {})
    read = provisioned["ReadCapacityUnits"] if provisioned else WARM_READ_UNITS
    write = provisioned["WriteCapacityUnits"] if provisioned else WARM_WRITE_UNITS
    return {
        "ReadUnitsPerSecond": max(read, kept.get("ReadUnitsPerSecond", 0)),
        "WriteUnitsPerSecond": max(write, kept.get("WriteUnitsPerSecond", 0)),
    }


def _unchanged(what: str, current: Document) -> ValidationException:
    """Word the refusal of a throughput that is set already; ``what`` is the table, or index x."""
    read, write = current["ReadCapacityUnits"], current["WriteCapacityUnits"]
    kind = what.partition(" ")[0]
    return ValidationException(
        f"The provisioned throughput for the {what} will not change. "
        "The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the {kind}: {read}. "
        f"Requested ReadCapacityUnits: {read}. "
        f"Current WriteCapacityUnits provisioned for the {kind}: {write}. "
        f"Requested WriteCapacityUnits: {write}. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits "
        "and how to request higher limits."
    )
