"""A report for people: a line to click on, what happens, what to write."""

from __future__ import annotations

from collections import Counter

from singletable.check.checking import Report
from singletable.check.finding import SEVERITIES, Finding
from singletable.check.places import place_of


def as_text(report: Report) -> str:
    """Write a report for people."""
    parts = [f"{_at(report, finding)}: {said(finding)}\n" for finding in report.findings]
    return "\n".join([*parts, _summary(report)])


def said(finding: Finding) -> str:
    """Write what a rule says, but for the line of the source."""
    named = (finding.place, finding.index, finding.template and repr(finding.template))
    return "\n    ".join(
        [
            f"{finding.severity} {finding.code} {finding.name}",
            ", ".join(dict.fromkeys(part for part in named if part)),
            finding.message,
            f"fix: {finding.fix}",
        ]
    )


def _at(report: Report, finding: Finding) -> str:
    return str(place_of(report.store, finding) or report.store.__name__)


def _summary(report: Report) -> str:
    counts = Counter(finding.severity for finding in report.findings)
    found = [_counted(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
    ignored = f" ({len(report.ignored)} ignored)" if report.ignored else ""
    return f"{report.store.__name__}: {', '.join(found) or 'nothing found'}{ignored}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
