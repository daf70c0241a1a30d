"""What a design leaves open about its table: billing, recovery, keys, alarms, tags, roles.

The defaults are the safe ones: on-demand, recovery and deletion protection on, kept when its stack
goes. A TOML file says what should be otherwise; what it misspells is refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from singletable.errors import UsageError

_STRICT = ConfigDict(extra="forbid")

Units = Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True, config=_STRICT)
class Range:
    """How many capacity units a second there are: moved by auto scaling from min to max.

    Auto scaling aims to have ``target`` percent of them used. Where min is max, they are fixed.
    """

    min: Units = 1
    max: Units = 10
    target: Annotated[int, Field(ge=20, le=90)] = 70

    def __post_init__(self) -> None:
        if self.min > self.max:
            raise ValueError(f"min = {self.min} is above max = {self.max}")


@dataclass(frozen=True, slots=True, config=_STRICT)
class Capacity:
    """The capacity of an index, where it is not as the table's."""

    read: Range | None = None
    write: Range | None = None


@dataclass(frozen=True, slots=True, config=_STRICT)
class Provisioned:
    """The capacity of a table and of its global indexes, each of which has as much as it."""

    read: Range = Range()
    write: Range = Range()
    indexes: Mapping[str, Capacity] = field(default_factory=dict)

    def of(self, index: str | None) -> tuple[Range, Range]:
        """Give the read and write capacity of the table, or of an index."""
        own = self.indexes.get(index or "", Capacity())
        return own.read or self.read, own.write or self.write


@dataclass(frozen=True, slots=True, config=_STRICT)
class Alarms:
    """Says when somebody should be told, and whom: the ARN of an SNS topic."""

    notify: str | None = None
    latency_ms: Annotated[int, Field(ge=1)] = 100
    """What the slowest hundredth of requests may take."""
    used_percent: Annotated[int, Field(ge=1, le=100)] = 90
    """How much of the provisioned capacity may be used."""
    minutes: Annotated[int, Field(ge=1, le=60)] = 5
    """How long latency or use must be too high."""


@dataclass(frozen=True, slots=True, config=_STRICT)
class Role:
    """Says what a role may do: which patterns, and which entities it writes; all by default.

    ``scope`` confines it to the items whose partition key holds a value that IAM knows:
    ``{"user_id": "${cognito-identity.amazonaws.com:sub}"}``. With ``stream`` it also reads the
    table's stream, as a worker or a Lambda function does, and learns of every write.
    """

    scope: Mapping[str, str] = field(default_factory=dict)
    patterns: tuple[str, ...] | None = None
    writes: tuple[str, ...] | None = None
    stream: bool = False


def _checked_key(text: str) -> str:
    if text not in {"aws-owned", "aws-managed"} and not text.startswith("arn:"):
        raise ValueError('it is "aws-owned", "aws-managed" or the ARN of a key')
    return text


@dataclass(frozen=True, slots=True, config=_STRICT)
class Deployment:
    """How the table of a design is to run; ``capacity`` is for provisioned billing."""

    table_name: str | None = None
    billing: Literal["on-demand", "provisioned"] = "on-demand"
    capacity: Provisioned = Provisioned()
    point_in_time_recovery: bool = True
    recovery_days: Annotated[int, Field(ge=1, le=35)] = 35
    encryption: Annotated[str, AfterValidator(_checked_key)] = "aws-owned"
    """``aws-owned``, ``aws-managed``, or the ARN of a key of one's own."""
    deletion_protection: bool = True
    removal: Literal["retain", "delete"] = "retain"
    """What becomes of the table when its stack goes."""
    table_class: Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"] = "STANDARD"
    contributor_insights: bool = False
    alarms: Alarms | Literal[False] = Alarms()
    tags: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    region: str = "REGION"
    """Where a policy's ARNs point, outside of a stack that knows it itself."""
    account: str = "ACCOUNT"

    @property
    def is_provisioned(self) -> bool:
        """Tell whether there is capacity to provide."""
        return self.billing == "provisioned"

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file; raise ``UsageError`` for what cannot be meant."""
        try:
            return TypeAdapter(cls).validate_python(tomllib.loads(path.read_text("utf-8")))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is no TOML: {error}") from None
        except ValidationError as error:
            faults = "; ".join(_told(**each) for each in error.errors())
            raise UsageError(f"{path}: {faults}") from None


def _told(loc: tuple[int | str, ...], msg: str, **_: object) -> str:
    place = ".".join(str(part) for part in loc if part != "Alarms")
    return f"{place}: {msg[:1].lower()}{msg[1:]}"
