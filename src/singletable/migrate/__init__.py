"""Into one table, from PostgreSQL, from many tables, from another layout, and nothing is lost."""

from .following import follow
from .migration import Migration, rows
from .phases import Cutover
from .planning import Plan, plan
from .running import Job, run_migration
from .sources.source import Row
from .standing import Status, status
from .verifying import Verification, verify

__all__ = [
    "Cutover",
    "Job",
    "Migration",
    "Plan",
    "Row",
    "Status",
    "Verification",
    "follow",
    "plan",
    "rows",
    "run_migration",
    "status",
    "verify",
]
