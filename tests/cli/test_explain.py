"""``singletable explain`` shows one pattern or all, in every format."""

import json

from typer.testing import CliRunner, Result

from singletable import cli

TARGET = "apps.campaigns.design:Campaigns"


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["explain", *arguments])


def test_one_pattern_is_explained() -> None:
    shown = _run(TARGET, "sessions")
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith("sessions(user_id, campaign_id) → Query[Session]\n")
    assert ":k0 = USER#‹user_id›#CAMPAIGN#‹campaign_id›" in shown.output
    assert "  requests  one for a page of 20 items\n" in shown.output


def test_all_patterns_are_explained() -> None:
    shown = json.loads(_run(TARGET, "--format", "json").output)
    assert [one["name"] for one in shown][:3] == ["profile", "campaigns", "campaign"]
    assert shown[3]["requests"][0]["IndexName"] == "GSI1"


def test_markdown_is_a_page() -> None:
    assert _run(TARGET, "session", "--format", "markdown").output.startswith("## session\n")


def test_sizes_and_counts_can_be_stated() -> None:
    shown = _run(TARGET, "recently_done", "--items", "100", "--text-bytes", "10").output
    assert " for 100 Session of " in shown


def test_an_unknown_pattern_is_said_plainly() -> None:
    shown = _run(TARGET, "sesions")
    assert shown.exit_code == 2
    assert "Campaigns has no access pattern 'sesions'; it has profile, " in shown.output
