"""The members that the item actions and the stream actions share, each declared once.

Bounds and enums are those of the API's model. The order inside an enum is that of the service's
messages where it was seen there, and of the model elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache

from singletable.errors import ValidationException

from .attributes import ATTRIBUTE_VALUE, NAME_LENGTH_MAX, AttributeMap
from .compound import List, Map
from .scalars import Boolean, Integer, String
from .structures import Structure

NAME_PATTERN = "[a-zA-Z0-9_.-]+"
_TABLE_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_TABLE_ARN = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/([^:]*)")


@lru_cache(maxsize=1024)
def check_table_name(name_or_arn: str) -> None:
    """Refuse what can be neither the name nor the ARN of a table."""
    if not _TABLE_NAME.fullmatch(_named(name_or_arn)):
        raise ValidationException(
            "Invalid table/index name.  Table/index names must be between 3 and 255 characters "
            "long, and may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'"
        )


def _named(name_or_arn: str) -> str:
    if not name_or_arn.startswith("arn:"):
        return name_or_arn
    found = _TABLE_ARN.fullmatch(name_or_arn)
    if found is None:
        # The missing blank is AWS's.
        raise ValidationException(
            "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:"
            "resourceType/resourceName', where Resource name must have length less than or equal "
            "to 255, Resource name must have length greater than or equal to 3, Resource name must "
            f"satisfyregular expression pattern: {NAME_PATTERN}"
        )
    return found[1]


BOOLEAN = Boolean()
STRING = String()
POSITIVE = Integer(min=1)

TABLE_NAME = String(min=1, max=1024, rule=check_table_name)
TABLE_KEY = String(min=1, max=1024)
"""A table's name or ARN as the key of a map."""
INDEX_NAME = String(min=3, max=255, pattern=NAME_PATTERN)
ATTRIBUTE_NAME = String(max=NAME_LENGTH_MAX)

ITEM = AttributeMap()
KEY = AttributeMap()
EXPRESSION_VALUES = AttributeMap()
EXPRESSION_NAMES = Map(key=STRING, value=ATTRIBUTE_NAME)
ATTRIBUTES_TO_GET = List(member=ATTRIBUTE_NAME, min=1)

CONDITIONAL_OPERATOR = String(enum=("OR", "AND"))
COMPARISON_OPERATOR = String(
    enum=(
        "IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE",
        "BEGINS_WITH", "GE", "CONTAINS",
    )
)  # fmt: skip
VALUE_LIST = List(member=ATTRIBUTE_VALUE)
CONDITIONS = Map(
    key=ATTRIBUTE_NAME,
    value=Structure(
        {"AttributeValueList": VALUE_LIST, "ComparisonOperator": COMPARISON_OPERATOR.required}
    ),
)
"""KeyConditions, QueryFilter and ScanFilter."""
EXPECTED = Map(
    key=ATTRIBUTE_NAME,
    value=Structure(
        {
            "Value": ATTRIBUTE_VALUE,
            "Exists": BOOLEAN,
            "ComparisonOperator": COMPARISON_OPERATOR,
            "AttributeValueList": VALUE_LIST,
        }
    ),
)
ATTRIBUTE_UPDATES = Map(
    key=ATTRIBUTE_NAME,
    value=Structure({"Value": ATTRIBUTE_VALUE, "Action": String(enum=("ADD", "PUT", "DELETE"))}),
)

