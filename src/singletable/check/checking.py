"""A check: every rule over a design, without what the design's author chose to ignore."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from singletable.cost.traffic import Traffic
from singletable.errors import UsageError
from singletable.store.store import Store

from .design import Design, UniqueColumns
from .finding import SEVERITIES, Finding
from .ignoring import Ignored
from .rule import Rule, all_rules


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found, and what of it is ignored, each with the reason."""

    store: type[Store]
    findings: tuple[Finding, ...]
    ignored: tuple[tuple[Finding, str], ...] = ()

    @property
    def has_errors(self) -> bool:
        """Tell whether there is an error among the findings."""
        return any(finding.severity == "error" for finding in self.findings)


def check(
    store: type[Store],
    *,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    traffic: Traffic | None = None,
    uniques: Iterable[UniqueColumns] = (),
) -> Report:
    """Judge the design of a store by every rule, or by those that are selected; sends nothing.

    ``select`` and ``ignore`` take codes, whole or their beginnings (``"H"``, ``"H4"``).
    ``uniques`` is what the source of the data kept unique, and the design should still keep.
    """
    chosen = _chosen(select, ignore)
    design = Design(store, traffic, uniques)
    ignored = Ignored.of(store)
    findings = [finding for rule in chosen for finding in rule.find(design)]
    judged = [(finding, ignored.reason(finding)) for finding in findings]
    kept = [finding for finding, reason in judged if reason is None]
    kept += ignored.faults({rule.code: rule for rule in chosen}, findings)
    return Report(
        store,
        tuple(sorted(kept, key=_rank)),
        tuple((finding, reason) for finding, reason in judged if reason is not None),
    )


def _rank(finding: Finding) -> tuple[int, str, str, str]:
    return SEVERITIES.index(finding.severity), finding.code, finding.place, finding.message


def _chosen(select: Collection[str], ignore: Collection[str]) -> list[Rule]:
    rules = all_rules()
    for given in (*select, *ignore):
        if not any(code.startswith(given) for code in rules):
            raise UsageError(f"No rule's code begins with {given!r}: {', '.join(rules)}")
    return [rule for code, rule in rules.items() if _is_chosen(code, select, ignore)]


def _is_chosen(code: str, select: Collection[str], ignore: Collection[str]) -> bool:
    return not code.startswith(tuple(ignore)) and (not select or code.startswith(tuple(select)))
