"""A change of layout as a migration from a table into itself."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from singletable.errors import UsageError
from singletable.migrate.migration import Migration
from singletable.migrate.running import Job
from singletable.migrate.sources.dynamodb.database import SCHEME

from .proving import must_not_meet


def in_place(migration: type[Migration[Any]], at: str, **options: Any) -> Job:
    """Give the job of a migration within one table; the options are those of a job."""
    if not migration.in_place:
        raise UsageError(
            f"{migration.__name__} is not declared to stay in one table: "
            f"class {migration.__name__}(Migration[…], in_place=True)"
        )
    must_not_meet(migration)
    table = migration.store.table
    name = options.get("table_name") or table.name
    told = {"table": name, "type_attribute": table.type_attribute}
    query = "&".join(f"{option}={quote(value, safe='')}" for option, value in told.items())
    types = ",".join(quote(kind, safe="") for kind in migration.rules)
    source = f"{SCHEME}{at}?{query}&types={types}"
    return Job(migration=migration, source=source, destination=at, **options)
