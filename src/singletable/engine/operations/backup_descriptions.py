"""Backups as the control plane describes them."""

from __future__ import annotations

from singletable.engine.backups import expiry
from singletable.engine.database import Database
from singletable.engine.descriptions import encryption, moment
from singletable.engine.schema import Document
from singletable.engine.throughput import provisioned_units

from .registry import Answer

_INDEX = ("IndexName", "KeySchema", "Projection", "ProvisionedThroughput", "OnDemandThroughput")


def details(backup: Document, status: str = "AVAILABLE") -> Answer:
    """Describe a backup itself."""
    expires = expiry(backup)
    return {
        "BackupArn": backup["BackupArn"],
        "BackupName": backup["BackupName"],
        "BackupSizeBytes": backup["Bytes"],
        "BackupStatus": status,
        "BackupType": backup["BackupType"],
        "BackupCreationDateTime": moment(backup["CreationDateTime"]),
        **({"BackupExpiryDateTime": moment(expires)} if expires else {}),
    }


def description(db: Database, backup: Document, status: str = "AVAILABLE") -> Answer:
    """Describe a backup and the table that it was made of."""
    return {
        "BackupDetails": details(backup, status),
        "SourceTableDetails": _source(backup),
        "SourceTableFeatureDetails": _features(db, backup["Table"]),
    }


def summary(backup: Document) -> Answer:
    """Describe a backup in a list."""
    table = backup["Table"]
    named = {
        "TableName": table["TableName"],
        "TableId": table["TableId"],
        "TableArn": backup["TableArn"],
    }
    return named | details(backup)


def _source(backup: Document) -> Answer:
    table = backup["Table"]
    throughput = table.get("ProvisionedThroughput", {})
    source = {
        "TableName": table["TableName"],
        "TableId": table["TableId"],
        "TableArn": backup["TableArn"],
        "TableSizeBytes": backup["Bytes"],
        "KeySchema": table["KeySchema"],
        "TableCreationDateTime": moment(table["CreationDateTime"]),
        "ProvisionedThroughput": {
            "ReadCapacityUnits": throughput.get("ReadCapacityUnits", 0),
            "WriteCapacityUnits": throughput.get("WriteCapacityUnits", 0),
        },
        "ItemCount": backup["Items"],
        "BillingMode": table["BillingMode"],
    }
    if "OnDemandThroughput" in table:
        source["OnDemandThroughput"] = table["OnDemandThroughput"]
    return source


def _features(db: Database, table: Document) -> Answer:
    features: Answer = {}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if member in table:
            features[member] = [_index(index) for index in table[member]]
    if "StreamSpecification" in table:
        features["StreamDescription"] = table["StreamSpecification"]
    if "TimeToLive" in table:
        name = table["TimeToLive"]["AttributeName"]
        features["TimeToLiveDescription"] = {"TimeToLiveStatus": "ENABLED", "AttributeName": name}
    if shown := encryption(db, table):
        features["SSEDescription"] = shown
    return features


def _index(index: Document) -> Answer:
    described = {member: index[member] for member in _INDEX if member in index}
    throughput = index.get("ProvisionedThroughput")
    if throughput:
        described["ProvisionedThroughput"] = provisioned_units(throughput)
    return described
