"""Index writes cost what the service charges, as observed for an item of 2.5 KB."""

from typing import Any

import pytest

from singletable import GlobalIndex, Table
from singletable.cost.images import image_units
from singletable.cost.specimens import entry_of
from singletable.values import Item, item_size

table = Table(
    "items",
    sk=None,
    indexes=[
        GlobalIndex("KEYS", pk="k", sk=(), projection="KEYS_ONLY"),
        GlobalIndex("ALL", pk="a", sk=()),
        GlobalIndex("SOME", pk="i", sk=(), projection=["body"]),
    ],
)


def item(**attributes: str | None) -> Item:
    """Make an item of 2.5 KB, in the indexes of keys and of everything."""
    texts = {"PK": "1", "k": "key", "a": "all", "body": "x" * 2500, **attributes}
    return {name: {"S": text} for name, text in texts.items() if text}


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        pytest.param(None, item(), (3, 1, 3), id="a new item"),
        pytest.param(item(), item(), (3, 0, 0), id="the same item again"),
        pytest.param(item(), item(more="1"), (3, 0, 3), id="an attribute that KEYS lacks"),
        pytest.param(item(), item(k="2", a="2"), (3, 2, 6), id="other index keys"),
        pytest.param(item(), item(k=None, a=None), (3, 1, 3), id="index keys removed"),
        pytest.param(item(), None, (3, 1, 3), id="deleted"),
        pytest.param(None, None, (1, 0, 0), id="nothing deleted"),
        pytest.param(item(body="x"), item(), (3, 0, 3), id="the larger image counts"),
        pytest.param(item(), item(body="x"), (3, 0, 3), id="also where it was before"),
    ],
)
def test_index_writes(before: Item | None, after: Item | None, units: tuple[int, ...]) -> None:
    found: dict[Any, float] = image_units(table, before, after)
    assert (found[None], found.get("KEYS", 0), found.get("ALL", 0)) == units


def test_an_index_holds_what_is_projected_into_it() -> None:
    whole = item(i="1")
    entry = entry_of(whole, table.index("SOME"), table.primary)
    assert entry is not None
    assert set(entry) == {"PK", "i", "body"}
    assert image_units(table, None, whole)["SOME"] == 3
    assert image_units(table, whole, item(i="1", k="2")).get("SOME", 0) == 0
    assert item_size(entry) < item_size(whole)
    assert entry_of(item(), table.index("SOME"), table.primary) is None
