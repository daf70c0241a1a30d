"""``singletable serve`` refuses before it makes a file."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from singletable import cli

POLICY = '{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}'
REFUSED = {
    "a public address": (["--host", "192.0.2.1"], "needs access keys"),
    "an unknown address": (["--host", "no-such-host.invalid"], "cannot serve on"),
    "no policy": (["--policy", "none.json"], "the policy none.json cannot be read"),
    "an empty policy": (["--policy", "empty.json"], "needs a Statement"),
    "a variable without a value": (
        ["--policy", "policy.json", "--policy-variable", "sub"],
        "write it as NAME=VALUE",
    ),
    "a hardship without a value": (["--hardship", "lag"], "write it as NAME=VALUE"),
    "an unknown hardship": (["--hardship", "luck=0"], "luck: there are seed, throttled,"),
    "a hardship of no number": (["--hardship", "lag=long"], "--hardship lag=long: "),
    "a hardship out of bounds": (["--hardship", "throttled=10"], "give a share from 0 to 1"),
}


@pytest.mark.parametrize(("options", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_leaves_no_file(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.json").write_text(POLICY)
    Path("empty.json").write_text("{}")
    shown = CliRunner().invoke(cli.app, ["serve", "--port", "0", "--db", "shop.db", *options])
    assert shown.exit_code
    assert said in shown.output
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty.json", "policy.json"]
