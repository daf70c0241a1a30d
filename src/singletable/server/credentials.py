"""The access keys that may call, from a file in the format that AWS's own tools read.

A file, since a command line is seen by every user of the machine, and an environment by every
child. Clients can be pointed at the same file with AWS_SHARED_CREDENTIALS_FILE.
"""

from __future__ import annotations

from configparser import ConfigParser, Error
from pathlib import Path

from singletable.errors import SingletableError


class CredentialsUnusable(SingletableError):
    """A credentials file gives no access keys."""


def read_keys(path: Path) -> dict[str, str]:
    """Read access key id → secret from every profile in the file."""
    parser = ConfigParser(interpolation=None)  # a secret may contain a percent sign
    try:
        parser.read_string(path.read_text())
        profiles = [parser[name] for name in parser.sections()]
        keys = {p["aws_access_key_id"]: p["aws_secret_access_key"] for p in profiles}
    except OSError as error:
        raise CredentialsUnusable(f"cannot read {path}: {error.strerror}") from error
    except (Error, KeyError, UnicodeDecodeError):
        # The cause is not shown: it quotes the line, and the line may hold a secret.
        raise CredentialsUnusable(_expected(path)) from None
    if not all(keys) or not all(keys.values()) or not keys:
        raise CredentialsUnusable(_expected(path))
    return keys


def _expected(path: Path) -> str:
    return (
        f"{path} should hold profiles, each a [name] line followed by "
        "aws_access_key_id = … and aws_secret_access_key = …"
    )
