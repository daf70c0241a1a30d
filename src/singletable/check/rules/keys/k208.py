"""K208: copies of a hot item share a key, or a partition."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import KeyAttribute, slots_of
from singletable.model.schema import COPY


class K208(Rule):
    """An entity has copies, and its partition key does not tell them apart.

    `copies=` keeps an item several times, so that its reads are spread over partitions. What tells
    the copies apart is `{copy}` in the key. Without it they all have one key, which is one item:
    its partition takes all reads and throttles, as if nothing had been said. With it in the sort
    key alone they share a partition: nothing is spread, and every write is paid for many times.

    Put `{copy}` into the partition key: `pk="CONFIG#{name}#{copy}"`.
    """

    name = "copies-in-one-place"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find entities with copies whose partition key has no number of the copy."""
        for schema in design.schemas:
            keys = schema.keys
            if not schema.copies or _is_in(keys.pk):
                continue
            where = "are in one partition" if _is_in(keys.sk) else "have one key, and are one item"
            yield self.finding(
                f"the {schema.copies} copies of a {schema.name} {where}: a single partition takes "
                "all its reads, and throttles as if there were no copies",
                f"put {{{COPY}}} into the partition key",
                schema=schema,
                keys=keys,
                template=next(iter(keys.templates), None),
            )


def _is_in(parts: tuple[KeyAttribute, ...]) -> bool:
    return any(slot.field == COPY for slot in slots_of(parts))
