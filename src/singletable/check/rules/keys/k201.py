"""K201: two entities can get one key."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from singletable.check.design import Design, own_ids, written
from singletable.check.finding import Finding
from singletable.check.reach import meet, whole
from singletable.check.rule import Rule


class K201(Rule):
    """Items of two entities can have the same primary key.

    DynamoDB keeps one item for a key. Whoever is written last replaces the other without a word: a
    setting overwrites a profile, and a reader of the one finds the other.

    Begin the sort keys of the entities with different words, and end what can be of any length at
    a delimiter.
    """

    name = "shared-key"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find pairs of entities whose templates have a key in common."""
        for one, other in combinations(design.schemas, 2):
            # An id that the library made is in one item's key, whatever else the templates allow.
            if own_ids(one) & one.key_names and own_ids(other) & other.key_names:
                continue
            key = meet(whole(one.keys), whole(other.keys))
            if key is not None:
                yield self.finding(
                    f"{one.name} and {other.name} can both have the key {key!r}: the one that is "
                    "written last replaces the other",
                    f"begin the sort key of {other.name} with a word of its own",
                    schema=one,
                    keys=one.keys,
                    template=written(one.keys),
                )
