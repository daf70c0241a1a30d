"""A report for code hosts: SARIF 2.1.0, with the rules and what they say."""

from __future__ import annotations

import json
from importlib import metadata
from typing import Any

from singletable.check.checking import Report
from singletable.check.finding import Finding
from singletable.check.places import place_of
from singletable.check.rule import Rule, all_rules


def as_sarif(report: Report) -> str:
    """Write a report as SARIF."""
    results = [_result(report, finding) for finding in report.findings]
    results += [
        {**_result(report, finding), "suppressions": [_suppression(reason)]}
        for finding, reason in report.ignored
    ]
    driver = {
        "name": "singletable",
        "version": metadata.version("singletable"),
        "rules": [_rule(rule) for rule in all_rules().values()],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.documentation},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(report: Report, finding: Finding) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": list(all_rules()).index(finding.code),
        "level": finding.severity,
        "message": {"text": f"{finding.message}. Fix: {finding.fix}."},
        "locations": [_location(report, finding)],
    }


def _location(report: Report, finding: Finding) -> dict[str, Any]:
    logical = [
        {"fullyQualifiedName": name, "kind": kind}
        for name, kind in (
            (finding.pattern, "function"),
            (finding.entity, "type"),
            (finding.index, "member"),
        )
        if name
    ] or [{"fullyQualifiedName": report.store.__name__, "kind": "type"}]
    at = place_of(report.store, finding)
    if at is None:
        return {"logicalLocations": logical}
    physical = {"artifactLocation": {"uri": at.file}, "region": {"startLine": at.line}}
    return {"physicalLocation": physical, "logicalLocations": logical}


def _suppression(reason: str) -> dict[str, str]:
    return {"kind": "inSource", "justification": reason}
