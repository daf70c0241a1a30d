"""UpdateTable: change a table's indexes, stream, billing and settings, done when answered.

Each step changes a copy of the table's document; then the whole is checked by the rules of a new
table, kept, and new indexes are filled from the rows, in one transaction.
"""

from __future__ import annotations

from copy import deepcopy

from singletable.engine import streams
from singletable.engine.backfill import fill_indexes
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.definitions import check_encryption, check_indexes, check_stream
from singletable.engine.descriptions import Description, describe, encryption
from singletable.engine.schema import Document, Table
from singletable.engine.shapes import Unsupported
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.engine.throughput import (
    change_billing,
    change_limits,
    change_throughput,
    check_throughput,
    drop_unlimited,
    keep_warm,
)
from singletable.errors import ValidationException, invalid

from .control import find_table
from .create_table import new_stream
from .index_updates import IndexUpdates
from .registry import Answer, Request, operation

_CHANGES = (
    "BillingMode",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexUpdates",
    "StreamSpecification",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)


@operation(
    "UpdateTable",
    AttributeDefinitions=t.ATTRIBUTE_DEFINITIONS,
    TableName=m.TABLE_NAME.required,
    BillingMode=t.BILLING_MODE,
    ProvisionedThroughput=t.PROVISIONED_THROUGHPUT,
    GlobalSecondaryIndexUpdates=t.GLOBAL_INDEX_UPDATES,
    StreamSpecification=t.STREAM_SPECIFICATION,
    SSESpecification=t.SSE_SPECIFICATION,
    ReplicaUpdates=Unsupported("ReplicaUpdates"),
    TableClass=t.TABLE_CLASS,
    DeletionProtectionEnabled=m.BOOLEAN,
    MultiRegionConsistency=Unsupported("MultiRegionConsistency"),
    GlobalTableWitnessUpdates=Unsupported("GlobalTableWitnessUpdates"),
    OnDemandThroughput=t.ON_DEMAND_THROUGHPUT,
    WarmThroughput=t.WARM_THROUGHPUT,
    GlobalTableSettingsReplicationMode=Unsupported("GlobalTableSettingsReplicationMode"),
    DisassociationProtectionEnabled=Unsupported("DisassociationProtectionEnabled"),
    VectorIndexUpdates=Unsupported("VectorIndexUpdates"),
)
def update_table(db: Database, request: Request) -> Answer:
    """Change a table; a new index is filled before the answer comes."""
    asked = [member for member in _CHANGES if request.get(member) not in (None, [])]
    if not asked:
        raise ValidationException(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        )
    if "TableClass" in request and len(asked) > 1:
        raise invalid("TableClass modification must be the only operation in the request")
    if {"ProvisionedThroughput", "StreamSpecification"} <= set(asked):
        raise invalid("You cannot modify stream status while updating table IOPS")
    check_stream(request.get("StreamSpecification"))
    check_encryption(request.get("SSESpecification"))
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        updates = IndexUpdates(request)
        before = describe(db, tx, table)
        changed = db.catalog.update(tx, table, _changed(db, tx, table, request, updates))
        streams.follow(tx, table, changed, db.clock(), db.stream_shards)
        fill_indexes(tx, changed, [changed.indexes[name] for name in updates.created])
        return {"TableDescription": _description(db, tx, changed, updates, before)}


def _changed(
    db: Database, tx: Connection, table: Table, request: Request, updates: IndexUpdates
) -> Document:
    document, now = deepcopy(table.document), db.clock()
    keep_warm(document)
    if "BillingMode" in request:
        change_billing(document, request["BillingMode"], now)
    if "ProvisionedThroughput" in request:
        change_throughput(document, request["ProvisionedThroughput"], now, "table")
    change_limits(document, request, "table")
    updates.apply(document, now)
    drop_unlimited(document)
    if "StreamSpecification" in request:
        latest = max(document.get("LatestStreamLabel", ""), streams.latest_label(tx, table.name))
        _change_stream(document, request["StreamSpecification"], now, latest)
    if "TableClass" in request:
        document |= {"TableClass": request["TableClass"], "TableClassSince": now}
    if "DeletionProtectionEnabled" in request:
        document["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
    if "SSESpecification" in request:
        _change_encryption(db, document, request["SSESpecification"])
    check_throughput(document)
    check_indexes(document)
    return document


def _change_stream(document: Document, specification: Document, now: float, latest: str) -> None:
    name = document["TableName"]
    if specification["StreamEnabled"]:
        if "StreamSpecification" in document:
            raise ValidationException(f"Table already has an enabled stream: TableName: {name}")
        document |= new_stream(specification, now, latest)
    elif document.pop("StreamSpecification", None) is None:
        raise ValidationException(f"Table has no stream to disable: TableName: {name}")


def _change_encryption(db: Database, document: Document, specification: Document) -> None:
    before = encryption(db, document)
    document["SSESpecification"] = specification
    if encryption(db, document) != before:
        return
    if before is None:
        raise invalid("Table is already encrypted by default")
    raise invalid(
        "Table is already encrypted with given KMSMasterKeyId. "
        "Use KMSMasterKeyId parameter if you want to change Master Key"
    )


def _description(
    db: Database, tx: Connection, table: Table, updates: IndexUpdates, before: Description
) -> Description:
    """Describe the table as the service does while it is still at work on indexes and keys."""
    description = describe(db, tx, table, "UPDATING")
    sse = "SSEDescription"
    if sse in description and description[sse] != before.get(sse):
        description[sse] = {"Status": "UPDATING"}
    indexes = description.get("GlobalSecondaryIndexes", [])
    for index in indexes:
        if index["IndexName"] in updates.created:
            index |= {"IndexStatus": "CREATING", "Backfilling": False}
        elif index["IndexName"] in updates.updated:
            index["IndexStatus"] = "UPDATING"
    for index in before.get("GlobalSecondaryIndexes", []):
        if index["IndexName"] in updates.deleted:
            indexes.append({**index, "IndexStatus": "DELETING"})
    return description | ({"GlobalSecondaryIndexes": indexes} if indexes else {})
