"""Records of a stream in one form, whether they were read from it or came in a Lambda event."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast, get_args

from singletable.errors import UsageError
from singletable.values import AttributeValue, Item

EventName = Literal["INSERT", "MODIFY", "REMOVE"]
EVENTS = get_args(EventName)

POSITION_DIGITS = 40
"""As many as DynamoDB's sequence numbers have at most."""
_SERVICE = "dynamodb.amazonaws.com"


@dataclass(frozen=True, slots=True)
class Record:
    """One change of one item, as the stream tells it."""

    event: EventName
    sequence_number: str
    at: datetime
    """When the item changed, to the second."""
    keys: Item
    old: Item | None = None
    new: Item | None = None
    expired: bool = False
    """Whether DynamoDB deleted the item by itself, its time being over."""

    @property
    def position(self) -> str:
        """Give the sequence number in a form that sorts as text."""
        return self.sequence_number.zfill(POSITION_DIGITS)


def from_time(records: Sequence[Record], first: datetime | None) -> list[Record]:
    """Keep the records of a time and later: of all of its second, since they tell no more."""
    if first is None:
        return list(records)
    second = first.replace(microsecond=0)
    return [record for record in records if record.at >= second]


def from_stream(record: Mapping[str, Any]) -> Record:
    """Read a record of GetRecords."""
    change = record["dynamodb"]
    identity = record.get("userIdentity")
    event = record["eventName"]
    if event not in EVENTS:  # as DynamoDB Local names what expired, without saying who did it
        event, identity = "REMOVE", {"PrincipalId": _SERVICE}
    return Record(
        event,
        change["SequenceNumber"],
        change["ApproximateCreationDateTime"],
        change["Keys"],
        change.get("OldImage"),
        change.get("NewImage"),
        identity is not None and _is_expiry(identity),
    )


def from_lambda(record: Mapping[str, Any]) -> Record:
    """Read a record of the event that Lambda is called with, whose bytes are in base64."""
    try:
        change = record["dynamodb"]
        return Record(
            record["eventName"],
            change["SequenceNumber"],
            datetime.fromtimestamp(change["ApproximateCreationDateTime"], UTC),
            _item(change["Keys"]),
            _image(change.get("OldImage")),
            _image(change.get("NewImage")),
            _is_expiry(record.get("userIdentity") or {}),
        )
    except (KeyError, TypeError) as fault:
        raise UsageError(
            f"This is no record of a DynamoDB stream, {fault!r} is missing or wrong: the function "
            "has to be triggered by the stream of the table"
        ) from fault


def _is_expiry(identity: Mapping[str, Any]) -> bool:
    """Tell a deletion by TTL; Lambda writes the names small, the API as it writes all names."""
    principal = identity.get("PrincipalId") or identity.get("principalId")
    return principal == _SERVICE


def _image(image: Mapping[str, Any] | None) -> Item | None:
    return None if image is None else _item(image)


def _item(item: Mapping[str, Any]) -> Item:
    return {name: _value(value) for name, value in item.items()}


def _value(value: Mapping[str, Any]) -> AttributeValue:
    ((kind, content),) = value.items()
    match kind:
        case "B":
            content = b64decode(content)
        case "BS":
            content = [b64decode(one) for one in content]
        case "L":
            content = [_value(one) for one in content]
        case "M":
            content = _item(content)
    return cast(AttributeValue, {kind: content})
