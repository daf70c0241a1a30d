"""CreateTable: define a table; it can be used as soon as the answer is there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from singletable.engine import streams
from singletable.engine.arns import table_name
from singletable.engine.database import Database
from singletable.engine.definitions import check_encryption, check_stream, check_table
from singletable.engine.descriptions import describe
from singletable.engine.schema import Document
from singletable.engine.shapes import Unsupported
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.engine.throughput import billing, drop_unlimited
from singletable.errors import ResourceInUseException

from .control import change
from .registry import Answer, Request, operation
from .resource_policy import OF_TABLE, check_policy, new_policy
from .tags import merged_tags

_AS_GIVEN = (
    "AttributeDefinitions",
    "KeySchema",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "ProvisionedThroughput",
    "SSESpecification",
    "TableClass",
    "OnDemandThroughput",
    "WarmThroughput",
)


@operation(
    "CreateTable",
    AttributeDefinitions=t.ATTRIBUTE_DEFINITIONS.required,
    TableName=m.TABLE_NAME.required,
    KeySchema=t.KEY_SCHEMA.required,
    LocalSecondaryIndexes=t.LOCAL_INDEXES,
    GlobalSecondaryIndexes=t.GLOBAL_INDEXES,
    BillingMode=t.BILLING_MODE,
    ProvisionedThroughput=t.PROVISIONED_THROUGHPUT,
    StreamSpecification=t.STREAM_SPECIFICATION,
    SSESpecification=t.SSE_SPECIFICATION,
    Tags=t.TAGS,
    TableClass=t.TABLE_CLASS,
    DeletionProtectionEnabled=m.BOOLEAN,
    WarmThroughput=t.WARM_THROUGHPUT,
    ResourcePolicy=m.STRING,
    OnDemandThroughput=t.ON_DEMAND_THROUGHPUT,
    GlobalTableSourceArn=Unsupported("GlobalTableSourceArn"),
    GlobalTableSettingsReplicationMode=Unsupported("GlobalTableSettingsReplicationMode"),
    VectorIndexes=Unsupported("VectorIndexes"),
)
def create_table(db: Database, request: Request) -> Answer:
    """Create a table with its indexes, its stream and its settings."""
    document = _document(request, db.clock())
    check_table(document)
    drop_unlimited(document)
    check_stream(request.get("StreamSpecification"))
    check_encryption(request.get("SSESpecification"))
    check_policy(request.get("ResourcePolicy", "{}"))
    name = document["TableName"]
    with db.change() as tx:
        if db.catalog.read(tx, name) is not None:
            raise ResourceInUseException(f"Table already exists: {name}")
        if request.get("StreamSpecification", {}).get("StreamEnabled"):
            latest = streams.latest_label(tx, name)
            document |= new_stream(request["StreamSpecification"], db.clock(), latest)
        table = db.catalog.create(tx, document)
        streams.follow(tx, None, table, db.clock(), db.stream_shards)
        if "ResourcePolicy" in request:
            policy = new_policy(request["ResourcePolicy"], db.clock())
            table = change(db, tx, table, ResourcePolicies={OF_TABLE: policy})
        return {"TableDescription": describe(db, tx, table, "CREATING")}


def _document(request: Request, now: float) -> Document:
    """Turn a request into the document that the catalog keeps."""
    document = {member: request[member] for member in _AS_GIVEN if member in request}
    document |= {
        "TableName": table_name(request["TableName"]),
        "DeletionProtectionEnabled": request.get("DeletionProtectionEnabled", False),
        **new_identity(now),
        **billing(request.get("BillingMode", "PROVISIONED"), now),
    }
    if "Tags" in request:
        document["Tags"] = merged_tags({}, request["Tags"])
    return document


def new_identity(now: float) -> Document:
    """Give the members that tell a table from an earlier one of the same name."""
    return {"TableId": str(uuid4()), "CreationDateTime": now}


def new_stream(specification: Document, now: float, latest: str) -> Document:
    """Give the members of a stream that begins now; its label is later than the ``latest``."""
    label = _label(datetime.fromtimestamp(now, UTC))
    if label <= latest:
        label = _label(datetime.fromisoformat(latest) + timedelta(milliseconds=1))
    return {"StreamSpecification": specification, "LatestStreamLabel": label}


def _label(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat(timespec="milliseconds")
