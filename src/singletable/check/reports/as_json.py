"""A report for programs."""

from __future__ import annotations

import json
from typing import Any

from singletable.check.checking import Report
from singletable.check.finding import Finding
from singletable.check.places import place_of


def as_json(report: Report) -> str:
    """Write a report as JSON: findings, the ignored ones with their reasons."""
    content = {
        "store": report.store.__name__,
        "findings": [_members(report, finding) for finding in report.findings],
        "ignored": [
            {**_members(report, finding), "reason": reason} for finding, reason in report.ignored
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _members(report: Report, finding: Finding) -> dict[str, Any]:
    at = place_of(report.store, finding)
    return {**finding.as_dict(), "file": at.file if at else None, "line": at.line if at else None}