RETURN_CONSUMED_CAPACITY = String(enum=("INDEXES", "TOTAL", "NONE"))
RETURN_ITEM_COLLECTION_METRICS = String(enum=("SIZE", "NONE"))
RETURN_VALUES = String(enum=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"))
RETURN_VALUES_ON_CONDITION_CHECK_FAILURE = String(enum=("ALL_OLD", "NONE"))

WRITE_OPTIONS = {
    "Expected": EXPECTED,
    "ConditionalOperator": CONDITIONAL_OPERATOR,
    "ReturnValues": RETURN_VALUES,
    "ReturnConsumedCapacity": RETURN_CONSUMED_CAPACITY,
    "ReturnItemCollectionMetrics": RETURN_ITEM_COLLECTION_METRICS,
    "ConditionExpression": STRING,
    "ExpressionAttributeNames": EXPRESSION_NAMES,
    "ExpressionAttributeValues": EXPRESSION_VALUES,
    "ReturnValuesOnConditionCheckFailure": RETURN_VALUES_ON_CONDITION_CHECK_FAILURE,
}
"""What PutItem, UpdateItem and DeleteItem take alike."""

SELECT = String(enum=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"))
LIMIT = POSITIVE
SEGMENT = Integer(min=0, max=999999)
TOTAL_SEGMENTS = Integer(min=1, max=1000000)

KEYS_AND_ATTRIBUTES = Structure(
    {
        "Keys": List(member=KEY, min=1, max=100).required,
        "AttributesToGet": ATTRIBUTES_TO_GET,
        "ConsistentRead": BOOLEAN,
        "ProjectionExpression": STRING,
        "ExpressionAttributeNames": EXPRESSION_NAMES,
    }
)
BATCH_GET_ITEMS = Map(key=TABLE_KEY, value=KEYS_AND_ATTRIBUTES, min=1, max=100)
WRITE_REQUEST = Structure(
    {
        "PutRequest": Structure({"Item": ITEM.required}),
        "DeleteRequest": Structure({"Key": KEY.required}),
    }
)
BATCH_WRITE_ITEMS = Map(
    key=TABLE_KEY, value=List(member=WRITE_REQUEST, min=1, max=25), min=1, max=25
)

_CONDITION = {
    "TableName": TABLE_NAME.required,
    "ConditionExpression": STRING,
    "ExpressionAttributeNames": EXPRESSION_NAMES,
    "ExpressionAttributeValues": EXPRESSION_VALUES,
    "ReturnValuesOnConditionCheckFailure": RETURN_VALUES_ON_CONDITION_CHECK_FAILURE,
}
_KEYED = {"Key": KEY.required, **_CONDITION}
TRANSACT_WRITE_ITEMS = List(
    member=Structure(
        {
            "ConditionCheck": Structure({**_KEYED, "ConditionExpression": STRING.required}),
            "Put": Structure({"Item": ITEM.required, **_CONDITION}),
            "Delete": Structure(_KEYED),
            "Update": Structure({"UpdateExpression": STRING.required, **_KEYED}),
        }
    ),
    min=1,
    max=100,
)
TRANSACT_GET_ITEMS = List(
    member=Structure(
        {
            "Get": Structure(
                {
                    "Key": KEY.required,
                    "TableName": TABLE_NAME.required,
                    "ProjectionExpression": STRING,
                    "ExpressionAttributeNames": EXPRESSION_NAMES,
                }
            ).required
        }
    ),
    min=1,
    max=100,
)
CLIENT_REQUEST_TOKEN = String(min=1, max=36)

STATEMENT = String(min=1, max=8192)
PARAMETERS = List(member=ATTRIBUTE_VALUE, min=1)
_STATEMENT = {
    "Statement": STATEMENT.required,
    "Parameters": PARAMETERS,
    "ReturnValuesOnConditionCheckFailure": RETURN_VALUES_ON_CONDITION_CHECK_FAILURE,
}
BATCH_STATEMENTS = List(member=Structure({**_STATEMENT, "ConsistentRead": BOOLEAN}), min=1, max=25)
TRANSACT_STATEMENTS = List(member=Structure(_STATEMENT), min=1, max=100)
NEXT_TOKEN = String(min=1, max=32768)

STREAM_ARN = String(min=37, max=1024)
SHARD_ID = String(min=28, max=65)
SHARD_ITERATOR = String(min=1, max=2048)
SHARD_ITERATOR_TYPE = String(
    enum=("TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP")
)
SHARD_FILTER = Structure({"Type": String(enum=("CHILD_SHARDS",)), "ShardId": SHARD_ID})
SEQUENCE_NUMBER = String(min=21, max=40)
