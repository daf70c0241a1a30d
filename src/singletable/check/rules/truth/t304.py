"""T304: a version that nothing is conditional on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from inspect import get_annotations

from singletable.check.design import Design
from singletable.check.finding import Finding, Severity
from singletable.check.rule import Rule
from singletable.model.schema import Schema

FIRST_NUMBERS = (0, 1)
NAMES = {"revision", "version"}


class T304(Rule):
    """An entity has a version, and no write is conditional on it.

    A number that every update raises looks like an optimistic lock and is none: of two people who
    read version 3, both write version 4, and the work of one is lost. The condition is what counts.

    It is proved where another entity of the table declares the same attribute with `version()`:
    what is a lock there is an ordinary number here. Two signs are no proof, and give a note: a
    number that several entities have from a common base, which begins at 0 or 1 in all of them and
    which no key and no pattern looks at; and a number that is called a version.

    Declare the field with `version()`: the store then adds one to it with each write, and refuses
    a write that is based on an older version.
    """

    name = "version-without-condition"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find ordinary numbers that are versions elsewhere, or look like one."""
        locks = {
            schema.attributes[schema.version_field]: f"{schema.name}.{schema.version_field}"
            for schema in design.schemas
            if schema.version_field
        }
        for (base, name), schemas in _numbers(design).items():
            lock = locks.get(schemas[0].attributes[name])
            if lock is not None:
                yield self._of(base, name, schemas[0], f", and {lock} a lock:", "warning")
            elif name in NAMES or _is_bookkeeping(design, base, name, schemas):
                yield self._of(base, name, schemas[0], ". If it is a version,", "note")

    def _of(self, base: type, name: str, schema: Schema, proof: str, severity: Severity) -> Finding:
        finding = self.finding(
            f"{base.__name__}.{name} is an ordinary number{proof} two who change an item at once "
            "both succeed, and one change is lost",
            f"declare it: {name}: int = version()",
            schema=schema,
            severity=severity,
        )
        return replace(finding, entity=base.__name__)


def _numbers(design: Design) -> dict[tuple[type, str], list[Schema]]:
    """Give the entities without a lock that have a number, by the class that declares it."""
    found: dict[tuple[type, str], list[Schema]] = defaultdict(list)
    for schema in design.schemas:
        if schema.version_field is None:
            for name in _plain_numbers(schema):
                found[_declared_by(schema, name), name].append(schema)
    return found


def _plain_numbers(schema: Schema) -> Iterator[str]:
    """Name the whole numbers that the store does not fill and that no item is known by."""
    for name, field in schema.fields.items():
        # Where the key has the version, the versions are items of their own.
        is_own = field.default_factory is None and name not in {*schema.key_names, *schema.copied}
        if field.annotation is int and is_own:
            yield name


def _is_bookkeeping(design: Design, base: type, name: str, schemas: list[Schema]) -> bool:
    """Tell whether a number says something of items of any kind, and only to who writes them."""
    is_shared = len(schemas) > 1 and base not in {schema.entity for schema in design.schemas}
    return is_shared and all(
        schema.fields[name].default in FIRST_NUMBERS and name not in design.looked_at(schema)
        for schema in schemas
    )


def _declared_by(schema: Schema, name: str) -> type:
    """Give the class that has the field in its body: a base, perhaps."""
    bases = schema.entity.__mro__
    return next(base for base in bases if name in get_annotations(base))
