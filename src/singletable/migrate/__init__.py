"""Into one table, from PostgreSQL, from many tables, from another layout, and nothing is lost."""

from .following import follow
from .migration import Migration, rows
from .running import Job, run_migration
from .sources.source import Row

__all__ = ["Job", "Migration", "Row", "follow", "rows", "run_migration"]
