"""A folder a rule: designs that have its fault, what is said of them, and designs without it."""

from collections.abc import Iterator
from pathlib import Path

from singletable.check import Finding, check
from singletable.check.reports import said
from singletable.cli._target import load

FOLDER = Path(__file__).parent


def cases(kind: str) -> Iterator[Path]:
    """Give the designs of a kind: bad, or good."""
    yield from sorted(FOLDER.glob(f"*/{kind}*.py"))


def findings(case: Path) -> list[Finding]:
    """Check a design by all rules."""
    return list(check(load(str(case))).findings)


def text(found: list[Finding]) -> str:
    """Write findings as a file has them."""
    return "\n\n".join(map(said, found)) + "\n"
