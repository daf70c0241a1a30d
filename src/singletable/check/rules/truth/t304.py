"""T304: a version that nothing is conditional on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.schema import Schema


class T304(Rule):
    """An entity has a version, and no write is conditional on it.

    A number that every update raises looks like an optimistic lock and is none: of two people who
    read version 3, both write version 4, and the work of one is lost. The condition is what counts.

    Declare the field with `version()`: the store then adds one to it with each write, and refuses
    a write that is based on an older version.
    """

    name = "version-without-condition"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find whole numbers called version that are ordinary fields."""
        found = {_declared_by(schema): schema for schema in design.schemas if _is_plain(schema)}
        for declared, schema in found.items():
            yield replace(
                self.finding(
                    f"{declared}.version is an ordinary number: two who change an item at once "
                    "both succeed, and one change is lost",
                    "declare it: version: int = version()",
                    schema=schema,
                ),
                entity=declared,
            )


def _is_plain(schema: Schema) -> bool:
    field = schema.fields.get("version")
    if field is None or field.annotation is not int:
        return False
    # Where the key has the version, the versions are items of their own.
    return schema.version_field is None and "version" not in schema.key_names


def _declared_by(schema: Schema) -> str:
    """Name the class that has the field in its body: a base, perhaps."""
    bases = schema.entity.__mro__
    return next(
        base.__name__ for base in bases if "version" in vars(base).get("__annotations__", {})
    )
