"""The deployment block: its defaults, and what it refuses."""

import re
from pathlib import Path

import pytest

from apps.campaigns.design import Campaigns
from singletable.deploy.deployment import Alarms, Deployment, Range, Role
from singletable.deploy.plan import Plan
from singletable.errors import UsageError

FULL = """
billing = "provisioned"
encryption = "aws-managed"

[capacity]
read = {min = 5, max = 50}

[capacity.indexes.GSI1]
write = {min = 2, max = 2, target = 50}

[alarms]
notify = "arn:aws:sns:eu-west-1:123456789012:operators"

[tags]
team = "games"

[roles.player]
scope = {user_id = "${aws:PrincipalTag/user}"}
writes = ["Session"]
"""


def _load(tmp_path: Path, text: str) -> Deployment:
    path = tmp_path / "deploy.toml"
    path.write_text(text, "utf-8")
    return Deployment.load(path)


def test_a_file_says_what_should_be_otherwise(tmp_path: Path) -> None:
    made = _load(tmp_path, FULL)
    assert made.is_provisioned
    assert made.capacity.of(None) == (Range(5, 50), Range(1, 10))
    assert made.capacity.of("GSI1") == (Range(5, 50), Range(2, 2, 50))
    assert made.alarms == Alarms(notify="arn:aws:sns:eu-west-1:123456789012:operators")
    scope = {"user_id": "${aws:PrincipalTag/user}"}
    assert made.roles == {"player": Role(scope=scope, writes=("Session",))}
    assert (made.point_in_time_recovery, made.deletion_protection, made.removal) == (
        True,
        True,
        "retain",
    )


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert _load(tmp_path, "") == Deployment()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("biling = 'on-demand'", r"deploy\.toml: biling: "),
        ("billing = 'cheap'", "billing: input should be 'on-demand' or 'provisioned'"),
        ("[capacity.read]\nmin = 0", "capacity.read.min: input should be greater than"),
        ("[capacity.read]\nmin = 9\nmax = 3", "min = 9 is above max = 3"),
        ("[capacity.read]\ntarget = 99", "capacity.read.target: input should be less"),
        ("encryption = 'mine'", 'it is "aws-owned", "aws-managed" or the ARN of a key'),
        ("[alarms]\nlatency = 3", r"alarms\.latency: unexpected keyword"),
        ("[roles.a]\nscop = {}", r"roles\.a\.scop: "),
        ("billing = ", "is no TOML"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        _load(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: No such file"):
        Deployment.load(tmp_path / "none.toml")


def test_the_documented_block_is_one(tmp_path: Path) -> None:
    """Its comments say which lines are defaults."""
    page = (Path(__file__).parents[2] / "docs/deploy.md").read_text("utf-8")
    [block] = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    made = _load(tmp_path, block)
    assert made.is_provisioned
    named = re.findall(r"^(\w+) = .*# the default", block, re.MULTILINE)
    assert len(named) > 5
    assert all(getattr(made, name) == getattr(Deployment(), name) for name in named)
    Plan.of(Campaigns, made)


def test_an_index_that_is_not_there_is_refused(tmp_path: Path) -> None:
    deployment = _load(tmp_path, "[capacity.indexes.GSI9]\nread = {min = 1, max = 2}")
    with pytest.raises(UsageError, match="GSI9: the table has no such global index; it has GSI1, "):
        Plan.of(Campaigns, deployment)
