"""``Hardships``: what shall happen to requests, and how often."""

from __future__ import annotations

from dataclasses import dataclass, fields

SHARES = ("throttled", "failing", "conflicting", "unprocessed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardships:
    """Says what DynamoDB may do to a program at any time, and here does so often.

    The same calls, one after the other, meet the same each time; another ``seed`` has others come.
    A share is a part of 1: 0.1 is one request in ten.
    """

    seed: int = 0
    throttled: float = 0.0
    """The share of requests that are refused, as where a table is busy."""
    failing: float = 0.0
    """The share of requests with an ``InternalServerError``: half were carried out nevertheless."""
    conflicting: float = 0.0
    """The share of writes and transactions that meet a transaction on one of their items."""
    unprocessed: float = 0.0
    """The share of the items in a batch that are left for the next request; never all of them."""
    lag: int = 0
    """How many requests ago it may be what a read sees that is eventually consistent."""
    limits: bool = False
    """Whether partitions are held to 3,000 read units and 1,000 write units a second, and tables
    to what is provisioned for them."""

    def __post_init__(self) -> None:
        for name in SHARES:
            if not 0 <= (share := getattr(self, name)) <= 1:
                raise ValueError(f"{name} is {share}: give a share from 0 to 1, as in {name}=0.1")
        if self.lag < 0 or self.lag % 1:
            raise ValueError(f"lag is {self.lag}: give a number of requests, as in lag=5")
        if not any(getattr(self, each.name) for each in fields(self) if each.name != "seed"):
            raise ValueError(
                "these hardships are none: say how often one happens, as in throttled=0.1, "
                "or begin with Hardships.of_all_kinds()"
            )

    @classmethod
    def of_all_kinds(cls, seed: int = 0) -> Hardships:
        """Give hardships of every kind, so frequent that a short test meets them."""
        return cls(
            seed=seed,
            throttled=0.1,
            failing=0.05,
            conflicting=0.1,
            unprocessed=0.3,
            lag=5,
            limits=True,
        )
