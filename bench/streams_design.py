"""What the benchmark of streams writes, and what is made of it: things on shelves."""

from random import Random
from typing import Self

from singletable import Entity, Store, Table, Transaction, add
from singletable.model.fields import count_of, sum_of
from singletable.streams import Change, Created, Handlers, handler
from singletable.streams.search import Document

SHELVES = 20
_WORDS = [a + b for a in ("ba", "do", "ki", "lu", "me", "no") for b in ("ran", "ster", "tol", "vi")]
_random = Random(1)  # noqa: S311 - nothing here is a secret

things = Table("bench-streams", stream="NEW_AND_OLD_IMAGES")


class Thing(Entity, table=things, pk="SHELF#{shelf}", sk="THING#{number:08d}"):
    """What is written."""

    shelf: int
    number: int
    grams: int
    text: str
    sent_ns: int = 0
    """When it was sent, for who wants to know when it arrives."""

    @classmethod
    def drawn(cls, number: int, sent_ns: int = 0) -> Self:
        """Make one of about 300 bytes."""
        text = " ".join(_random.choices(_WORDS, k=30))
        return cls(shelf=number % SHELVES, number=number, grams=number, text=text, sent_ns=sent_ns)


class Total(Entity, table=things, pk="TOTAL#{shelf}", sk="TOTAL"):
    """What a handler adds up."""

    shelf: int
    grams: int = 0


class Load(Entity, table=things, pk="LOAD#{shelf}", sk="LOAD"):
    """What aggregates add up."""

    shelf: int
    things: int = count_of("Thing", kept_by="stream")
    grams: int = sum_of("Thing", "grams", kept_by="stream")


class Shelf(Store, table=things):
    """Has no patterns: it is written to, and its stream is read."""


class Counting(Handlers[Shelf], name="counting-handler"):
    """Counts changes, which is the least that a handler can do."""

    count = 0

    @handler
    def count_it(self, change: Change[Thing]) -> None:
        """Count a change."""
        self.count += 1


class Adding(Handlers[Shelf], name="once-handler"):
    """Adds up, once for each change: a transaction for each."""

    @handler
    def add_up(self, change: Created[Thing], once: Transaction) -> None:
        """Add a thing to the total of its shelf."""
        once.upsert(Total.key(shelf=change.new.shelf), grams=add(change.new.grams))


DOCUMENT = Document(Thing, text=["text"], filters=["grams"], scope="shelf")
