"""``singletable migrate status``: where it stands."""

from __future__ import annotations

from singletable.cli._places import TableName, must_be_there
from singletable.cli._showing import Format, show_tables, working

from ._job import job_of
from ._options import From, Target, To


def status(
    migration: Target,
    to: To,
    source: From = "",
    table: TableName = None,
    form: Format = "text",
) -> None:
    """Tell where a migration stands.

    It tells how far each table is, the phase, what is left in the journal, for how long changes
    can be followed and the way back is open, and backfills. With --from it counts the changes that
    are not applied yet.

    Example:
      singletable migrate status shop.migration:Leave --to shop.db --format json
    """
    from singletable.migrate import reporting, standing

    must_be_there(to)
    with working("Looking", form):
        made = standing.status(job_of(migration, source, to, table_name=table))
    grids = list(reporting.status_grids(made)) if made.kinds else []
    notes = list(reporting.status_notes(made))
    show_tables(form, made.as_data(), reporting.status_title(made), grids, notes)
