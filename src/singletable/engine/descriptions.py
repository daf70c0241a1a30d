"""Tables as the control plane describes them, made from the documents of the catalog."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from .arns import ACCOUNT
from .connections import Connection
from .database import Database
from .schema import Document, Table
from .throughput import decreases_today, warm_units

Description = dict[str, Any]
_ATTRIBUTE = itemgetter("AttributeName")


def moment(seconds: float) -> datetime:
    """Turn epoch seconds, as documents keep them, into what answers hold.

    The service tells times to the millisecond, and clients keep no more of them than that.
    """
    exact = datetime.fromtimestamp(seconds, UTC)
    return exact.replace(microsecond=exact.microsecond // 1000 * 1000)


def describe(db: Database, tx: Connection, table: Table, status: str = "ACTIVE") -> Description:
    """Describe a table and its indexes as they are in this transaction.

    The service lists the attributes by their names, however they were given.
    """
    # The caller may do with the answer what it likes; the document is shared.
    document = deepcopy(table.document)
    items, size = db.catalog.statistics(tx, table.rows)
    return {
        "AttributeDefinitions": sorted(document["AttributeDefinitions"], key=_ATTRIBUTE),
        "TableName": table.name,
        "KeySchema": document["KeySchema"],
        "TableStatus": status,
        "CreationDateTime": moment(document["CreationDateTime"]),
        "ProvisionedThroughput": throughput(document, db.clock()),
        "TableSizeBytes": size,
        "ItemCount": items,
        "TableArn": db.arn(table),
        "TableId": document["TableId"],
        **_billing(document),
        **_indexes(db, tx, table, document, status),
        **_stream(db, table),
        **_settings(db, document),
        "WarmThroughput": {**warm_units(document), "Status": status},
        "DeletionProtectionEnabled": document["DeletionProtectionEnabled"],
    }


def throughput(document: Document, now: float) -> Description:
    """Describe the provisioned throughput of a table or index; on demand it is zero."""
    kept = document.get("ProvisionedThroughput") or {}
    description = {
        "NumberOfDecreasesToday": decreases_today(kept, now),
        "ReadCapacityUnits": kept.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": kept.get("WriteCapacityUnits", 0),
    }
    for member in ("LastIncreaseDateTime", "LastDecreaseDateTime"):
        if member in kept:
            description[member] = moment(kept[member])
    return description


def _billing(document: Document) -> Description:
    """Describe the billing mode, which the service leaves out where it was never on demand."""
    since = document.get("OnDemandSince")
    if since is None:
        return {}
    summary = {
        "BillingMode": document["BillingMode"],
        "LastUpdateToPayPerRequestDateTime": moment(since),
    }
    return {"BillingModeSummary": summary}


def _indexes(
    db: Database, tx: Connection, table: Table, document: Document, status: str
) -> Description:
    return {
        member: [_index(db, tx, table, each, status) for each in document[member]]
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        if member in document
    }


def _index(
    db: Database, tx: Connection, table: Table, document: Document, status: str
) -> Description:
    index = table.indexes[document["IndexName"]]
    items, size = db.catalog.statistics(tx, index.tree)
    description = {
        "IndexName": index.name,
        "KeySchema": document["KeySchema"],
        "Projection": document["Projection"],
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": db.arn(table, "index", index.name),
    }
    if index.scope == "GSI":
        description["IndexStatus"] = "CREATING" if status == "CREATING" else "ACTIVE"
        description["ProvisionedThroughput"] = throughput(document, db.clock())
        description["WarmThroughput"] = {**warm_units(document), "Status": "ACTIVE"}
        if "OnDemandThroughput" in document:
            description["OnDemandThroughput"] = document["OnDemandThroughput"]
    return description


def _stream(db: Database, table: Table) -> Description:
    label = table.document.get("LatestStreamLabel")
    if label is None:
        return {}
    description: Description = {
        "LatestStreamLabel": label,
        "LatestStreamArn": db.arn(table, "stream", label),
    }
    if table.stream:
        description["StreamSpecification"] = dict(table.document["StreamSpecification"])
    return description


def _settings(db: Database, document: Document) -> Description:
    """Describe what is kept without an effect."""
    description: Description = {}
    if "TableClass" in document:
        description["TableClassSummary"] = _table_class(document)
    if shown := encryption(db, document):
        description["SSEDescription"] = shown
    if "OnDemandThroughput" in document:
        description["OnDemandThroughput"] = document["OnDemandThroughput"]
    if "RestoreSummary" in document:
        kept = document["RestoreSummary"]
        description["RestoreSummary"] = {**kept, "RestoreDateTime": moment(kept["RestoreDateTime"])}
    return description


def _table_class(document: Document) -> Description:
    summary = {"TableClass": document["TableClass"]}
    if "TableClassSince" in document:
        summary["LastUpdateDateTime"] = moment(document["TableClassSince"])
    return summary


def encryption(db: Database, document: Document) -> Description | None:
    """Describe the encryption of a table that asked for a KMS key; None where none did."""
    specification = document.get("SSESpecification", {})
    if not specification.get("Enabled"):
        return None
    key = specification.get("KMSMasterKeyId", "alias/aws/dynamodb")
    if "alias/" in key:
        alias = key.rpartition("alias/")[2]
        key = str(uuid5(NAMESPACE_URL, alias))  # as there is no KMS to say whose it is
    if not key.startswith("arn:"):
        key = f"arn:aws:kms:{db.region}:{ACCOUNT}:key/{key}"
    return {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": key}
