"""Foreign models read as designs: their keys inferred, and a Python file written."""

from __future__ import annotations

import json
from typing import Any

from singletable.errors import UsageError

from .aws_model import read_aws_model
from .aws_schema import read_aws_schema
from .drafts import DesignDraft
from .source import source
from .tables import inferred
from .workbench import read_workbench

__all__ = ["python_design", "read_design"]


def python_design(text: str) -> str:
    """Write the Python design of a foreign model, given as JSON."""
    return source(read_design(text))


def read_design(text: str) -> DesignDraft:
    """Read a foreign model, in whichever format it is."""
    try:
        document = json.loads(text)
    except ValueError as fault:
        raise UsageError(f"It is not JSON: {fault}") from None
    if isinstance(document, dict) and "DataModel" in document:
        return inferred(read_workbench(document))
    if isinstance(document, dict) and _tables(document):
        schema = "table_config" in _tables(document)[0]
        return read_aws_schema(document) if schema else inferred(read_aws_model(document))
    raise UsageError(
        "It is no model that is known: a NoSQL Workbench model has 'DataModel', AWS's "
        "dynamodb_data_model.json and schema.json have 'tables'"
    )


def _tables(document: Any) -> list[dict[str, Any]]:
    tables = document.get("tables")
    fits = isinstance(tables, list) and all(isinstance(one, dict) for one in tables)
    return tables if fits and tables else []
