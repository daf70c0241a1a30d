"""Which files hold access keys, and what is said of those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.server import CredentialsUnusable, read_keys

GOOD = """
[default]
aws_access_key_id = AKIDFIRST
aws_secret_access_key = a%b=c/+

[second]
aws_access_key_id=AKIDSECOND
aws_secret_access_key=other
"""


def test_every_profile_gives_a_key(tmp_path: Path) -> None:
    file = tmp_path / "credentials"
    file.write_text(GOOD)
    assert read_keys(file) == {"AKIDFIRST": "a%b=c/+", "AKIDSECOND": "other"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AKIDFIRST:secret-part",
        "[default]",
        "[default]\naws_access_key_id = AKIDFIRST",
        "[default]\naws_secret_access_key = secret-part",
        "[default]\naws_access_key_id =\naws_secret_access_key = secret-part",
        "[default]\naws_access_key_id = AKIDFIRST\naws_secret_access_key =",
        "[default]\nsecret-part\n",
    ],
)
def test_a_file_without_keys_is_refused_without_repeating_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "credentials"
    file.write_text(text)
    with pytest.raises(CredentialsUnusable, match="aws_access_key_id") as caught:
        read_keys(file)
    assert "secret-part" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CredentialsUnusable, match=r"nowhere: No such file"):
        read_keys(tmp_path / "nowhere")
