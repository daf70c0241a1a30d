"""What both ways of restoring a table share: the overrides, and the document of the new table."""

from __future__ import annotations

from copy import deepcopy

from singletable.engine.backfill import fill_table
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.definitions import check_encryption, check_table, used_attributes
from singletable.engine.descriptions import describe
from singletable.engine.schema import Document, Table
from singletable.engine.shapes import Unsupported
from singletable.engine.shapes import tables as t
from singletable.engine.throughput import (
    billing,
    change_billing,
    drop_unlimited,
    provisioned_units,
    with_throughput,
)
from singletable.errors import TableAlreadyExistsException, invalid

from .control import change
from .create_table import new_identity
from .registry import Answer, Request

OVERRIDES = {
    "BillingModeOverride": t.BILLING_MODE,
    "GlobalSecondaryIndexOverride": t.GLOBAL_INDEXES,
    "LocalSecondaryIndexOverride": t.LOCAL_INDEXES,
    "ProvisionedThroughputOverride": t.PROVISIONED_THROUGHPUT,
    "OnDemandThroughputOverride": t.ON_DEMAND_THROUGHPUT,
    "SSESpecificationOverride": t.SSE_SPECIFICATION,
    "VectorIndexOverride": Unsupported("VectorIndexOverride"),
}
_RESTORED = (
    "AttributeDefinitions",
    "KeySchema",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "SSESpecification",
    "TableClass",
)
"""The rest (tags, stream, time to live, policies, protection, recovery) starts anew, as on AWS.
So does warm throughput, that of the indexes too."""
_REPLACED = {
    "ProvisionedThroughputOverride": "ProvisionedThroughput",
    "OnDemandThroughputOverride": "OnDemandThroughput",
    "SSESpecificationOverride": "SSESpecification",
}


def create_target(
    db: Database, tx: Connection, source: Document, request: Request, origin: Document
) -> Table:
    """Create the empty table that rows will be restored into; ``origin`` says where from."""
    check_encryption(request.get("SSESpecificationOverride"))
    name = request["TargetTableName"]
    if db.catalog.read(tx, name) is not None:
        raise TableAlreadyExistsException(f"Table already exists: {name}")
    now = db.clock()
    document = _overridden(source, request, now)
    document |= {
        **new_identity(now),
        "TableName": name,
        "DeletionProtectionEnabled": False,
        "RestoreSummary": {**origin, "RestoreInProgress": True},
    }
    check_table(document)
    drop_unlimited(document)
    return db.catalog.create(tx, document)


def finish(db: Database, tx: Connection, table: Table) -> Answer:
    """Make what is derived from the restored rows, and describe the new table."""
    fill_table(tx, table)
    answer = {"TableDescription": describe(db, tx, table, "CREATING")}
    done = {**table.document["RestoreSummary"], "RestoreInProgress": False}
    change(db, tx, table, RestoreSummary=done)
    return answer


def _overridden(source: Document, request: Request, now: float) -> Document:
    document = deepcopy({member: source[member] for member in _RESTORED if member in source})
    for each in with_throughput(document):
        each.pop("WarmThroughput", None)
        if "ProvisionedThroughput" in each:
            each["ProvisionedThroughput"] = provisioned_units(each["ProvisionedThroughput"])
    for override, member in (
        ("LocalSecondaryIndexOverride", "LocalSecondaryIndexes"),
        ("GlobalSecondaryIndexOverride", "GlobalSecondaryIndexes"),
    ):
        if override in request:
            _choose_indexes(document, member, request[override])
    if "BillingModeOverride" in request:
        change_billing(document, request["BillingModeOverride"], now)
    document |= billing(document["BillingMode"], now)
    document |= {_REPLACED[each]: request[each] for each in _REPLACED if each in request}
    used = used_attributes(document)
    definitions = document["AttributeDefinitions"]
    document["AttributeDefinitions"] = [
        each for each in definitions if each["AttributeName"] in used
    ]
    return document


def _choose_indexes(document: Document, member: str, chosen: list[Document]) -> None:
    """Keep only the chosen indexes, with the throughput given for them; none can be added."""
    known = {index["IndexName"]: index for index in document.pop(member, ())}
    for index in chosen:
        name = index["IndexName"]
        if name not in known:
            raise invalid(f"Index {name} does not exist in the source")
        if _content(index) != _content(known[name]):
            raise invalid(f"Index {name} has another key or projection in the source")
    if chosen:
        document[member] = [known[index["IndexName"]] | index for index in chosen]


def _content(index: Document) -> object:
    """Give what makes the entries of an index what they are."""
    projection = index["Projection"]
    extra = frozenset(projection.get("NonKeyAttributes", ()))
    return index["KeySchema"], projection.get("ProjectionType"), extra
