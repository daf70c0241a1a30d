"""A scenario: tables, and what is done to them on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from hypothesis import strategies as st

from . import legacy, statements
from .dice import Dice
from .faults import faulty
from .outcome import Step
from .steps import (
    Make,
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    plain_put,
    put_item,
    query,
    scan,
    transact_get_items,
    transact_write_items,
    update_item,
)
from .tables import Table, table

STEPS = 25

_NUMBERS = count()
ENTROPY = st.lists(
    st.binary(min_size=160, max_size=160),
    min_size=STEPS + 2,
    max_size=STEPS + 2,
    unique_by=lambda _: next(_NUMBERS),
)
"""What two tables and the steps are made from; a step of nothing but zeros is none.

Hypothesis tries variants of an example with parts of it doubled, five for each new one, which find
nothing here. It does not with members of a collection without duplicates: hence this one, all of
whose members are different by definition.
"""

_WRITES: tuple[Make, ...] = (put_item, update_item, delete_item)

THEMES: dict[str, tuple[Make, ...]] = {
    "items": (get_item, *_WRITES, update_item, put_item),
    "pages": (query, scan, plain_put, query, delete_item),
    "groups": (
        plain_put,
        batch_get_item,
        batch_write_item,
        transact_get_items,
        transact_write_items,
        transact_write_items,
    ),
    "legacy": (
        legacy.get_item,
        legacy.put_item,
        legacy.update_item,
        legacy.delete_item,
        legacy.query,
        legacy.scan,
        legacy.update_item,
    ),
    "statements": (
        statements.write,
        statements.select,
        statements.select,
        statements.batch,
        statements.transaction,
        plain_put,
    ),
    "faults": (
        plain_put,
        faulty(get_item),
        faulty(put_item),
        faulty(update_item),
        faulty(delete_item),
        faulty(query),
        faulty(scan),
    ),
}
"""What is done, by theme; the first is the simplest."""

FILLED = 12
"""How many items a scenario about pages begins with."""


@dataclass(frozen=True)
class Scenario:
    """What is done on both sides."""

    tables: tuple[Table, ...]
    steps: tuple[Step, ...]


def scenarios(theme: str) -> st.SearchStrategy[Scenario]:
    """Make tables and 25 steps, fewer where hypothesis shrinks."""
    return ENTROPY.map(lambda entropy: _scenario(theme, [*map(Dice, entropy)], entropy))


def _scenario(theme: str, dice: list[Dice], entropy: list[bytes]) -> Scenario:
    names = ("first", "second") if theme == "groups" else ("first",)
    tables = tuple(table(each, name) for each, name in zip(dice, names, strict=False))
    steps: list[Step] = []
    for each, given in zip(dice[2:], entropy[2:], strict=True):
        filling = theme == "pages" and len(steps) < FILLED
        if any(given):
            make = plain_put if filling else each.pick(THEMES[theme])
            steps.append(make(each, tables))
    return Scenario(tables, tuple(steps))
