"""The configuration of a service, by environment variables.

| variable | meaning |
|---|---|
| `SERVICE_ADDRESS` | where the table is: `aws:eu-west-1`, a file, the URL of an endpoint |
| `SERVICE_TABLE` | the table's name, if it is not the design's |
| `SERVICE_OBJECTS` | where files and large content go: `s3://bucket/prefix`, a folder |
| `SERVICE_TRANSCRIBER` | campaigns: the URL that is told of recordings to transcribe |
| `SERVICE_SECRET` | signs cursors and links: 32 characters or more |
| `SERVICE_SEARCH` | where words are indexed: a file, or the URL of OpenSearch |
| `SERVICE_FOLLOW` | `1` to follow the table's stream here, where no Lambda function does |
| `SERVICE_WEBHOOK_SECRET` | signs what other services tell this one: `whsec_…` |
| `COGNITO_POOL`, `COGNITO_CLIENTS` | whose tokens count: `eu-west-1_Ab12`, ids parted by commas |
| `SERVICE_RATE_PER_S` | requests a second of each caller; 20 without |
| `SERVICE_LAUNCH` | stories: the day before which none was published; `2026-01-01` without |
| `SERVICE_ENVIRONMENT` | `production`, or `development` for the local issuer of tokens |

One that is empty is not set. Development makes a secret of its own, always follows the stream, and
counts nobody's requests.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from .tokens import LocalIssuer, Tokens, Use

RATE_PER_S = 20.0
BODY_MAX = 1_000_000
SECRET_MIN = 32
LAUNCH = date(2026, 1, 1)
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
SIGNS_OF_PRODUCTION = ("AWS_LAMBDA_FUNCTION_NAME", "AWS_EXECUTION_ENV", "COGNITO_POOL")


class BadSettings(Exception):
    """Says what is wrong with the environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Says where a service keeps its data, and whom it trusts."""

    address: str
    tokens: Tokens
    secret: str
    table_name: str | None = None
    objects: str | None = None
    rate_per_s: float | None = RATE_PER_S
    body_max: int = BODY_MAX
    search: str | None = None
    """Where words are indexed."""
    transcriber: str | None = None
    """Who is told of recordings to transcribe."""
    follows: bool = True
    """Whether the service follows the table's stream itself."""
    webhook_secret: str | None = None
    """Signs what other services tell this one."""
    launch: date = LAUNCH
    """The day before which no story was published, so that no list looks further back."""
    issuer: LocalIssuer | None = None
    """Makes tokens for anybody; only in development."""

    def needs(self, *names: str) -> None:
        """Refuse to run in production without settings that would be lost with the process."""
        missing = [f"SERVICE_{name.upper()}" for name in names if getattr(self, name) is None]
        if missing and not self.is_development:
            raise BadSettings(f"Not set, and this service needs it: {', '.join(missing)}")

    @property
    def is_development(self) -> bool:
        """Tell whether this is a developer's machine, where tables are made as they are needed."""
        return self.issuer is not None

    @classmethod
    def from_environment(
        cls, use: Use = "access", environ: Mapping[str, str] = os.environ
    ) -> Settings:
        """Read the environment; it is one of production unless it says something else."""
        kind = environ.get("SERVICE_ENVIRONMENT") or "production"
        if kind == "development":
            return cls._of_development(use, environ)
        if kind != "production":
            raise BadSettings(f"SERVICE_ENVIRONMENT is {kind!r}: it is production, or development")
        return cls._of_production(use, environ)

    @classmethod
    def of_development(
        cls, address: str = ":memory:", *, use: Use = "access", objects: str | None = None
    ) -> Settings:
        """Configure a service on this machine, with an issuer of tokens of its own."""
        issuer = LocalIssuer(use)
        return cls(
            address=address,
            tokens=issuer.tokens,
            secret=secrets.token_hex(SECRET_MIN),
            objects=objects,
            rate_per_s=None,
            issuer=issuer,
        )

    @classmethod
    def _of_development(cls, use: Use, environ: Mapping[str, str]) -> Settings:
        """Refuse what looks like production: there, anybody could be anybody."""
        address = environ.get("SERVICE_ADDRESS") or ":memory:"
        signs = [name for name in SIGNS_OF_PRODUCTION if name in environ]
        if not _is_here(address):
            signs.append(f"SERVICE_ADDRESS={address}")
        if signs:
            raise BadSettings(
                f"SERVICE_ENVIRONMENT is development, where anybody gets a token, and {signs[0]} "
                "is set, which is of production: take one of them back"
            )
        return replace(cls.of_development(address, use=use), **_optional(environ))

    @classmethod
    def _of_production(cls, use: Use, environ: Mapping[str, str]) -> Settings:
        needed = ("SERVICE_ADDRESS", "SERVICE_SECRET", "COGNITO_POOL", "COGNITO_CLIENTS")
        missing = [name for name in needed if not environ.get(name)]
        if missing:
            raise BadSettings(
                f"Not set: {', '.join(missing)} (or SERVICE_ENVIRONMENT=development, on your "
                "machine)"
            )
        if len(environ["SERVICE_SECRET"]) < SECRET_MIN:
            raise BadSettings(f"SERVICE_SECRET has fewer than {SECRET_MIN} characters")
        clients = frozenset(one.strip() for one in environ["COGNITO_CLIENTS"].split(","))
        return cls(
            address=environ["SERVICE_ADDRESS"],
            tokens=Tokens.of_pool(environ["COGNITO_POOL"], clients, use),
            secret=environ["SERVICE_SECRET"],
            follows=_follows(environ.get("SERVICE_FOLLOW", "")),
            rate_per_s=_rate(environ.get("SERVICE_RATE_PER_S", "")),
            **_optional(environ),
        )


def _optional(environ: Mapping[str, str]) -> dict[str, Any]:
    """Read what may be set in production and in development."""
    return {
        "table_name": environ.get("SERVICE_TABLE") or None,
        "objects": environ.get("SERVICE_OBJECTS") or None,
        "search": environ.get("SERVICE_SEARCH") or None,
        "transcriber": environ.get("SERVICE_TRANSCRIBER") or None,
        "webhook_secret": environ.get("SERVICE_WEBHOOK_SECRET") or None,
        "launch": _launch(environ.get("SERVICE_LAUNCH", "")),
    }


def _launch(text: str) -> date:
    try:
        return date.fromisoformat(text) if text else LAUNCH
    except ValueError:
        raise BadSettings(f"SERVICE_LAUNCH is {text!r}: it is a day, as in 2026-01-01") from None


def _follows(text: str) -> bool:
    if text not in {"", "0", "1"}:
        raise BadSettings(f"SERVICE_FOLLOW is {text!r}: it is 1, or 0")
    return text == "1"


def _is_here(address: str) -> bool:
    """Tell whether an address is of this machine: memory, a file, an endpoint on loopback."""
    if address.startswith("aws:"):
        return False
    return "://" not in address or urlsplit(address).hostname in LOOPBACK


def _rate(text: str) -> float:
    if not text:
        return RATE_PER_S
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not rate > 0:
        raise BadSettings(f"SERVICE_RATE_PER_S is {text!r}: it is a number above 0")
    return rate
