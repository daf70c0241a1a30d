"""A run from start to report, as short as can be."""

from pathlib import Path

import orjson
import pytest

from bench import run, targets


def test_a_run_reports_every_cell_and_leaves_no_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "BUILD", tmp_path)
    monkeypatch.setattr(targets, "BUILD", tmp_path)
    run.main(run.Pace(1, 0.01), ["engine", "sqlite", "floor"], ["GetItem", "Query"], [1, 2])

    report = orjson.loads((tmp_path / "report.json").read_bytes())
    places = {(row["target"], row["operation"], row["threads"]) for row in report["rows"]}
    assert places == {
        *((name, "GetItem", count) for name in ("engine", "floor") for count in (1, 2)),
        *((name, "Query", count) for name in ("engine", "floor") for count in (1, 2)),
        ("sqlite", "GetItem", 1),
    }
    assert all(row["failure"] is None and row["ops_per_s"] > 0 for row in report["rows"])
    assert "## Query, 2 threads" in capsys.readouterr().out
    assert not list((tmp_path / "data").iterdir())
