"""What a kind of a DynamoDB source stands for: a table, or the items of one type in a table.

Values are as the model decodes them: numbers int or Decimal, sets set, binaries bytes, NULL None,
and what an item does not have is not in the row. They can be encoded again without loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from singletable.errors import UsageError
from singletable.migrate.sources.source import Id, Row
from singletable.model.codec import decode, encode
from singletable.values import AttributeValue, Item

from .ids import id_value, key_value
from .tables import SourceTable

UNTYPED = "(no type)"
"""The kind of items that have no text in the type attribute."""


def item_of(row: Mapping[str, Any]) -> Item:
    """Give the item of a row: what was decoded is encoded again."""
    return {name: encode(value) for name, value in row.items()}


@dataclass(frozen=True, slots=True)
class Part:
    """What a kind stands for: a table, or the items of one type in it."""

    kind: str
    table: SourceTable
    attribute: str | None = None

    @property
    def filter(self) -> dict[str, Any]:
        """Give what leaves the other types out of a scan."""
        if self.attribute is None:
            return {}
        value, condition = self.kind, "#type = :type"
        if self.kind == UNTYPED:
            value, condition = "S", "NOT attribute_type(#type, :type)"
        return {
            "FilterExpression": condition,
            "ExpressionAttributeNames": {"#type": self.attribute},
            "ExpressionAttributeValues": {":type": {"S": value}},
        }

    def has(self, item: Item) -> bool:
        """Tell whether an item is of this kind."""
        return self.attribute is None or type_of(item, self.attribute) == self.kind

    def own_form(self, one: Id) -> Id:
        """Give an id in its own form, in whichever it came."""
        return self.table.id_of(self.table.key_of(one))

    def row(self, item: Item, related: Mapping[str, Sequence[Row]] | None = None) -> Row:
        """Give the row of an item."""
        return Row(self.kind, self.table.id_of(item), data_of(item), related or {})


def type_of(item: Item, attribute: str) -> str:
    """Give the kind of an item by its type attribute."""
    text = item.get(attribute, {}).get("S", UNTYPED)
    return str(text)


def data_of(item: Item) -> dict[str, Any]:
    """Give what an item has as Python values."""
    return {name: decode(value) for name, value in item.items()}


def holder_of(row: Row, column: str, parent: Part) -> AttributeValue | None:
    """Give the partition key of the row that another belongs to; None if it cannot be one."""
    value, wanted = row.get(column), parent.table.types[parent.table.key[0]]
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal | bytes):
        return None
    plain = id_value(encode(value))
    try:
        return key_value(str(plain) if wanted == "S" else plain, wanted, column)
    except UsageError:
        return None


def scanned(
    table: SourceTable, request: dict[str, Any], limit: int
) -> tuple[list[Item], Item | None]:
    """Scan until half of the items asked for are there, or as many as one page can hold."""
    items: list[Item] = []
    request = {**request, "ConsistentRead": True}
    while True:
        asked = limit - len(items)
        page = table.send("Scan", {**request, "Limit": asked})
        items += page["Items"]
        last: Item | None = page.get("LastEvaluatedKey")
        full = page["ScannedCount"] < asked or 2 * len(items) >= limit
        if last is None or (items and full):
            return items, last
        request["ExclusiveStartKey"] = last
