"""The picture in the README is drawn from the example below it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from singletable import cli

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/images/readme.svg"


def test_the_picture_shows_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``REWRITE=1 pytest tests/test_readme.py`` draws it anew."""
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert example is not None
    (tmp_path / "readme_example.py").write_text(example[1], "utf-8")
    monkeypatch.chdir(tmp_path)
    target = "readme_example.py:Campaigns"
    drawn = CliRunner().invoke(cli.app, ["describe", target, "--format", "svg"]).stdout
    if "REWRITE" in os.environ:
        PICTURE.write_text(drawn, "utf-8")
    assert drawn == PICTURE.read_text("utf-8")
