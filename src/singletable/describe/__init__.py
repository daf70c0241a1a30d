"""Designs described for people and for other tools, and foreign models read as designs.

Everything is written from a store and its traces; nothing is sent. The output is the same for the
same design, so that it can be kept beside it and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from singletable.errors import UsageError
from singletable.store.store import Store

from .aws_model import aws_model
from .aws_schema import aws_schema
from .description import Description, description
from .heat import heat_map
from .inward import python_design
from .markdown import markdown
from .mermaid import mermaid
from .page import page
from .svg import svg
from .workbench import workbench

__all__ = ["FORMATS", "Description", "describe", "description", "heat_map", "python_design"]

FORMATS: Mapping[str, Callable[[Description], str]] = {
    "markdown": markdown,
    "mermaid": mermaid,
    "html": page,
    "svg": svg,
    "workbench": workbench,
    "workbench-2.0": partial(workbench, version="2.0"),
    "workbench-1.0": partial(workbench, version="1.0"),
    "json": aws_model,
    "schema": aws_schema,
}
"""What writes a description, by the name of the format."""


def describe(store: type[Store], form: str = "markdown") -> str:
    """Describe the design of a store in one of the formats; sends nothing."""
    if form not in FORMATS:
        raise UsageError(f"There is no format {form!r}; there are {', '.join(FORMATS)}")
    return FORMATS[form](description(store))
