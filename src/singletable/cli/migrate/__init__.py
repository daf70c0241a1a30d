"""``singletable migrate``: into one table, with nothing lost. One module a command."""

from singletable.cli._commands import group

from .backfill import backfill
from .cutover import cutover
from .follow import follow
from .init import init
from .plan import plan
from .revert import revert
from .run import run
from .status import status
from .verify import verify

migrate = group(
    "Bring data into one table, from SQL, tables or files.",
    "singletable migrate plan shop.migration:Leave --from sqlite:///old.db --to shop.db",
    *(init, plan, run, follow, status, verify, cutover, revert, backfill),
)
