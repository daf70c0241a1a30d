"""Which row makes which item, known where changes are followed: also where nothing was copied.

The file that tells it is scratch of one machine. Which one knows of all rows is noted with the run;
where another is at hand, all rows are read and transformed once more, and nothing is written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from .bookkeeping import Run
from .copying import keys_of
from .items import fixed
from .migration import Rule
from .owners import Claim, Owners, written
from .running import Sides
from .sources.source import Span
from .transforming import Made, Transformer

ROWS = 500
NO_FILE = "none"
"""In place of a file's name: there are rows now that none knows of."""

logger = logging.getLogger("singletable.migrate")


def known_by(owners: Owners, sides: Sides, begun: Run) -> Run:
    """Have a file know which row makes which item; note that it does."""
    if begun.owners == owners.name:
        return begun
    if begun.owners is not None or not _copied_all(owners, sides, begun):
        logger.warning(
            "All rows of %s are read once more: what is known of who makes which item is not in "
            "this folder, as another was given before",
            begun.name,
        )
        for rule in sides.migration.rules.values():
            for claims in _claims(sides, begun, rule):
                owners.claim(claims)
    return sides.books.update(begun, owners=owners.name)


def _copied_all(owners: Owners, sides: Sides, begun: Run) -> bool:
    parts = (part for part in sides.books.parts(begun.name) if part.rows)
    return all(part.owners == owners.name for part in parts)


def _claims(sides: Sides, begun: Run, rule: Rule) -> Iterator[list[Claim]]:
    context = fixed(sides.store.context, begun.began_at)
    transformer = Transformer(sides.migration, context, begun.began_at)
    for span in sides.source.split(rule.kind, 1):
        rest: Span | None = span
        while rest is not None:
            rows, rest = sides.source.read(rule.kind, rest, ROWS, rule.related)
            judged = (transformer.transform(rule, row) for row in rows)
            made = (one for one in judged if isinstance(one, Made))
            yield [(key, written(one.row)) for one in made for key in keys_of(one)]
