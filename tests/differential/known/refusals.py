"""Refusals for which Local gives another code, other words, or another of several faults."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.differential.outcome import Outcome, Step, canonical

_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "


def _any(*patterns: str) -> str:
    return f"({'|'.join(patterns)})"


_CONDITION_FAILED = "The conditional request failed"
_KEY_UPDATED = _INVALID + r"Cannot update attribute \w+\. This attribute is part of the key"
_KEY_NESTED = r"Key attributes must be scalars; .* (Index)?Key: \w+"
_EXPRESSION = _any(
    r"Invalid \w+Expression: .*",
    r"ExpressionAttribute\w+ (must not be empty|contains invalid .*|can only .*)",
    r"Value provided in ExpressionAttribute\w+ unused in expressions: .*",
)
_LEGACY = _any(
    "ConditionalOperator can.*",
    "The BETWEEN condition was .*",
    _INVALID + ".* action .*",
    _INVALID + "ComparisonOperator .*",
    _INVALID + "AttributeValues inside AttributeValueList .*",
    _INVALID + "Invalid number of .*",
)
_VALUE = _any(
    "Supplied AttributeValue .*",
    "Number (over|under)flow. .*",
    f"({_INVALID})?…(not a number|more than 38 digits|duplicates)",
    _INVALID + "(An|One or more|Null attribute value) .*",
)
_EMPTY_INDEX_KEY = _NOT_VALID + "A value specified for a secondary index key .*"
_LACKING = _INVALID + _any(
    "Select type ALL_ATTRIBUTES is not .*",
    r"(Global s|S)econdary index \w+ does not project .*",
)
_LOCAL_INDEX_KEY = _any(
    _INVALID + "Type mismatch for Index Key",
    "Invalid attribute value type",
)
_LOCAL_KEY = _any(
    _INVALID + "Type mismatch for key",
    "Invalid attribute value type",
    "The number of conditions on the keys is invalid",
    "One of the required keys was not given a value",
)
_LOCAL_SIZE = _any(
    _INVALID + "Size limit exceeded",
    "Hash primary key values must be under 2048 .*",
)
_LOCAL_FIRST = _any(
    _LOCAL_INDEX_KEY,
    _LOCAL_KEY,
    _LOCAL_SIZE,
    _KEY_NESTED,
    "Consistent reads are not supported on global secondary indexes",
    "Provided list of item keys contains duplicates",
    "Transaction request cannot include multiple operations on one item",
    _NOT_VALID + "The AttributeValue for a key .*",
    _EMPTY_INDEX_KEY,
    _VALUE,
)
"""What Local finds wrong with items, keys and tables before it reads expressions."""


@dataclass(frozen=True)
class Wording:
    """A phrase for which Local has another; both stand for the same."""

    reason: str
    phrase: str
    meaning: str


WORDINGS = (
    Wording(
        "Local does not show what is no number.",
        r"The parameter cannot be converted to a numeric value(: (?!for key)\S*)?"
        "|A value provided cannot be converted into a number",
        "…not a number",
    ),
    Wording(
        "Local words numbers of too many digits otherwise.",
        "Attempting to store more than 38 significant digits in a Number"
        "|DynamoDB only supports precision up to 38 digits",
        "…more than 38 digits",
    ),
    Wording(
        "Local does not show the binaries that come twice in a set, and forgets a full stop.",
        r"Input collection (\[.*\] ?)?(of type BS )?contains duplicates\.?",
        "…duplicates",
    ),
)


@dataclass(frozen=True)
class Refusal:
    """A message of ours, and what Local has for it."""

    reason: str
    ours: str
    local: str


REFUSALS = (
    Refusal(
        "Local says what is wrong with a key where the service only says that it is wrong.",
        "The provided key element does not match the schema",
        _LOCAL_KEY,
    ),
    Refusal(
        "Local does not say which key of an item has the wrong type or is missing.",
        _INVALID + r"(Type mismatch for key \S+ expected: \w+ actual: \w+|Missing the key .*)",
        _LOCAL_KEY,
    ),
    Refusal(
        "Of the faults in a batch, Local tells a wrong index key before a key that comes twice.",
        "Provided list of item keys contains duplicates",
        _any(_LOCAL_INDEX_KEY, _EMPTY_INDEX_KEY),
    ),
    Refusal(
        "The service sees what is wrong with legacy parameters before it looks for the table, "
        "Local after, and with an update after the condition and some of the update.",
        _LEGACY,
        _any(_LOCAL_FIRST, _CONDITION_FAILED, "Type mismatch for attribute to update"),
    ),
    Refusal(
        "Local does not say which index key has the wrong type, nor of which index.",
        _INVALID + r"Type mismatch for Index Key \S+ Expected: \w+ Actual: \w+ IndexName: \w+",
        _LOCAL_INDEX_KEY,
    ),
    Refusal(
        "Local has the words of a put for an update of an index key to a wrong type.",
        "The update expression attempted to update the secondary index key to .*",
        _LOCAL_INDEX_KEY,
    ),
    Refusal(
        "Local overlooks that an update computes a key of a local index in a wrong type: in a "
        "transaction that is cancelled for something else, it gives no reason there.",
        "The update expression attempted to update the secondary index key to unsupported type",
        "",
    ),
    Refusal(
        "Local gives an item that is there already the code that it has in a batch; in a "
        "transaction, the code of what is not valid.",
        "Duplicate primary key exists in table",
        "Duplicate primary key exists in table",
    ),
    Refusal(
        "Local sees that a key is updated only after it has checked the condition.",
        _any(_KEY_UPDATED, _KEY_NESTED),
        _CONDITION_FAILED,
    ),
    Refusal(
        "Local sees that a sum is out of range only by its digits.",
        "Number (over|under)flow. .*",
        "…more than 38 digits",
    ),
    Refusal(
        "Local looks for two actions on one item of a transaction last.",
        "Transaction request cannot include multiple operations on one item",
        ".*",
    ),
    Refusal(
        "Local words it otherwise when a key is too long.",
        _INVALID + "(Aggregated size of all range keys|Size of hashkey|Size limit) .*",
        _LOCAL_SIZE,
    ),
    Refusal(
        "Local does not know whether a call in parentheses is an operand before they are closed.",
        r"Invalid \w+Expression: The expression has redundant parentheses;",
        r'Invalid \w+Expression: Syntax error; token: "<EOF>", .*',
    ),
    Refusal(
        "Local has the words of a filter for a key condition on a part of a key.",
        "KeyConditionExpressions cannot have conditions on nested attributes",
        _KEY_NESTED,
    ),
    Refusal(
        "Local sees where paths lead before it looks into the values of keys; values are judged "
        "here before the table is looked for.",
        _VALUE,
        _KEY_NESTED,
    ),
    Refusal(
        "The service sees what is wrong in a request by itself before it looks for the table, "
        "Local after.",
        _any(
            "Must specify the AttributesToGet or ProjectionExpression when choosing .*",
            "Cannot specify the .* when choosing to get .*",
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        _any(
            "Consistent reads are not supported on global secondary indexes",
            "Filter Expression can only contain non-primary key attributes: .*",
            _KEY_NESTED,
            _LACKING,
        ),
    ),
    Refusal(
        "Local looks at what a scan selects of an index before it looks where paths lead, and not "
        "at all for the attributes of its filter.",
        _any(_KEY_NESTED, _INVALID + r"Secondary index \w+ does not project .*"),
        _LACKING,
    ),
    Refusal(
        "Local looks at items, keys and the table before it reads the expressions; of the service "
        "it is only known that it reads expressions before it looks for the table.",
        _any(_EXPRESSION, _KEY_NESTED),
        _LOCAL_FIRST,
    ),
)


@dataclass(frozen=True)
class Faults:
    """Faults of which a request may have several, of which one is told."""

    reason: str
    messages: tuple[str, ...]
    possible: Callable[[Step], bool] = lambda _: True


def _updates_several(step: Step) -> bool:
    """Tell whether a request updates more than one path, or may do so."""
    if len(step.request.get("AttributeUpdates") or ()) > 1:
        return True
    text, inside = step.request.get("UpdateExpression") or step.request.get("Statement", ""), 1
    while inside:
        text, inside = re.subn(r"\([^()]*\)", "", text)
    sections = re.findall(r"\b(SET|REMOVE|ADD|DELETE)\b", text)
    together = step.operation in ("TransactWriteItems", "ExecuteTransaction")
    return together or len(sections) + text.count(",") > 1


FAULTS = (
    Faults(
        "Of several faults in one update, Local tells the one that its hash table gives first; "
        "which the service tells is not documented.",
        (
            "The provided expression refers to an attribute that does not exist in the item",
            "The document path provided in the update expression is invalid for update",
            "An operand in the update expression has an incorrect data type",
            "Type mismatch for attribute to update",
            "Attempting to store more than 38 significant digits in a Number",
            "DynamoDB only supports precision up to 38 digits",
            "Number (over|under)flow. Attempting to store a number with magnitude .*",
            "Key attributes must be scalars; .*",
        ),
        _updates_several,
    ),
    Faults(
        "Which of an item's wrong index keys is told, and for which index, depends on the order "
        "in which the indexes are looked at.",
        (
            _INVALID + "Type mismatch for Index Key.*",
            _NOT_VALID + "A value specified for a secondary .*",
            _INVALID + "Size limit exceeded",
            "Invalid attribute value type",
        ),
    ),
)


def same_refusal(step: Step, ours: Outcome, local: Outcome) -> bool:
    """Tell whether two refusals are the same but for what is known."""
    if "CancellationReasons" in {**ours.answer, **local.answer}:
        return _cancelled(step, ours, local)
    left, right = _shown(ours), _shown(local)
    return (
        (left == right and ours.code == local.code)
        or any(re.fullmatch(e.ours, left) and re.fullmatch(e.local, right) for e in REFUSALS)
        or any(
            each.possible(step) and _is_one_of(each, ours) and _is_one_of(each, local)
            for each in FAULTS
        )
    )


def _is_one_of(faults: Faults, refusal: Outcome) -> bool:
    return any(re.fullmatch(each, refusal.message) for each in faults.messages)


def _cancelled(step: Step, ours: Outcome, local: Outcome) -> bool:
    """Tell whether both cancel a transaction for the same reasons.

    For what a table or an item does not allow, the service cancels with a reason, as documented
    with TransactWriteItems; Local may refuse the request with the same words.
    """
    mine, theirs = (each.answer.get("CancellationReasons", []) for each in (ours, local))
    if mine and theirs:
        # Where a key is updated, Local lists that reason alone.
        if len(theirs) == 1:
            return any(_same_reason(step, each, theirs[0]) for each in mine)
        return len(mine) == len(theirs) and all(map(partial(_same_reason, step), mine, theirs))
    if "multiple operations on one item" in ours.message:
        return True  # Local looks for this last, and may find a reason to cancel before.
    told = [each.get("Message", "").removesuffix(".") for each in theirs]
    if re.fullmatch(_KEY_NESTED, ours.message) and re.fullmatch(_KEY_UPDATED, "".join(told)):
        return True  # Local takes these two as they come, action by action.
    refused = {"Code": "ValidationError", "Message": (local if mine else ours).message}
    return any(_same_reason(step, each, refused) for each in mine) or any(
        _same_reason(step, refused, each) for each in theirs
    )


def _same_reason(step: Step, ours: dict[str, Any], local: dict[str, Any]) -> bool:
    shows_same = canonical(ours.get("Item")) == canonical(local.get("Item"))
    return (shows_same or ours["Code"] != local["Code"]) and same_refusal(
        step, _alone(ours), _alone(local)
    )


def _alone(reason: dict[str, Any]) -> Outcome:
    """Give the refusal that a reason would be, without the full stop that Local puts behind it."""
    code = f"{reason['Code'].removesuffix('Error')}Exception"
    return Outcome({}, code, reason.get("Message", "").removesuffix("."))


_LISTED = re.compile(r"(?<=\[)[^]]*(?=\]$)")


def _shown(refusal: Outcome) -> str:
    """Write the message in words that both sides have, and lists in one order."""
    text = refusal.message
    for wording in WORDINGS:
        text = re.sub(wording.phrase, wording.meaning, text)
    # Attributes are listed in the order of a hash table.
    return _LISTED.sub(lambda listed: ", ".join(sorted(listed[0].split(", "))), text)
