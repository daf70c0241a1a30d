"""K203: numbers in a sort key are not padded."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, templates_of
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import Keys
from singletable.model.schema import Schema
from singletable.model.templates import Template
from singletable.model.templates.formats import CountedChoice, Format, Integer, Number
from singletable.model.templates.slots import Slot
from singletable.store.tracing import Trace


class K203(Rule):
    """A number stands in a sort key without padding, and sorts as text.

    Keys are compared letter by letter: `SECTION#10` comes before `SECTION#2`. A list in the order
    of its numbers is wrong from the tenth item on, and a test with three items does not show it.

    Pad the number: `{order:05d}`; `{order:05d desc}` sorts the largest first. Only an int can be
    padded: keep a price in cents, and not as a Decimal.
    """

    name = "unpadded-number"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find numbers without padding in sort keys; worse, if a pattern relies on the order."""
        for schema in design.schemas:
            for keys in schema.all_keys:
                for template in templates_of(keys.sk):
                    for slot in template.slots:
                        if not _sorts(slot.format):
                            yield self._of(design, schema, keys, template, slot)

    def _of(
        self, design: Design, schema: Schema, keys: Keys, template: Template, slot: Slot
    ) -> Finding:
        field = slot.field
        listed = _listing(design.readers(schema, keys), field)
        shown = f", and {listed.pattern.name}() lists them in that order" if listed else ""
        return self.finding(
            f"{field} is written as it is: 10 sorts before 2{shown}",
            slot.format.cure(field),
            trace=listed,
            schema=schema,
            keys=keys,
            template=template,
            severity="error" if listed else "warning",
        )


def _sorts(format_: Format) -> bool:
    if isinstance(format_, CountedChoice):
        texts = [format_.render(one) for one in sorted(format_.members)]
        return texts == sorted(texts)
    return not isinstance(format_, Integer | Number)


def _listing(readers: list[Trace], field: str) -> Trace | None:
    """Find a pattern that gives items with different values of the field."""
    return next((one for one in readers if one.kind == "Query" and field not in one.known), None)
