"""Requests that are right, at least one for each operation, with most members that it has.

Whatever is wrong is made from these, so that it gets as far into the engine as it can. The world
that they are right in is made by ``create_world``.
"""

from __future__ import annotations

from typing import Any

from singletable.engine import Engine
from tests.engine.support import Clock, definitions, index, key_schema

Request = dict[str, Any]

TABLE = "things"
ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}"
KINESIS = "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
KEY: Request = {"pk": {"S": "p"}, "sk": {"N": "1"}}
ITEM: Request = {
    **KEY,
    "g": {"B": b"index key"},
    "word": {"S": "é"},
    "amount": {"N": "12.5"},
    "truth": {"BOOL": True},
    "nothing": {"NULL": True},
    "words": {"SS": ["a", "b"]},
    "amounts": {"NS": ["1", "2"]},
    "blobs": {"BS": [b"a", b"b"]},
    "steps": {"L": [{"S": "a"}, {"M": {"deep": {"L": [{"N": "1"}]}}}]},
    "facts": {"M": {"inside": {"S": "x"}, "count": {"N": "7"}}},
}
NAMES = {"#t": "word"}
CONDITION: Request = {
    "ConditionExpression": "attribute_exists(pk) AND #t <> :other OR size(steps) IN (:one, :two)",
    "ExpressionAttributeNames": NAMES,
    "ExpressionAttributeValues": {":other": {"S": "z"}, ":one": {"N": "1"}, ":two": {"N": "2"}},
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
EXPECTED: Request = {
    "Expected": {
        "word": {"Exists": True, "Value": {"S": "é"}},
        "amount": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "12.5"}, {"N": "3"}]},
    },
    "ConditionalOperator": "OR",
}
COSTS = {"ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
SELECT = f'SELECT pk, word FROM "{TABLE}" WHERE pk = ? AND sk >= 0 AND contains(word, ?)'
PARAMETERS: list[Request] = [{"S": "p"}, {"S": "é"}]
POLICY = '{"Version": "2012-10-17", "Statement": []}'

WORLD: Request = {
    "TableName": TABLE,
    "AttributeDefinitions": definitions("pk", "sk:N", "g:B", "amount:N"),
    "KeySchema": key_schema("pk", "sk:RANGE"),
    "GlobalSecondaryIndexes": [index("by-g", "g", ProvisionedThroughput=THROUGHPUT)],
    "LocalSecondaryIndexes": [index("by-amount", "pk", "amount:RANGE")],
    "ProvisionedThroughput": THROUGHPUT,
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}


def create_world(**options: Any) -> Engine:
    """Make an engine with the table, a stream, a backup and some items."""
    engine = Engine(ttl_interval=None, **{"clock": Clock(), **options})
    engine.call("CreateTable", WORLD)
    for sort in ("1", "2", "3"):
        engine.call("PutItem", {"TableName": TABLE, "Item": ITEM | {"sk": {"N": sort}}})
    engine.call("CreateBackup", {"TableName": TABLE, "BackupName": "backup"})
    on = {"PointInTimeRecoveryEnabled": True}
    engine.call(
        "UpdateContinuousBackups", {"TableName": TABLE, "PointInTimeRecoverySpecification": on}
    )
    return engine


def samples(engine: Engine) -> list[tuple[str, Request]]:
    """List an operation and a right request for it, again and again."""
    description = engine.call("DescribeTable", {"TableName": TABLE})["Table"]
    stream = description["LatestStreamArn"]
    [shard] = engine.call("DescribeStream", {"StreamArn": stream})["StreamDescription"]["Shards"]
    [backup] = engine.call("ListBackups", {})["BackupSummaries"]
    place = {"StreamArn": stream, "ShardId": shard["ShardId"]}
    start = place | {"ShardIteratorType": "TRIM_HORIZON"}
    iterator = engine.call("GetShardIterator", start)["ShardIterator"]
    first = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    return [
        *_ITEMS,
        *_TABLES,
        ("DescribeBackup", {"BackupArn": backup["BackupArn"]}),
        ("RestoreTableFromBackup", _RESTORE | {"BackupArn": backup["BackupArn"]}),
        ("DeleteBackup", {"BackupArn": backup["BackupArn"]}),
        ("ListStreams", {"TableName": TABLE, "Limit": 1, "ExclusiveStartStreamArn": stream}),
        (
            "DescribeStream",
            {"StreamArn": stream, "Limit": 1, "ExclusiveStartShardId": shard["ShardId"]},
        ),
        ("GetShardIterator", start),
        (
            "GetShardIterator",
            place | {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": first},
        ),
        ("GetShardIterator", place | {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": 1.6e9}),
        ("GetRecords", {"ShardIterator": iterator, "Limit": 2}),
    ]


def sample_names() -> list[str]:
    """Name the samples, in order."""
    with create_world() as engine:
        calls = samples(engine)
    return [f"{operation}-{number}" for number, (operation, _) in enumerate(calls)]


_ITEMS: list[tuple[str, Request]] = [
    ("PutItem", {"TableName": TABLE, "Item": ITEM, "ReturnValues": "ALL_OLD", **CONDITION}),
    ("PutItem", {"TableName": TABLE, "Item": ITEM, **EXPECTED, **COSTS}),
    (
        "GetItem",
        {
            "TableName": TABLE,
            "Key": KEY,
            "ProjectionExpression": "#t, steps[1].deep[0]",
            "ExpressionAttributeNames": NAMES,
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    ("GetItem", {"TableName": ARN, "Key": KEY, "AttributesToGet": ["word", "facts"]}),
    (
        "UpdateItem",
        {
            "TableName": TABLE,
            "Key": KEY,
            "UpdateExpression": "SET #t = if_not_exists(#t, :t), steps = list_append(steps, :l) "
            "REMOVE facts.inside ADD amounts :n DELETE words :s",
            "ExpressionAttributeNames": NAMES,
            "ExpressionAttributeValues": {
                ":t": {"S": "t"},
                ":l": {"L": [{"B": b"x"}]},
                ":n": {"NS": ["9"]},
                ":s": {"SS": ["a"]},
            },
            "ReturnValues": "ALL_NEW",
            **COSTS,
        },
    ),
    (
        "UpdateItem",
        {
            "TableName": TABLE,
            "Key": KEY,
            "AttributeUpdates": {
                "amount": {"Action": "ADD", "Value": {"N": "1"}},
                "words": {"Action": "DELETE", "Value": {"SS": ["a"]}},
                "word": {"Action": "PUT", "Value": {"S": "x"}},
            },
            "ReturnValues": "UPDATED_NEW",
            **EXPECTED,
        },
    ),
    ("DeleteItem", {"TableName": TABLE, "Key": KEY, "ReturnValues": "ALL_OLD", **CONDITION}),
    ("DeleteItem", {"TableName": TABLE, "Key": KEY, **EXPECTED, **COSTS}),
    (
        "Query",
        {
            "TableName": TABLE,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high",
            "FilterExpression": "#t = :t",
            "ProjectionExpression": "pk, facts.inside",
            "ExpressionAttributeNames": NAMES,
            "ExpressionAttributeValues": {
                ":pk": {"S": "p"},
                ":low": {"N": "0"},
                ":high": {"N": "9"},
                ":t": {"S": "é"},
            },
            "ExclusiveStartKey": KEY,
            "Limit": 2,
            "ScanIndexForward": False,
            "Select": "SPECIFIC_ATTRIBUTES",
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "INDEXES",
        },
    ),
    (
        "Query",
        {
            "TableName": TABLE,
            "IndexName": "by-amount",
            "KeyConditions": {
                "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]},
                "amount": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]},
            },
            "QueryFilter": {
                "word": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "é"}]},
                "facts": {"ComparisonOperator": "NOT_NULL"},
            },
            "ConditionalOperator": "AND",
            "AttributesToGet": ["word"],
            "ExclusiveStartKey": {**KEY, "amount": {"N": "12.5"}},
        },
    ),
    (
        "Scan",
        {
            "TableName": TABLE,
            "FilterExpression": "contains(words, :a)",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
            "Segment": 0,
            "TotalSegments": 1,
            "Limit": 3,
            "ExclusiveStartKey": KEY,
        },
    ),
    (
        "Scan",
        {
            "TableName": TABLE,
            "IndexName": "by-g",
            "ScanFilter": {
                "amount": {
                    "ComparisonOperator": "BETWEEN",
                    "AttributeValueList": [{"N": "1"}, {"N": "99"}],
                }
            },
            "Select": "COUNT",
            "ExclusiveStartKey": {**KEY, "g": {"B": b"index key"}},
        },
    ),
    (
        "BatchGetItem",
        {
            "RequestItems": {
                TABLE: {
                    "Keys": [KEY, KEY | {"sk": {"N": "2"}}],
                    "ProjectionExpression": "#t",
                    "ExpressionAttributeNames": NAMES,
                    "ConsistentRead": True,
                }
            },
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    (
        "BatchWriteItem",
        {
            "RequestItems": {
                TABLE: [
                    {"PutRequest": {"Item": ITEM}},
                    {"DeleteRequest": {"Key": KEY | {"sk": {"N": "2"}}}},
                ]
            },
            **COSTS,
        },
    ),
    (
        "TransactGetItems",
        {
            "TransactItems": [
                {"Get": {"TableName": TABLE, "Key": KEY, "ProjectionExpression": "word"}}
            ],
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": TABLE, "Item": ITEM, **CONDITION}},
                {
                    "Update": {
                        "TableName": TABLE,
                        "Key": KEY | {"sk": {"N": "2"}},
                        "UpdateExpression": "SET amount = amount + :n",
                        "ExpressionAttributeValues": {":n": {"N": "1"}},
                    }
                },
                {"Delete": {"TableName": TABLE, "Key": KEY | {"sk": {"N": "3"}}}},
                {
                    "ConditionCheck": {
                        "TableName": TABLE,
                        "Key": KEY | {"sk": {"N": "4"}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
            ],
            "ClientRequestToken": "once",
            **COSTS,
        },
    ),
    (
        "ExecuteStatement",
        {
            "Statement": SELECT,
            "Parameters": PARAMETERS,
            "ConsistentRead": True,
            "Limit": 1,
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    (
        "ExecuteStatement",
        {
            "Statement": f"UPDATE {TABLE} SET word = ? WHERE pk = ? AND sk = 1 RETURNING ALL NEW *",
            "Parameters": PARAMETERS[::-1],
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    ),
    (
        "ExecuteStatement",
        {
            "Statement": f"INSERT INTO {TABLE} VALUE {{'pk': ?, 'sk': 77, 'steps': [1, <<2>>]}}",
            "Parameters": PARAMETERS[:1],
        },
    ),
    (
        "BatchExecuteStatement",
        {
            "Statements": [
                {
                    "Statement": f"SELECT * FROM {TABLE} WHERE pk = ? AND sk = ?",
                    "Parameters": [{"S": "p"}, {"N": "1"}],
                    "ConsistentRead": True,
                },
            ],
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    (
        "ExecuteTransaction",
        {
            "TransactStatements": [
                {
                    "Statement": f"DELETE FROM {TABLE} WHERE pk = ? AND sk = ?",
                    "Parameters": [{"S": "p"}, {"N": "1"}],
                },
            ],
            "ClientRequestToken": "once-more",
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
]

_SSE = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/key"}
_RESTORE: Request = {
    "TargetTableName": "restored",
    "BillingModeOverride": "PROVISIONED",
    "ProvisionedThroughputOverride": THROUGHPUT,
    "GlobalSecondaryIndexOverride": [],
    "LocalSecondaryIndexOverride": WORLD["LocalSecondaryIndexes"],
    "SSESpecificationOverride": _SSE,
}
_TABLES: list[tuple[str, Request]] = [
    (
        "CreateTable",
        WORLD
        | {
            "TableName": "more",
            "BillingMode": "PROVISIONED",
            "SSESpecification": _SSE,
            "Tags": [{"Key": "k", "Value": "v"}],
            "TableClass": "STANDARD",
            "DeletionProtectionEnabled": True,
            "ResourcePolicy": POLICY,
        },
    ),
    ("DescribeTable", {"TableName": TABLE}),
    ("ListTables", {"ExclusiveStartTableName": "aaa", "Limit": 10}),
    (
        "UpdateTable",
        {
            "TableName": TABLE,
            "AttributeDefinitions": definitions("pk", "sk:N", "word"),
            "GlobalSecondaryIndexUpdates": [
                {"Create": index("by-word", "word", ProvisionedThroughput=THROUGHPUT)}
            ],
        },
    ),
    (
        "UpdateTable",
        {
            "TableName": TABLE,
            "BillingMode": "PAY_PER_REQUEST",
            "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10},
            "StreamSpecification": {"StreamEnabled": False},
            "SSESpecification": _SSE,
            "DeletionProtectionEnabled": False,
        },
    ),
    ("UpdateTable", {"TableName": TABLE, "TableClass": "STANDARD_INFREQUENT_ACCESS"}),
    ("DeleteTable", {"TableName": TABLE}),
    ("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "k", "Value": "v"}]}),
    ("UntagResource", {"ResourceArn": ARN, "TagKeys": ["k"]}),
    ("ListTagsOfResource", {"ResourceArn": ARN}),
    (
        "UpdateTimeToLive",
        {
            "TableName": TABLE,
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
        },
    ),
    ("DescribeTimeToLive", {"TableName": TABLE}),
    ("DescribeLimits", {}),
    ("DescribeEndpoints", {}),
    ("DescribeContinuousBackups", {"TableName": TABLE}),
    (
        "UpdateContinuousBackups",
        {
            "TableName": TABLE,
            "PointInTimeRecoverySpecification": {
                "PointInTimeRecoveryEnabled": True,
                "RecoveryPeriodInDays": 7,
            },
        },
    ),
    ("CreateBackup", {"TableName": TABLE, "BackupName": "another"}),
    (
        "ListBackups",
        {
            "TableName": TABLE,
            "Limit": 5,
            "TimeRangeLowerBound": 1.0e9,
            "TimeRangeUpperBound": 2.0e9,
            "BackupType": "ALL",
        },
    ),
    (
        "RestoreTableToPointInTime",
        _RESTORE | {"SourceTableName": TABLE, "UseLatestRestorableTime": True},
    ),
    (
        "RestoreTableToPointInTime",
        {"SourceTableArn": ARN, "TargetTableName": "restored", "RestoreDateTime": 1.7e9},
    ),
    ("PutResourcePolicy", {"ResourceArn": ARN, "Policy": POLICY}),
    ("GetResourcePolicy", {"ResourceArn": ARN}),
    ("DeleteResourcePolicy", {"ResourceArn": ARN}),
    (
        "UpdateContributorInsights",
        {"TableName": TABLE, "IndexName": "by-g", "ContributorInsightsAction": "ENABLE"},
    ),
    ("DescribeContributorInsights", {"TableName": TABLE, "IndexName": "by-g"}),
    ("ListContributorInsights", {"TableName": TABLE, "MaxResults": 5}),
    (
        "EnableKinesisStreamingDestination",
        {
            "TableName": TABLE,
            "StreamArn": KINESIS,
            "EnableKinesisStreamingConfiguration": {
                "ApproximateCreationDateTimePrecision": "MILLISECOND"
            },
        },
    ),
    ("DisableKinesisStreamingDestination", {"TableName": TABLE, "StreamArn": KINESIS}),
    (
        "UpdateKinesisStreamingDestination",
        {
            "TableName": TABLE,
            "StreamArn": KINESIS,
            "UpdateKinesisStreamingConfiguration": {
                "ApproximateCreationDateTimePrecision": "MICROSECOND"
            },
        },
    ),
    ("DescribeKinesisStreamingDestination", {"TableName": TABLE}),
    ("ListExports", {"TableArn": ARN, "MaxResults": 5}),
    ("ListImports", {"TableArn": ARN, "PageSize": 5}),
    ("DescribeExport", {"ExportArn": f"{ARN}/export/01234567890123-01234567"}),
    ("DescribeImport", {"ImportArn": f"{ARN}/import/01234567890123-01234567"}),
    ("ListGlobalTables", {"ExclusiveStartGlobalTableName": "aaa", "Limit": 1, "RegionName": "eu"}),
    ("DescribeGlobalTable", {"GlobalTableName": TABLE}),
    ("DescribeGlobalTableSettings", {"GlobalTableName": TABLE}),
    ("DescribeTableReplicaAutoScaling", {"TableName": TABLE}),
]
