"""``singletable demo`` shows a whole session and leaves nothing behind."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from singletable import cli


def test_demo_prints_every_step_and_exits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shown = CliRunner().invoke(cli.app, ["demo", "--once"], env={"COLUMNS": "400"})
    assert shown.exit_code == 0, shown.output
    for part in (
        "KeyConditionExpression  PK = :pk AND begins_with(SK, :sk)",
        "SK=SESSION#c1#s1#TRANSCRIPT  bytes=48213",
        "CapacityUnits=0.5",
        "title=Into the deep cave  version=2",
        "→ ConditionalCheckFailedException\n    The conditional request failed",
        "[None, ConditionalCheckFailed]",
        "MODIFY  PK=USER#u1  SK=SESSION#c1#s1",
    ):
        assert part in shown.output
    assert list(tmp_path.iterdir()) == []
