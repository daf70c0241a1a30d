"""The command: what it prints, writes and refuses."""

from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from singletable import cli
from singletable.cli.describe import Form
from singletable.describe import FORMATS as WRITTEN
from singletable.describe import describe
from tests.describe.golden import APPS, path

TARGET = "apps.stories.design:Stories"


def _run(*arguments: str) -> tuple[int, str]:
    ran = CliRunner().invoke(cli.app, ["describe", *arguments])
    return ran.exit_code, ran.output


def test_it_prints_markdown_unless_told_otherwise() -> None:
    assert _run(TARGET) == (0, describe(APPS["stories"], "markdown"))


@pytest.mark.parametrize("form", WRITTEN)
def test_it_writes_every_format_to_a_file(form: str, tmp_path: Path) -> None:
    out = tmp_path / "described"
    assert _run(TARGET, "--format", form, "--out", str(out)) == (0, "")
    assert out.read_text("utf-8") == describe(APPS["stories"], form)


def test_the_formats_that_the_help_names_are_those_there_are() -> None:
    assert (*WRITTEN, "python") == get_args(Form)


@pytest.mark.parametrize("more", [(), ("--format", "python")])
def test_a_model_is_written_as_a_design_that_can_be_described(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "imported_design.py"
    assert _run(str(path("stories", "workbench")), *more, "--out", str(out)) == (0, "")
    code, text = _run(str(out))
    assert (code, text.splitlines()[0]) == (0, "# Stories")
    assert "GSI1: STORIES#{published_at:%Y-%m}#{story_id:shard 4}" in text


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ((TARGET, "--format", "pdf"), "Invalid value for '--format': "),
        ((TARGET, "--format", "python"), "is Python already"),
        (("missing.json",), "missing.json: No such file or directory"),
        (("model.json", "--format", "html"), "model.json is a model: write it as Python"),
        ((TARGET, "--out", "missing/folder/x"), "missing/folder/x: No such file or directory"),
        (("apps.stories.design:Nothing",), "has no 'Nothing'"),
    ],
)
def test_what_cannot_be_done_is_said_plainly(arguments: tuple[str, ...], fault: str) -> None:
    code, text = _run(*arguments)
    assert code == 2
    assert f"singletable describe: {fault}" in text or fault in text
    assert "Traceback" not in text
