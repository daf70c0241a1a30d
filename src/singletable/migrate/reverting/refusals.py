"""What the old side refuses on the way back: named in a file and in the log, until it is taken."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from singletable.migrate.running import Job
from singletable.migrate.sources.errors import SourceRefused

from .roots import Name, Root

logger = logging.getLogger("singletable.migrate")


class NotWritable(SourceRefused):
    """The old side refuses rows for good, so that it cannot have all that was written."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An entity whose rows the old side does not take."""

    root: Root
    reason: str

    def line(self) -> bytes:
        """Give it as a line of JSON."""
        key = {name: str(value) for name, value in self.root.key.fields.items()}
        named = {"entity": self.root.rule.entity.__name__, "key": key}
        return orjson.dumps({**named, "reason": self.reason}) + b"\n"


@dataclass(slots=True)
class Refusals:
    """What waits until the old side takes it."""

    path: Path
    waiting: Mapping[Name, Refused] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job) -> Refusals:
        """Give those of a migration, none as yet."""
        return cls(job.folder / f"{job.name}.refused.jsonl")

    def tell(self, waiting: Mapping[Name, Refused]) -> None:
        """Write what waits now in place of the file; warn, if some is new."""
        before, self.waiting = self.waiting, dict(waiting)
        if not waiting:
            self.path.unlink(missing_ok=True)
            return
        if waiting.keys() == before.keys():
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"".join(one.line() for one in waiting.values()))
        if waiting.keys() - before.keys():
            logger.warning("%s; it is tried again when more has come", self)

    def refuse(self) -> None:
        """Raise what the old side refuses, if it does."""
        if self.waiting:
            raise NotWritable(str(self))

    def __str__(self) -> str:
        some = list(self.waiting.values())
        reasons = "; ".join(sorted({one.reason for one in some})[:3])
        return (
            f"The old side refuses the rows of {len(some)} entities, such as {some[0].root.key!r}: "
            f"{reasons}. All of them are in {self.path}. Until they are taken, the way back stays "
            "open from before them, which is for 24 hours"
        )
