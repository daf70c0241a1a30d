"""Values that are to be unique by now, and that several items have.

Only who has seen all items can tell. So each value that no guard keeps for its item is noted in a
file that the processes of a survey share: memory stays small, however many there are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from singletable.errors import UsageError
from singletable.store.writing.writes import identity
from singletable.values import Item

from .guarding import Want
from .results import Counts

DIGEST_BYTES = 16
EXAMPLES_MAX = 20
GUARD_UNITS = 4
"""What it costs to take a guard in a transaction that looks at its item, too."""
TIMEOUT_S = 60

_WANTS = """
CREATE TABLE wants (
  value BLOB,
  item TEXT,
  is_owner INTEGER,  -- its guard is there
  is_new INTEGER,  -- the item itself is not
  entity TEXT,
  field TEXT,
  shown TEXT
)
"""
# Of several, a backfill takes whom it meets first; whoever that is, the others are as many.
_JUDGED = """
CREATE TEMP TABLE judged AS SELECT *, first_value(item) OVER (
  PARTITION BY value ORDER BY is_owner DESC, is_new, item
) AS owner FROM wants
"""
_FREE = """
SELECT entity, field, count(*) FROM judged
WHERE item = owner AND NOT is_owner AND NOT is_new GROUP BY entity, field
"""
_SHARED = "SELECT entity, field, count(*) FROM judged WHERE item <> owner GROUP BY entity, field"
_ITEMS = """
SELECT entity, count(DISTINCT item), count(DISTINCT CASE WHEN is_new THEN item END) FROM judged
WHERE item <> owner GROUP BY entity
"""
_EXAMPLES = """
SELECT entity, item, field, owner, shown FROM judged
WHERE item <> owner ORDER BY entity, field, shown, item LIMIT ?
"""


@contextmanager
def noting() -> Iterator[Path]:
    """Make a file for the values of one survey, which goes with it."""
    with TemporaryDirectory(prefix="singletable-") as folder:
        path = Path(folder) / "values"
        with closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA journal_mode = WAL")
            file.execute(_WANTS)
        yield path


def note(path: Path, wants: Sequence[Want]) -> None:
    """Note values that items want, in whichever process this is."""
    if wants:
        with _opened(path) as file, file:
            rows = (row for want in wants for row in _rows(want))
            file.executemany("INSERT INTO wants VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def count(path: Path, counts: Counts) -> Iterator[str]:
    """Count the guards that are free, and the items that come too late for one; give examples."""
    with _opened(path) as file:
        file.execute(_JUDGED)
        for entity, field, number in file.execute(_FREE):
            tally = counts.of(entity)
            tally.missing += number
            tally.kinds[f"without a guard of {field}"] += number
            tally.write_units += GUARD_UNITS * number
        for entity, field, number in file.execute(_SHARED):
            counts.of(entity).kinds[f"whose {field} another has"] += number
        for entity, number, new in file.execute(_ITEMS):
            counts.of(entity).shared += number
            counts.of(entity).missing -= new
        for entity, item, field, owner, shown in file.execute(_EXAMPLES, (EXAMPLES_MAX,)):
            name, other = "/".join((entity, *orjson.loads(item))), " / ".join(orjson.loads(owner))
            yield f"{name}: {entity}.{field} is unique, and {other} has {shown}, too"


def _rows(want: Want) -> Iterable[tuple[object, ...]]:
    guard = want.guard
    value = blake2b("\0".join(identity(guard.key)).encode(), digest_size=DIGEST_BYTES).digest()
    about = (want.is_new, guard.rule.schema.name, guard.rule.field, repr(guard.value))
    yield (value, _text(guard.owner), False, *about)
    if want.owner is not None:
        yield (value, _text(want.owner), True, *about)


def _text(key: Item) -> str:
    return orjson.dumps(identity(key)).decode()


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file, which is there unless this is another machine."""
    try:
        file = sqlite3.connect(f"{path.as_uri()}?mode=rw", timeout=TIMEOUT_S, uri=True)
    except sqlite3.OperationalError as error:
        raise UsageError(
            f"Which items share a unique value is found out in {path.parent}, which is not there "
            "for this worker: survey on one machine"
        ) from error
    with closing(file):
        file.execute("PRAGMA synchronous = OFF")  # it is of no use after a crash
        yield file
