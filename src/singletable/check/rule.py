"""What a rule is: a class in a file of its own, whose docstring is its documentation.

Rules are found in the folders of ``rules``, one folder a theme; a new file there is a new rule, and
nothing else has to know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules
from typing import ClassVar

from singletable.model.keys import Keys
from singletable.model.schema import Schema
from singletable.store.tracing import Trace

from . import rules
from .design import Design
from .finding import Finding, Severity

THEMES = {
    "results": "What a pattern gives its caller",
    "keys": "Whether keys tell items apart and sort them",
    "truth": "Whether what is stored stays true",
    "heat": "What gets hot, and what costs money",
    "fit": "Whether one table is the right thing",
    "ignores": "What is ignored, and why",
}


class Rule(ABC):
    """Finds one kind of fault in designs; its code is the name of its class."""

    name: ClassVar[str]
    severity: ClassVar[Severity]

    @property
    def code(self) -> str:
        """Give the stable code."""
        return type(self).__name__

    @property
    def theme(self) -> str:
        """Name the folder that the rule stands in."""
        return type(self).__module__.split(".")[-2]

    @property
    def documentation(self) -> str:
        """Give the text of the rule's page: the first line sums it up."""
        return cleandoc(type(self).__doc__ or "")

    @property
    def summary(self) -> str:
        """Give the first line of the documentation."""
        return self.documentation.partition("\n")[0]

    @abstractmethod
    def find(self, design: Design) -> Iterator[Finding]:
        """Give what the rule finds."""

    def finding(
        self,
        message: str,
        fix: str,
        *,
        trace: Trace | None = None,
        schema: Schema | None = None,
        keys: Keys | None = None,
        template: object = None,
        severity: Severity | None = None,
    ) -> Finding:
        """Make a finding, and name the places by what they are."""
        return Finding(
            self.code,
            self.name,
            severity or self.severity,
            message,
            fix,
            entity=_place(schema, keys) if schema else None,
            pattern=trace.pattern.name if trace else None,
            index=keys.index.name if keys else None,
            template=None if template is None else str(template),
        )


def _place(schema: Schema, keys: Keys | None) -> str:
    """Name an entity, or its place in an index as it is written: ``Story.published``."""
    labels = (name for name, one in schema.indexes.items() if keys and one.index == keys.index)
    label = next(labels, None)
    return f"{schema.name}.{label}" if label else schema.name


@cache
def all_rules() -> dict[str, Rule]:
    """Give every rule by its code, in the order of the themes and codes."""
    found: dict[str, Rule] = {}
    for theme in THEMES:
        package = import_module(f"{rules.__name__}.{theme}")
        for module in iter_modules(package.__path__):
            code = module.name.upper()
            rule = getattr(import_module(f"{package.__name__}.{module.name}"), code)()
            found[code] = rule
    return found
