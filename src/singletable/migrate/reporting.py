"""Plans, verifications and standings as people read them: grids, and lines beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from singletable.cost.grids import Grid, money, number

from .planning import Plan
from .standing import Following, Status
from .verifying import Verification

SHORT_HASH = 12
LISTED_MAX = 20


def plan_grids(made: Plan) -> Iterator[Grid]:
    """Give the tables of a plan."""
    yield Grid.of(
        "Rows, and what comes of a sample of them",
        ("table", "rows", "sampled", "refused", "becomes", "columns not read"),
        (
            (
                one.kind,
                number(one.rows),
                number(one.sampled),
                number(one.refused),
                ", ".join(f"{name} {count}" for name, count in one.entities.items()),
                ", ".join(_unread(one.unread, one.unread_related)),
            )
            for one in made.kinds
        ),
    )
    yield Grid.of(
        "Items, as the sample lets expect",
        ("entity", "items", "bytes", "at most", "write units", "content MB"),
        (
            (
                one.entity,
                number(one.items),
                number(one.size_bytes_mean),
                number(one.size_bytes_max),
                number(one.write_units),
                number(one.content_bytes / 1e6),
            )
            for one in made.entities
        ),
    )
    if made.queries:
        rows = (
            (one.query, one.fault or one.pattern or "none", one.purpose) for one in made.queries
        )
        yield Grid.of("Queries, and the patterns in their place", ("query", "pattern", ""), rows)


def plan_notes(made: Plan) -> Iterator[str]:
    """Say what to mind in a plan, and what it takes."""
    for one in made.refusals[:LISTED_MAX]:
        yield f"Refused: {one.rows} rows of {one.kind}, such as {one.example}: {one.reason}"
    yield from (f"Made twice: {clash}" for clash in made.clashes)
    if made.clashing:
        yield f"Refused: {made.clashing:,} rows that make what one before them makes."
    for kind in made.kinds:
        if kind.unique and kind.sampled < kind.rows:
            yield (
                f"{', '.join(kind.unique)} of {kind.sampled:,} rows of {kind.kind} out of "
                f"{kind.rows:,}: whether others have the same, --all tells."
            )
    yield from (f"No pattern takes the place of: {query}" for query in made.unmatched)
    if made.ignored:
        yield f"No rule reads {', '.join(made.ignored)}."
    took = made.estimate
    yield (
        f"{took.items:,} items, {took.write_units:,.0f} write units: {money(took.price)} "
        f"{took.currency} on demand ({took.region}, {took.as_of}); "
        f"{took.storage_bytes / 1e9:,.2f} GB with indexes, {money(took.storage_price)} "
        f"{took.currency} a month."
    )
    pace = f" at {took.units_per_s:,.0f} units/s" if took.units_per_s else ""
    yield f"About {took.time_s:,.0f} s{pace}; rows are transformed at {took.rows_per_s:,.0f}/s."


def verification_grids(made: Verification) -> Iterator[Grid]:
    """Give the tables of a verification."""
    yield Grid.of(
        "Items",
        ("entity", "expected", "found", "missing", "different", "extra", "hash", "hash found"),
        (
            (
                one.entity,
                number(one.expected),
                number(one.found),
                number(one.missing),
                number(one.different),
                number(one.extra),
                one.expected_hash[:SHORT_HASH],
                one.found_hash[:SHORT_HASH] if one.found_hash != one.expected_hash else "the same",
            )
            for one in made.entities
        ),
    )


def verification_notes(made: Verification) -> Iterator[str]:
    """Say what differs, and what was not compared."""
    yield from map(str, made.differences[:LISTED_MAX])
    if made.differing > LISTED_MAX:
        yield f"… all {made.differing:,} differences are in {made.file}."
    for kind, count in made.rejected.items():
        yield f"{count:,} rows of {kind} are among the rejects, and not expected."
    for one in made.entities:
        if one.left_out:
            yield f"{one.entity}: {', '.join(one.left_out)} not compared; the table keeps it."
    for kind, count in made.apart.items():
        yield f"{count:,} items of the type {kind!r} are there that no rule makes."
    if made.unsettled:
        yield f"{made.unsettled:,} rows or items changed all the while: verify again."
    yield f"{made.differing:,} differences, {made.repaired:,} repaired, {made.left:,} left."
    if made.followed_anew:
        yield "Changes had been lost: what was missed is repaired, and they are followed anew."


def status_grids(made: Status) -> Iterator[Grid]:
    """Give the table of a standing."""
    yield Grid.of(
        "Rows copied",
        ("table", "rows", "items", "rejected", "parts", "makes"),
        (
            (
                one.kind,
                number(one.rows),
                number(one.items),
                number(one.rejected),
                f"{one.done}/{one.parts}",
                ", ".join(one.makes),
            )
            for one in made.kinds
        ),
    )


def status_title(made: Status) -> str:
    """Say in a line where a migration stands."""
    began = f", begun {_when(made.began_at)}" if made.began_at else ""
    backlog = made.following.backlog if made.following else None
    told = "" if backlog is None else f"; Backlog {backlog:,}"
    return f"{made.name}: {made.state}{began}{told}"


def status_notes(made: Status) -> Iterator[str]:
    """Say how the application stands between both sides, and what has to be done in time."""
    if made.state == "copying" and made.kinds and all(one.done == one.parts for one in made.kinds):
        yield "All rows are copied; contested items and counts are left: the run settles them."
    one = made.phase
    if one is None or one.phase != "done":  # when it is, nobody follows
        yield from _following_notes(made.following)
    if one is not None:
        yield f"Phase {one.phase} since {_when(one.since)}."
        if one.postponed:
            yield f"It is postponed: {one.postponed}"
        if one.paused_by:
            yield f"{one.paused_by} holds the writes."
    if made.journal:
        yield f"{made.journal:,} rows are in the journal: under way, or left to be settled."
    if made.way_back is not None:
        left = _hours(made.way_back.hours_left)
        yield f"The way back is open for {left} more; {made.way_back.rows:,} rows written back."
    for done in made.backfills:
        yield (
            f"Backfill of {done.name}, begun {_when(done.began_at)}: "
            f"{'done' if done.is_done else 'not done'}; {done.looked:,} items looked at, "
            f"{done.written:,} written, {done.left_alone:,} left alone."
        )


def _following_notes(made: Following | None) -> Iterator[str]:
    if made is None:
        return
    if made.lost:
        yield f"Changes are lost: {made.lost}. Verify with repair, then they are followed anew."
    elif made.hours_left is not None:
        yield f"Changes can be gone on with for {_hours(made.hours_left)} more."


def _hours(hours: float | None) -> str:
    return "an unknown time" if hours is None else f"{hours:.1f} h"


def _when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _unread(own: tuple[str, ...], related: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    yield from own
    yield from (f"{kind}.{name}" for kind, names in related.items() for name in names)
