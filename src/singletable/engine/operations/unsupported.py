"""Actions that need what is not here (S3, other regions, vector search): refused by name.

They are known, so that a caller learns what is the matter and not that it misspelt something.
"""

from __future__ import annotations

from typing import Any

from singletable.engine.database import Database
from singletable.engine.shapes import Request as RequestShape
from singletable.engine.shapes import Source
from singletable.errors import UnknownOperationException

from .registry import OPERATIONS, Answer, Operation, Request

NAMES = (
    "CancelBulkOperation",
    "CreateGlobalTable",
    "DescribeBulkOperation",
    "ExportTableToPointInTime",
    "ImportTable",
    "ListBulkOperations",
    "SearchVectors",
    "StartBulkPutItems",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateTableReplicaAutoScaling",
)


class _Anything(RequestShape):
    """Takes every request unread."""

    def accept(self, _value: Any, _source: Source, /) -> Request:
        """Look at nothing."""
        return {}


def _refusal(name: str) -> Operation:
    def refuse(_db: Database, _request: Request) -> Answer:
        raise UnknownOperationException(f"{name} is not supported by the embedded engine")

    refuse.__doc__ = f"Refuse: {name} needs what the embedded engine does not have."
    return Operation(name, _Anything({}), refuse, "DynamoDB")


OPERATIONS.update({name: _refusal(name) for name in NAMES})
