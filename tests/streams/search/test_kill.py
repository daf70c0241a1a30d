"""Kill -9: a process that delivers, or rebuilds, is stopped at any moment; the next one goes on."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from singletable.streams.search import SearchIndex, Tantivy
from tests.streams.search.library import BOOKS, NOTES, Kept, Library, Note, batch_of, records_of

KILLS = 4
WORK = """
import sys
from tests.streams.search.library import *
from singletable.streams.search import Tantivy

kind, where, database, work = sys.argv[1:]
index = SearchIndex(Tantivy(where) if kind == "tantivy" else where, NOTES, BOOKS)
with Library.connect(database) as store:
    print("ready", flush=True)
    if work == "rebuild":
        index.rebuild(store, segments=40)
    else:
        records = records_of(store)
        for start in range(0, len(records), 5):  # as a worker whose checkpoint was lost
            index.deliver(batch_of(records[start : start + 5], "2026/shard"), Kept())
print("done", flush=True)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A file with a table of some notes that were written, changed and deleted."""
    path = tmp_path / "library.db"
    chance = random.Random(3)  # noqa: S311 - no secret
    with Library.connect(path) as store:
        for turn in range(400):
            number = str(chance.randrange(60))
            if turn % 7 == 6:
                store.delete(Note.key(user_id="ann", note_id=number))
            else:
                store.put(Note(user_id="ann", note_id=number, name=f"dragon {turn}"))
    return path


def _start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WORK, *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": "."}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("kind", ["fts5", pytest.param("tantivy", marks=pytest.mark.slow)])
@pytest.mark.parametrize("work", ["deliver", "rebuild"])
def test_killed_at_any_moment_it_ends_where_the_table_is(
    kind: str, work: str, database: Path, tmp_path: Path
) -> None:
    where = tmp_path / "index"
    chance = random.Random(kind + work)  # noqa: S311 - no secret
    for _ in range(KILLS):
        process = _start(kind, where, database, work)
        time.sleep(chance.random() * 0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    keeper = Tantivy(where) if kind == "tantivy" else str(where)
    with SearchIndex(keeper, NOTES, BOOKS) as index, Library.connect(database) as store:
        index.search("dragon", scope={"user_id": "ann"})
        if work == "rebuild":
            index.rebuild(store)
        else:
            index.deliver(batch_of(records_of(store), "2026/shard"), Kept())
        report = index.verify(store, settle_s=0)
        assert report.is_right
        assert report.documents > 30
        assert len(index.search("dragon", scope={"user_id": "ann"}, limit=100)) == report.documents
