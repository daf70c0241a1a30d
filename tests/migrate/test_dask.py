"""Parts are copied by the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from singletable import UsageError, cli
from singletable.migrate import Job, run_migration, verify
from singletable.migrate.clusters import dask_cluster
from tests import components

from .conftest import Old
from .test_running import INLINE, contents

# Dask warns of a disk that takes a second, as it may.
pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories")

MISSING = "tcp://127.0.0.1:1"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster of two processes."""
    try:
        import distributed
    except ModuleNotFoundError:
        components.missing("Dask", "pip install 'dask[distributed]'")
    make: Any = distributed.LocalCluster  # which has no types
    with make(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_copies_what_processes_here_would_copy(
    scheduler: str, old: Old, job: Job, tmp_path: Path
) -> None:
    old.fill(users=20, sessions=300)
    with dask_cluster(scheduler) as (executor, workers):
        assert workers == 2
        done = run_migration(job, workers=workers, executor=executor)
    assert (done.state, done.rows, done.rejected) == ("copied", 340, 0)
    here = replace(job, destination=str(tmp_path / "here.db"), folder=tmp_path / "here")
    run_migration(here, executor=INLINE)
    assert len(contents(job.destination)) == len(contents(here.destination))
    assert verify(job, settle_s=0).agrees


def test_the_command_takes_the_address_of_a_scheduler(scheduler: str, old: Old, job: Job) -> None:
    old.fill(users=2, sessions=5)
    sides = ["--from", job.source, "--to", job.destination, "--folder", str(job.folder)]
    target = "tests.migrate.campaigns:ToOneTable"
    shown = CliRunner().invoke(cli.app, ["migrate", "run", target, *sides, "--dask", scheduler])
    assert shown.exit_code == 0, shown.output
    assert "Copied 9/9 100.0%" in shown.output


def test_an_address_where_no_scheduler_is_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("singletable.migrate.clusters.CONNECT_S", 0.2)
    with (
        pytest.raises(UsageError, match=f"There is no Dask scheduler at '{MISSING}'"),
        dask_cluster(MISSING),
    ):
        pass
