"""The members that actions on tables, backups and settings share, each declared once."""

from __future__ import annotations

from .compound import List
from .members import BOOLEAN, INDEX_NAME, NAME_PATTERN, STRING
from .scalars import Integer, Long, String, Timestamp
from .structures import Structure

KEY_ATTRIBUTE_NAME = String(min=1, max=255)
PLAIN_TABLE_NAME = String(min=3, max=255, pattern=NAME_PATTERN)
"""A table's name where an ARN is not taken."""
RESOURCE_ARN = String(min=1, max=1283)
BACKUP_ARN = String(min=37, max=1024)
EXPORT_ARN = IMPORT_ARN = KINESIS_STREAM_ARN = BACKUP_ARN
BACKUP_NAME = String(min=3, max=255, pattern=NAME_PATTERN)
REVISION_ID = String(min=1, max=255)
TIMESTAMP = Timestamp()
LONG = Long()
COUNT_TO_25 = Integer(min=1, max=25)
COUNT_TO_100 = Integer(min=1, max=100)

ATTRIBUTE_DEFINITIONS = List(
    member=Structure(
        {
            "AttributeName": KEY_ATTRIBUTE_NAME.required,
            "AttributeType": String(enum=("B", "N", "S")).required,
        }
    )
)
KEY_SCHEMA = List(
    member=Structure(
        {
            "AttributeName": KEY_ATTRIBUTE_NAME.required,
            "KeyType": String(enum=("HASH", "RANGE")).required,
        }
    ),
    min=1,
)
PROJECTION = Structure(
    {
        "ProjectionType": String(enum=("ALL", "INCLUDE", "KEYS_ONLY")),
        "NonKeyAttributes": List(member=KEY_ATTRIBUTE_NAME, min=1, max=20),
    }
)
# Observed: what is wrong with writes is told first.
PROVISIONED_THROUGHPUT = Structure(
    {
        "WriteCapacityUnits": Long(min=1).required,
        "ReadCapacityUnits": Long(min=1).required,
    }
)
ON_DEMAND_THROUGHPUT = Structure({"MaxReadRequestUnits": LONG, "MaxWriteRequestUnits": LONG})
WARM_THROUGHPUT = Structure({"ReadUnitsPerSecond": LONG, "WriteUnitsPerSecond": LONG})
_INDEX = {
    "IndexName": INDEX_NAME.required,
    "KeySchema": KEY_SCHEMA.required,
    "Projection": PROJECTION.required,
}
_THROUGHPUT = {
    "ProvisionedThroughput": PROVISIONED_THROUGHPUT,
    "OnDemandThroughput": ON_DEMAND_THROUGHPUT,
    "WarmThroughput": WARM_THROUGHPUT,
}
_GLOBAL_INDEX = Structure({**_INDEX, **_THROUGHPUT})
LOCAL_INDEXES = List(member=Structure(_INDEX))
GLOBAL_INDEXES = List(member=_GLOBAL_INDEX)
GLOBAL_INDEX_UPDATES = List(
    member=Structure(
        {
            "Update": Structure({"IndexName": INDEX_NAME.required, **_THROUGHPUT}),
            "Create": _GLOBAL_INDEX,
            "Delete": Structure({"IndexName": INDEX_NAME.required}),
        }
    )
)

BILLING_MODE = String(enum=("PROVISIONED", "PAY_PER_REQUEST"))
STREAM_SPECIFICATION = Structure(
    {
        "StreamEnabled": BOOLEAN.required,
        "StreamViewType": String(
            enum=("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
        ),
    }
)
SSE_SPECIFICATION = Structure(
    {"Enabled": BOOLEAN, "SSEType": String(enum=("AES256", "KMS")), "KMSMasterKeyId": STRING}
)
TAG_KEY = String(min=1, max=128)
TAGS = List(member=Structure({"Key": TAG_KEY.required, "Value": String(min=0, max=256).required}))
TABLE_CLASS = String(enum=("STANDARD", "STANDARD_INFREQUENT_ACCESS"))
TIME_TO_LIVE = Structure(
    {"Enabled": BOOLEAN.required, "AttributeName": KEY_ATTRIBUTE_NAME.required}
)
POINT_IN_TIME_RECOVERY = Structure(
    {
        "PointInTimeRecoveryEnabled": BOOLEAN.required,
        "RecoveryPeriodInDays": Integer(min=1, max=35),
    }
)
BACKUP_TYPE = String(enum=("USER", "SYSTEM", "AWS_BACKUP", "ALL"))
KINESIS_CONFIGURATION = Structure(
    {"ApproximateCreationDateTimePrecision": String(enum=("MILLISECOND", "MICROSECOND"))}
)
CONTRIBUTOR_INSIGHTS_ACTION = String(enum=("ENABLE", "DISABLE"))
CONTRIBUTOR_INSIGHTS_MODE = String(enum=("ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"))
