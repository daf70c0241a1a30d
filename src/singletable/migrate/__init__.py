"""Into one table, from PostgreSQL, from many tables, from another layout, and nothing is lost."""

from .backfilling import Backfill, Survey, backfill, entities, lazily, survey
from .drafting import unmatched
from .dual import DualWrites
from .following import follow
from .layouts.cleaning import Cleaned, clean
from .layouts.job import in_place
from .migration import Both, Migration, back, rows
from .phases import Cutover
from .planning import Plan, plan
from .reverting import Reverted, revert, write_back
from .running import Job, run_migration
from .sources.source import Row
from .standing import Status, status
from .switching import Switched, switch
from .verifying import Verification, verify

__all__ = [
    "Backfill",
    "Both",
    "Cleaned",
    "Cutover",
    "DualWrites",
    "Job",
    "Migration",
    "Plan",
    "Reverted",
    "Row",
    "Status",
    "Survey",
    "Switched",
    "Verification",
    "back",
    "backfill",
    "clean",
    "entities",
    "follow",
    "in_place",
    "lazily",
    "plan",
    "revert",
    "rows",
    "run_migration",
    "status",
    "survey",
    "switch",
    "unmatched",
    "verify",
    "write_back",
]
