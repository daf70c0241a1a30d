"""K202: two items of an entity can get one key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, written
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import slots_of
from singletable.model.schema import COPY
from singletable.model.templates.formats import Format
from singletable.model.templates.specs import Lower


class K202(Rule):
    """Two items of one entity can have the same primary key.

    The key has only a part of a value, such as the day of a moment or the number of a shard, or
    nothing but the moment at which the item was made. Two items of that day, or of that moment, are
    one item: the second replaces the first.

    Put the item's id behind it: `{created_at:%Y-%m-%d}#{event_id}`. If one item a day is what you
    want, ignore the finding and say so.
    """

    name = "one-key-for-two-items"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find primary keys that do not tell all of a value, or only when."""
        for schema in design.schemas:
            slots = slots_of(schema.keys.parts)
            told = {slot.field for slot in slots if not _loses(slot.format)}
            lost = {slot.field for slot in slots} - told
            owners = {slot.field for slot in slots_of(schema.keys.pk)} & set(design.scopes)
            own = told - owners - {COPY}
            if own <= set(schema.created_fields) and (own or lost):
                fields = ", ".join(sorted(lost or own))
                part = "only a part of" if lost else "nothing but"
                yield self.finding(
                    f"the key of {schema.name} has {part} {fields}: two items that agree in it are "
                    "one, and the second replaces the first",
                    "put an id of the item behind it",
                    schema=schema,
                    keys=schema.keys,
                    template=written(schema.keys),
                )


def _loses(format_: Format) -> bool:
    """Tell whether two values make one text against their author's will; lower case is willed."""
    return format_.lossy and not isinstance(format_, Lower)
