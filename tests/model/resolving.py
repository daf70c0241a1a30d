"""An entity's fields without an entity: names in camel case, values by their Python type."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from singletable.errors import UsageError
from singletable.expressions import Path
from singletable.model.paths import field_of, parse_path
from singletable.values import AttributeValue, Item

FIELDS = {
    "status": "status",
    "name": "name",
    "reads": "reads",
    "read_limit": "readLimit",
    "tags": "tags",
    "photos": "photos",
    "stats": "stats",
    "created_at": "createdAt",
    "expires_at": "TTL",
    "cover": "cover",
}
"""The attribute of each field; ``expires_at`` is a time that is stored as seconds."""


def encoded(value: Any) -> AttributeValue:
    """Give the attribute value of a Python value."""
    match value:
        case bool():
            return {"BOOL": value}
        case int() | Decimal():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case bytes():
            return {"B": value}
        case datetime():
            return {"S": value.isoformat()}
        case set():
            return {"SS": sorted(value)}
        case list():
            return {"L": [encoded(each) for each in value]}
        case dict():
            return {"M": {name: encoded(each) for name, each in value.items()}}
        case _:
            raise UsageError(f"{value!r} cannot be stored")


class Fields:
    """The resolver of the fields above."""

    def path(self, path: str) -> Path:
        """Give the attributes of a path."""
        field, *rest = parse_path(path)
        if field not in FIELDS:
            raise UsageError(f"There is no field {field!r}; there are: {', '.join(FIELDS)}")
        return Path((FIELDS[str(field)], *rest))

    def value(self, path: str, value: Any) -> AttributeValue:
        """Encode a value as its field does."""
        if field_of(path) == "expires_at" and isinstance(value, datetime):
            return {"N": str(int(value.timestamp()))}
        return encoded(value)

    def compared(self, path: str, value: Any) -> AttributeValue:
        """Encode a value as its field does."""
        return self.value(path, value)

    def element(self, path: str, value: Any) -> AttributeValue:
        """Encode a member."""
        return encoded(value)


RESOLVER = Fields()


def item_of(**fields: Any) -> Item:
    """Give the item that has these fields."""
    return {FIELDS[name]: RESOLVER.value(name, value) for name, value in fields.items()}
