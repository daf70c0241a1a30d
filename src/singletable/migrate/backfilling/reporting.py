"""A survey as people read it: a grid, and lines beside it."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.cost.grids import Grid, money, number

from .results import Survey


def survey_grids(made: Survey) -> Iterator[Grid]:
    """Give the table of a survey."""
    yield Grid.of(
        "Items, and how many are not as the design has them",
        ("entity", "items", "to rewrite", "to make", "left alone", "write units"),
        (
            (
                one.entity,
                number(one.items),
                number(one.left),
                number(one.missing),
                number(one.broken + one.shared),
                number(one.write_units),
            )
            for one in made.entities
        ),
    )


def survey_notes(made: Survey) -> Iterator[str]:
    """Say what differs, what is left alone, and what it takes."""
    for one in made.entities:
        for kind, items in one.differences.items():
            yield f"{one.entity}: {items:,} {kind}"
    if made.unknown:
        yield f"{made.unknown:,} items are of types that the design does not have."
    yield from (f"Left alone: {example}" for example in made.examples)
    for entity in made.spare_upgrades:
        yield f"{entity}: no item is of an older schema: its @upgrade functions can be deleted."
    if not made.is_whole:
        yield (
            f"This is of {made.looked:,} items out of {made.total:,}: about {made.left_about:,} "
            "are left in all."
        )
    yield (
        f"{made.left:,} left: {made.write_units:,.0f} write units, and {made.read_units:,.0f} read "
        f"units for each look at the items: {money(made.price)} {made.currency} on demand "
        f"({made.region}, {made.as_of})."
    )
