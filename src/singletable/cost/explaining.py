"""What each access pattern comes to: its exact request, its price, and why it reads where it does.

For a pattern that no key serves: what is missing, and the smallest change that would serve it.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

from singletable.errors import UsageError
from singletable.model.reads import BatchGet, Between, Collection, Get, Query, Scan
from singletable.model.templates.slots import BUCKETS_MAX
from singletable.store.batches import KEYS_MAX
from singletable.store.reading.plans import GROUPS_MAX
from singletable.store.tracing import Trace

from .figures import Figures
from .grids import number
from .marking import marked
from .proposals import lacks, proposals, wish_of
from .ranges import Range, limited_by
from .reading import ReadCost, is_partial, is_snapshot, read_cost
from .reasons import LISTED_MAX, reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All there is to know of an access pattern without running it."""

    name: str
    signature: str
    purpose: str
    operation: str | None = None
    table: str | None = None
    index: str | None = None
    requests: tuple[dict[str, Any], ...] = ()
    """The exact requests of a call, or of its first page, with parameters marked."""
    entities: tuple[str, ...] = ()
    also_reads: tuple[str, ...] = ()
    bound: str = ""
    """How many requests a call may make."""
    capacity: str = ""
    cost: ReadCost | None = None
    why: tuple[str, ...] = ()
    fault: str | None = None
    missing: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    """What would serve a pattern that cannot be served, the smallest change first."""


def explain(figures: Figures, name: str | None = None) -> list[Explanation]:
    """Explain every pattern of a design, or the one of a name."""
    if name is None:
        return [explained(traced, figures) for traced in figures.traces]
    found = [traced for traced in figures.traces if traced.pattern.name == name]
    if not found:
        known = ", ".join(traced.pattern.name for traced in figures.traces)
        store = figures.store.__name__
        raise UsageError(f"{store} has no access pattern {name!r}; it has {known or 'none'}")
    return [explained(found[0], figures)]


def explained(traced: Trace, figures: Figures) -> Explanation:
    """Explain one pattern."""
    pattern = traced.pattern
    common: dict[str, Any] = {
        "name": pattern.name,
        "signature": _signature(traced),
        "purpose": pattern.purpose,
        "table": figures.store.table.name,
    }
    if traced.fault is not None:
        wish = wish_of(traced)
        return Explanation(
            **common,
            fault=_fault(traced.fault),
            missing=tuple(lacks(wish)) if wish else (),
            changes=tuple(proposals(wish)) if wish else (),
        )
    cost = read_cost(traced, figures)
    return Explanation(
        **common,
        operation=traced.kind,
        index=traced.index,
        requests=tuple(marked(traced)),
        entities=tuple(schema.name for schema in traced.entities),
        also_reads=cost.foreign,
        bound=_bound(traced, cost.over),
        capacity=_capacity(traced, cost),
        cost=cost,
        why=tuple(reasons(traced)),
    )


def _signature(traced: Trace) -> str:
    parameters = list(signature(traced.pattern.method).parameters)[1:]
    return f"{traced.pattern.name}({', '.join(parameters)}){_returns(traced.read)}"


def _returns(read: Any) -> str:
    match read:
        case Get():
            return f" → Get[{read.key.schema.name}]"
        case Query() if read.fetches:
            return f" → Query[{read.fetches[0].name}]"
        case Query() | Scan():
            shape = read.shape.__name__ if read.shape else read.schema.name
            return f" → {type(read).__name__}[{shape}]"
        case Collection():
            return f" → Collection[{read.view.shape.__name__}]"
        case BatchGet():
            names = dict.fromkeys(get.key.schema.name for get in read.gets)
            return f" → BatchGet[{' | '.join(names)}]"
    return ""


def _fault(fault: Exception) -> str:
    text = str(fault)
    return text if isinstance(fault, UsageError) else f"{type(fault).__name__}: {text}"


def _bound(traced: Trace, over: Range) -> str:
    """Say how many requests a call may make."""
    match traced.read:
        case Get():
            return "always one"
        case BatchGet(at_once=True):
            return f"always one, of at most {KEYS_MAX} keys"
        case BatchGet():
            return f"one for each {KEYS_MAX} keys"
        case Scan():
            return _scanned(traced, traced.read)
        case Query():
            return _queried(traced, traced.read, over)
        case Collection():
            return _collected(traced, traced.read, over.shards)
    return ""


def _collected(traced: Trace, collection: Collection[Any], shards: int) -> str:
    each, more = (f"{shards} side by side", "as many") if shards > 1 else ("one", "another")
    if collection.page_size is not None:
        return f"{each} for at most {_items(traced, collection.page_size)}"
    return f"{each}, and {more} for each further 1 MB"


def _items(traced: Trace, most: int) -> str:
    """Say how many items a page has: a parameter's value is the caller's, and a sample here."""
    asked = limited_by(traced)
    if asked is not None:
        return f"‹{asked}› items"
    return "1 item" if most == 1 else f"{most} items"


def _scanned(traced: Trace, scan: Scan[Any]) -> str:
    if scan.segments > 1:
        return f"{scan.segments} at a time, and one for each 1 MB of all there is: no bound"
    size = _items(traced, scan.page_max) if scan.page_max else "1 MB"
    return f"one a page of {size}; as many pages as there is to read: no bound for all of them"


def _queried(traced: Trace, query: Query[Any], over: Range) -> str:
    size = f"a page of {_items(traced, query.page_max) if query.page_max else '1 MB'}"
    shards, groups = over.shards, min(len(over.groups), GROUPS_MAX)
    each = f"{shards} side by side" if shards > 1 else "one"
    said = f"{each} for {size}"
    if _spans(query):
        until = " until the page is full" if query.page_max else ""
        said += (
            f", and as many for each further bucket{until}: {shards * groups} in this example, "
            f"never more than {shards * GROUPS_MAX:,} a page, and {BUCKETS_MAX:,} buckets in all"
        )
    if query.fetches:
        said += f"; then one BatchGetItem for each {KEYS_MAX} items"
    return said


def _spans(query: Query[Any]) -> bool:
    return any(isinstance(value, Between) for value in query.known.values())


def _capacity(traced: Trace, cost: ReadCost) -> str:
    items = _listed(cost)
    consistency = "strongly consistent" if cost.consistent else "eventually consistent"
    if is_snapshot(traced):
        consistency = "as of one moment, for twice the price of a strong read"
    unit = "a page" if isinstance(traced.read, Query | Scan) else "a call"
    units = "1 read unit" if cost.units == 1 else f"{number(cost.units)} read units"
    said = f"{units} {unit} for {items}, {consistency}"
    if getattr(traced.read, "condition", None) is not None:
        said += "; what the filter leaves out is paid for too"
    if isinstance(traced.read, Query) and traced.read.fetches:
        said += f"; the {traced.read.fetches[0].name} that each points at is counted in"
    if is_partial(traced):
        said += "; the rest of each item, which is fetched from the table, is counted in"
    return said


def _listed(cost: ReadCost) -> str:
    if len(cost.items) > LISTED_MAX:
        total, mean = cost.total_items, cost.total_bytes / (cost.total_items or 1)
        of = f"{len(cost.items)} entities"
        return f"{number(total)} items of {of}, {number(round(mean))} bytes each"
    return ", ".join(
        f"{number(amount)} {name} of {number(cost.item_bytes[name])} bytes"
        for name, amount in cost.items.items()
    )
