"""T306: a field in the attribute by which items expire."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class T306(Rule):
    """A field of another meaning is kept in the attribute that says when an item expires.

    A table has one such attribute, `ttl` unless its declaration names another. Whatever number is
    there is taken for seconds since 1970: an item with 300 in it expired long ago, so reads leave
    it out, and DynamoDB deletes it where the table has a time to live.

    If the field tells when the item expires, declare it with `expires()`. If it does not, keep it
    in another attribute, or name another for the table: `Table("records", ttl="expires_at")`.
    """

    name = "field-in-expiry-attribute"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find fields that are kept there and were not declared so."""
        for schema in design.schemas:
            for field, attribute in schema.attributes.items():
                if attribute == design.table.ttl and field != schema.expiry_field:
                    yield self.finding(
                        f"{schema.name}.{field} is kept in the attribute {attribute}, which says "
                        f"when an item expires: every {schema.name} with a smaller number there "
                        "than the seconds since 1970 is left out by reads",
                        f"declare it with expires(), or keep it elsewhere: {field}: "
                        'Annotated[..., Attribute("...")]',
                        schema=schema,
                    )
