"""What becomes of a change that a consumer fails at: tried again, then put aside for a person.

What is nobody's fault, a network that is down or a table that is throttled, is not counted: it goes
up to who delivers, and the delivery waits.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from singletable.errors import SingletableError
from singletable.model.large import Large
from singletable.store.retries import Retries
from singletable.values import Item, dumps, loads

from .bookkeeping import Books, DeadLetter
from .changes import Change
from .consumers import PASSING, DeliveryFailed
from .records import Record

logger = logging.getLogger("singletable.streams")

PLAIN = ("event", "sequence_number", "at", "expired")
IMAGES = ("keys", "old", "new")
"""The parts of a record: those that JSON has a form for, and items."""
ERROR_CHARACTERS_MAX = 2_000


class Interrupted(SingletableError):
    """Somebody stopped the delivery while a change was to be tried again."""


@dataclass(frozen=True, slots=True)
class PutAside:
    """Tries a few times, then keeps the change among the dead letters, and lets others follow."""

    books: Books
    consumer: str
    retries: Retries
    pause: Callable[[float], bool | None] = time.sleep
    """Waits, and tells whether to stop instead of trying again."""

    def attempt(self, work: Callable[[], None], change: Change[Any], label: str) -> None:
        """Do the work, at most as often as the retries allow."""
        attempt = 1
        while True:
            try:
                return work()
            except PASSING:
                raise
            except Exception as error:
                message = "%s failed at %r, attempt %d: %s"
                # Where it failed is told once: it will be the same again.
                told = (label, change, attempt, told_of(error))
                logger.warning(message, *told, exc_info=attempt == 1)
                if attempt >= self.retries.attempts:
                    return self.put_aside(change, label, error, attempts=attempt)
            if self.pause(self.retries.delay(attempt)):
                raise Interrupted(f"{label} was stopped before it could try {change!r} again")
            attempt += 1

    def put_aside(
        self, change: Change[Any], label: str, error: Exception, *, attempts: int = 1
    ) -> None:
        """Keep a change among the dead letters of the consumer."""
        letter = DeadLetter(
            consumer=self.consumer,
            position=change.position,
            label=label,
            error=told_of(error),
            item=repr(change.key),
            record=Large(as_letter(change.record)),
            attempts=attempts,
        )
        self.books.put(letter)
        logger.error(
            "%s gave up on %r, which is among the dead letters now: %s", label, change, letter.error
        )


def told_of(error: Exception) -> str:
    """Say in a text of bounded length what went wrong."""
    return f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS_MAX]


@dataclass(frozen=True, slots=True)
class Report:
    """Tries once, and tells who delivers where to begin again."""

    def attempt(self, work: Callable[[], None], change: Change[Any], label: str) -> None:
        """Do the work once."""
        try:
            work()
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 - a handler may raise anything
            self.put_aside(change, label, error)

    def put_aside(self, change: Change[Any], label: str, error: Exception) -> None:
        """Report the change."""
        logger.error("%s failed at %r", label, change, exc_info=error)
        raise DeliveryFailed(f"{label} failed at {change!r}: {error}", change) from error


@dataclass(frozen=True, slots=True)
class Again:
    """Tries once more what failed, known by its label; what did not fail is left alone."""

    label: str

    def attempt(self, work: Callable[[], None], change: Change[Any], label: str) -> None:
        """Do the work if it is what failed."""
        if label == self.label:
            Report().attempt(work, change, label)

    def put_aside(self, change: Change[Any], label: str, error: Exception) -> None:
        """Report the change."""
        Report().put_aside(change, label, error)


def as_letter(record: Record) -> str:
    """Write a record as a text."""
    images = {name: _written(getattr(record, name)) for name in IMAGES}
    return orjson.dumps({**{name: getattr(record, name) for name in PLAIN}, **images}).decode()


def from_letter(books: Books, letter: DeadLetter) -> Record:
    """Give the record that was kept in a dead letter."""
    told = orjson.loads(books.load(letter.record))
    images = {name: told[name] and loads(told[name].encode()) for name in IMAGES}
    return Record(**{**told, **images, "at": datetime.fromisoformat(told["at"])})


def _written(image: Item | None) -> str | None:
    return None if image is None else dumps(image).decode()
