"""A program that writes parcels, among others that do the same.

    python -m tests.streams.proof.writer FILE NAME

Each line of its input is a number of writes to make. At the end of its input it says how many
changes it has made to each parcel, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter

from singletable import add

from .design import DEPOTS, Parcel, Parcels
from .support import connect, seeded

ITEMS = 60
SHARED = 12
"""So many parcels are changed by all writers alike; the others, by their own alone."""
TOGETHER_MAX = 8


class Writer:
    """Makes changes that are drawn from a seed, and knows how many it has made of each parcel."""

    def __init__(self, store: Parcels, name: str) -> None:
        self._store = store
        self._name = name
        self._random = seeded(name)
        self.steps: Counter[str] = Counter()
        self._own: dict[str, Parcel | None] = {f"{name}-{item}": None for item in range(ITEMS)}

    def write(self, share: int) -> None:
        """Make so many changes."""
        while share > 0:
            share -= self._random.choices(
                [self._one, self._shared, self._transaction, self._batch], [6, 2, 1, 1]
            )[0](share)

    def _one(self, _share: int) -> int:
        """Create a parcel that is not there; change or delete one that is."""
        name = self._random.choice(list(self._own))
        parcel = self._own[name]
        if parcel is None:
            self._own[name] = self._store.create(self._next(name))
        elif self._random.random() < 0.3:
            self._next(name)
            self._store.delete(parcel)
            self._own[name] = None
        else:
            changed = self._next(name)
            key = Parcel.key(depot=parcel.depot, name=name)
            self._own[name] = self._store.update(
                key, step=changed.step, grams=changed.grams, text=changed.text
            )
        return 1

    def _shared(self, _share: int) -> int:
        """Count up what others count up as well."""
        name = f"shared-{self._random.randrange(SHARED)}"
        drawn = self._next(name)
        key = Parcel.key(depot=drawn.depot, name=name)
        self._store.upsert(key, step=add(1), grams=drawn.grams, text=drawn.text)
        return 1

    def _transaction(self, share: int) -> int:
        names = self._some(share)
        with self._store.transaction() as together:
            for name in names:
                self._own[name] = changed = self._next(name)
                together.put(changed)
        return len(names)

    def _batch(self, share: int) -> int:
        names = self._some(share)
        changed = {name: self._next(name) for name in names}
        self._store.put_many(changed.values())
        self._own.update(changed)
        return len(names)

    def _some(self, share: int) -> list[str]:
        count = self._random.randint(1, min(share, TOGETHER_MAX))
        return self._random.sample(list(self._own), count)

    def _next(self, name: str) -> Parcel:
        """Give a parcel as it is to become, by a change that is counted."""
        self.steps[name] += 1
        return Parcel(
            depot=DEPOTS[sum(name.encode()) % len(DEPOTS)],
            name=name,
            step=self.steps[name],
            grams=self._random.randrange(1000),
            text=" ".join(self._random.choices(WORDS, k=6)),
        )


WORDS = [a + b for a in ("ba", "do", "ki", "lu", "me") for b in ("ran", "ster", "tol", "vik", "x")]


def main(path: str, name: str) -> None:
    """Write what the input asks for."""
    writer = Writer(connect(path), name)
    for line in sys.stdin:
        writer.write(int(line))
    json.dump(writer.steps, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
