"""T302: nobody refreshes a copied value."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.fields import Copied
from singletable.model.schema import Schema

NEW_IMAGES = {"NEW_IMAGE", "NEW_AND_OLD_IMAGES"}


class T302(Rule):
    """A value is copied from another entity, and nothing can refresh the copies.

    The author's name stands in every story, so that a list needs one request. When the author
    changes it, the copies stay as they are: somebody has to learn of the change, from the table's
    stream, and to find every copy, by a key that begins with what the source is known by. Without
    either, old names are shown for ever.

    Give the table a stream with new images, and the entity an index by the source's key:
    `Index("GSI2", pk="USER#{author_id}", …)`. Or do not copy what changes.
    """

    name = "stale-copies"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find copies that no stream reports, or no key finds."""
        for schema in design.schemas:
            for field, copied in schema.copied.items():
                faults = {}
                if design.table.stream not in NEW_IMAGES:
                    faults["the table has no stream of new images that tells of a change"] = (
                        'the table stream="NEW_AND_OLD_IMAGES"'
                    )
                if not _is_findable(schema, copied):
                    faults[f"no key finds the {schema.name} items of one source"] = (
                        f"{schema.name} an index by {', '.join(_source_fields(copied))}"
                    )
                if faults:
                    yield self._of(schema, field, copied, faults)

    def _of(self, schema: Schema, field: str, copied: Copied, faults: dict[str, str]) -> Finding:
        source = f"{copied.source.__name__}.{copied.field}"
        return self.finding(
            f"{schema.name}.{field} is copied from {source}, and stays as it was when that "
            f"changes: {', and '.join(faults)}",
            f"give {' and '.join(faults.values())}",
            schema=schema,
        )


def _source_fields(copied: Copied) -> list[str]:
    """Name the fields here that hold the key of the source."""
    names = dict(copied.match)
    return [names.get(name, name) for name in copied.source.__schema__.key_fields]


def _is_findable(schema: Schema, copied: Copied) -> bool:
    """Tell whether all copies of one source can be asked for: some partition is known by it."""
    source = set(_source_fields(copied))
    return any(keys.told and keys.told <= source for keys in schema.all_keys)
