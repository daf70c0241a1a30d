"""Single-table DynamoDB in Python: the public names.

They are imported when they are first used, so that ``import singletable`` costs next to nothing
in a Lambda function or a command line, and never loads an AWS SDK.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.engine import Engine
    from singletable.engine.hardships import Hardships
    from singletable.engine.metering import Heat, Meter
    from singletable.errors import (
        AlreadyExists,
        ConditionFailed,
        Contended,
        DesignError,
        IndexMissing,
        InvalidCursor,
        KeyValueError,
        LargeBroken,
        LargeMissing,
        MoreThanOne,
        NotFound,
        ObjectStoreFailed,
        OutOfScope,
        ServiceError,
        SingletableError,
        StoreError,
        TableMissing,
        Throttled,
        TransactionCancelled,
        UniqueViolation,
        UnknownKeyParts,
        Unreachable,
        UsageError,
        VersionConflict,
    )
    from singletable.model.changes import (
        REMOVE,
        add,
        append,
        exclude,
        if_missing,
        include,
        prepend,
        subtract,
    )
    from singletable.model.conditions import Condition, F
    from singletable.model.entity import Entity
    from singletable.model.fields import (
        Attribute,
        Copied,
        Unique,
        count_of,
        created,
        expires,
        ksuid,
        max_of,
        min_of,
        sequence,
        sum_of,
        ulid,
        updated,
        uuid7,
        version,
    )
    from singletable.model.indexes import Index
    from singletable.model.large import Inline, InObjects, InParts, Large, Preview
    from singletable.model.pages import Page, Skipped
    from singletable.model.patterns import pattern
    from singletable.model.reads import (
        BatchGet,
        Collection,
        Get,
        Key,
        Query,
        Scan,
        between,
        get_many,
    )
    from singletable.model.table import GlobalIndex, LocalIndex, Table, camel_case
    from singletable.model.upgrades import upgrade
    from singletable.model.views import collect
    from singletable.store.observing.emf import EmfWriter
    from singletable.store.observing.events import RequestEvent
    from singletable.store.observing.telemetry import OpenTelemetry
    from singletable.store.retries import Retries
    from singletable.store.store import Store
    from singletable.store.writing.transactions import Transaction

_NAMES = {
    "singletable.engine": "Engine",
    "singletable.engine.hardships": "Hardships",
    "singletable.engine.metering": "Heat Meter",
    "singletable.errors": (
        "AlreadyExists ConditionFailed Contended DesignError IndexMissing InvalidCursor "
        "KeyValueError LargeBroken LargeMissing MoreThanOne NotFound ObjectStoreFailed OutOfScope "
        "ServiceError SingletableError StoreError TableMissing Throttled TransactionCancelled "
        "UniqueViolation UnknownKeyParts Unreachable UsageError VersionConflict"
    ),
    "singletable.model.changes": ("REMOVE add append exclude if_missing include prepend subtract"),
    "singletable.model.conditions": "Condition F",
    "singletable.model.entity": "Entity",
    "singletable.model.fields": (
        "Attribute Copied Unique count_of created expires ksuid max_of min_of sequence sum_of ulid "
        "updated uuid7 version"
    ),
    "singletable.model.indexes": "Index",
    "singletable.model.large": "InObjects InParts Inline Large Preview",
    "singletable.model.pages": "Page Skipped",
    "singletable.model.patterns": "pattern",
    "singletable.model.reads": "BatchGet Collection Get Key Query Scan between get_many",
    "singletable.model.table": "GlobalIndex LocalIndex Table camel_case",
    "singletable.model.upgrades": "upgrade",
    "singletable.model.views": "collect",
    "singletable.store.observing.emf": "EmfWriter",
    "singletable.store.observing.events": "RequestEvent",
    "singletable.store.retries": "Retries",
    "singletable.store.store": "Store",
    "singletable.store.writing.transactions": "Transaction",
    "singletable.store.observing.telemetry": "OpenTelemetry",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "REMOVE",
    "AlreadyExists",
    "Attribute",
    "BatchGet",
    "Collection",
    "Condition",
    "ConditionFailed",
    "Contended",
    "Copied",
    "DesignError",
    "EmfWriter",
    "Engine",
    "Entity",
    "F",
    "Get",
    "GlobalIndex",
    "Hardships",
    "Heat",
    "InObjects",
    "InParts",
    "Index",
    "IndexMissing",
    "Inline",
    "InvalidCursor",
    "Key",
    "KeyValueError",
    "Large",
    "LargeBroken",
    "LargeMissing",
    "LocalIndex",
    "Meter",
    "MoreThanOne",
    "NotFound",
    "ObjectStoreFailed",
    "OpenTelemetry",
    "OutOfScope",
    "Page",
    "Preview",
    "Query",
    "RequestEvent",
    "Retries",
    "Scan",
    "ServiceError",
    "SingletableError",
    "Skipped",
    "Store",
    "StoreError",
    "Table",
    "TableMissing",
    "Throttled",
    "Transaction",
    "TransactionCancelled",
    "Unique",
    "UniqueViolation",
    "UnknownKeyParts",
    "Unreachable",
    "UsageError",
    "VersionConflict",
    "add",
    "append",
    "between",
    "camel_case",
    "collect",
    "count_of",
    "created",
    "exclude",
    "expires",
    "get_many",
    "if_missing",
    "include",
    "ksuid",
    "max_of",
    "min_of",
    "pattern",
    "prepend",
    "sequence",
    "subtract",
    "sum_of",
    "ulid",
    "updated",
    "upgrade",
    "uuid7",
    "version",
]


if not TYPE_CHECKING:  # or a checker would take every misspelt name for an object

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
