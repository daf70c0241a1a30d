"""``singletable migrate status``: where it stands."""

from __future__ import annotations

from typing import Annotated

from singletable.cli._target import plainly

from ._job import job_of, must_be_there
from ._options import FROM, Format, TableName, Target, To
from ._showing import print_result


def status(
    migration: Target,
    to: To,
    source: Annotated[str, FROM] = "",
    table: TableName = None,
    form: Format = "text",
) -> None:
    """Tell where a migration stands.

    With --from it counts the changes that are not applied yet.

    Example:
      singletable migrate status shop.migration:Leave --to shop.db --format json
    """
    with plainly("migrate status"):
        from singletable.migrate import reporting, standing

        must_be_there(to)
        made = standing.status(job_of(migration, source, to, table_name=table))
        grids = list(reporting.status_grids(made)) if made.kinds else []
        print_result(form, made.as_data(), reporting.status_title(made), grids, [])
