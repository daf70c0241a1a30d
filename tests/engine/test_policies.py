"""IAM policies on the engine: who may do what to which items, judged as AWS judges it."""

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.accesses import Access
from singletable.engine.policies import Policy
from singletable.errors import AccessDeniedException, UsageError
from tests.engine.support import create, definitions, index, key_schema

TABLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/things"
SUB = "cognito-identity.amazonaws.com:sub"
OWN_KEY = f"USER#${{{SUB}}}"
OWN = {
    "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [OWN_KEY]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}


def _document(*statements: dict[str, Any], **members: Any) -> dict[str, Any]:
    default = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": [TABLE, f"{TABLE}/index/*"]}
    full = [{**default, **each} for each in statements]
    return {"Version": "2012-10-17", "Statement": full, **members}


def _allows(document: Any, access: Access, **variables: str) -> bool:
    try:
        Policy(document, {SUB: "u1", **variables}).check(access)
    except AccessDeniedException:
        return False
    return True


def _access(action: str = "GetItem", path: str = "", **context: Any) -> Access:
    arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/things{path}"
    return Access(action, arn, {name: tuple(values) for name, values in context.items()})


@pytest.fixture
def stocked(engine: Engine) -> Engine:
    """Give an engine with two users' items, in a table and in an index of another key."""
    create(
        engine,
        AttributeDefinitions=definitions("pk", "sk", "g"),
        KeySchema=key_schema("pk", "sk:RANGE"),
        GlobalSecondaryIndexes=[index("by_g", "g")],
    )
    for user in ("u1", "u10"):
        item = {"pk": {"S": f"USER#{user}"}, "sk": {"S": "A"}, "g": {"S": f"USER#{user}"}}
        engine.call("PutItem", {"TableName": "things", "Item": item})
    return engine


@pytest.fixture
def mine(stocked: Engine) -> Iterator[Engine]:
    """Give the engine as the user u1 sees it."""
    with stocked.as_role(_document({"Condition": OWN}), {SUB: "u1"}) as role:
        yield role


def _key(user: str, sk: str = "A") -> dict[str, Any]:
    return {"pk": {"S": f"USER#{user}"}, "sk": {"S": sk}}


def _body(user: str, **more: Any) -> dict[str, Any]:
    return {"TableName": "things", "Key": _key(user), **more}


def _query(user: str, **more: Any) -> dict[str, Any]:
    name = "g" if "IndexName" in more else "pk"
    values = {":v": {"S": f"USER#{user}"}}
    condition = f"{name} = :v"
    return {
        "TableName": "things",
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values,
        **more,
    }


def _check(user: str) -> dict[str, Any]:
    return _body(user, ConditionExpression="attribute_exists(pk)")


SET = {
    "UpdateExpression": "SET n = :n",
    "ExpressionAttributeValues": {":n": {"N": "1"}},
}
# Each is about the user's own items when it is given u1 alone.
REQUESTS: dict[str, Any] = {
    "GetItem": lambda user: ("GetItem", _body(user)),
    "PutItem": lambda user: ("PutItem", {"TableName": "things", "Item": _key(user)}),
    "UpdateItem": lambda user: ("UpdateItem", _body(user, **SET)),
    "DeleteItem": lambda user: ("DeleteItem", _body(user)),
    "Query": lambda user: ("Query", _query(user)),
    "Query by legacy conditions": lambda user: (
        "Query",
        {
            "TableName": "things",
            "KeyConditions": {
                "pk": {
                    "ComparisonOperator": "EQ",
                    "AttributeValueList": [{"S": f"USER#{user}"}],
                }
            },
        },
    ),
    "Query of an index": lambda user: ("Query", _query(user, IndexName="by_g")),
    "BatchGetItem": lambda user: (
        "BatchGetItem",
        {"RequestItems": {"things": {"Keys": [_key("u1", "B"), _key(user)]}}},
    ),
    "BatchWriteItem, a put": lambda user: (
        "BatchWriteItem",
        {
            "RequestItems": {
                "things": [
                    {"DeleteRequest": {"Key": _key("u1", "B")}},
                    {"PutRequest": {"Item": _key(user)}},
                ]
            }
        },
    ),
    "BatchWriteItem, a delete": lambda user: (
        "BatchWriteItem",
        {"RequestItems": {"things": [{"DeleteRequest": {"Key": _key(user)}}]}},
    ),
    "TransactGetItems": lambda user: (
        "TransactGetItems",
        {"TransactItems": [{"Get": _body("u1", Key=_key("u1", "B"))}, {"Get": _body(user)}]},
    ),
    **{
        f"TransactWriteItems, {kind}": lambda user, kind=kind, more=more: (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "things", "Item": _key("u1", "B")}},
                    {kind: more(user)},
                ]
            },
        )
        for kind, more in {
            "Put": lambda user: {"TableName": "things", "Item": _key(user)},
            "Update": lambda user: _body(user, **SET),
            "Delete": _body,
            "ConditionCheck": _check,
        }.items()
    },
    **{
        text.split("$", maxsplit=1)[0]: lambda user, text=text: (
            "ExecuteStatement",
            {"Statement": text.replace("$", f"USER#{user}")},
        )
        for text in (
            "SELECT * FROM things WHERE pk = '$'",
            "SELECT * FROM things.by_g WHERE g = '$'",
            "SELECT sk FROM things WHERE pk IN ['USER#u1', '$']",
            "UPDATE things SET n = 1 WHERE sk = 'A' AND pk = '$'",
            "DELETE FROM things WHERE sk = 'A' AND pk = '$'",
            "INSERT INTO things VALUE {'sk': 'C', 'pk': '$'}",
        )
    },
    "BatchExecuteStatement": lambda user: (
        "BatchExecuteStatement",
        {"Statements": [{"Statement": f"SELECT * FROM things WHERE {_where(user)}"}]},
    ),
    "ExecuteTransaction": lambda user: (
        "ExecuteTransaction",
        {"TransactStatements": [{"Statement": f"SELECT * FROM things WHERE {_where(user)}"}]},
    ),
    "ExecuteTransaction, a check": lambda user: (
        "ExecuteTransaction",
        {
            "TransactStatements": [
                {"Statement": f"EXISTS(SELECT * FROM things WHERE {_where(user)} AND g > 'A')"},
                {"Statement": "INSERT INTO things VALUE {'sk': 'C', 'pk': 'USER#u1'}"},
            ]
        },
    ),
}


def _where(user: str) -> str:
    return f"pk = 'USER#{user}' AND sk = 'A'"


@pytest.mark.parametrize("name", REQUESTS)
def test_a_user_reaches_the_own_partition_and_no_other(mine: Engine, name: str) -> None:
    """The other user's id begins with the own one."""
    mine.call(*REQUESTS[name]("u1"))
    with pytest.raises(AccessDeniedException):
        mine.call(*REQUESTS[name]("u10"))


def test_a_refused_write_changes_nothing(mine: Engine, stocked: Engine) -> None:
    before = stocked.call("Scan", {"TableName": "things"})
    for made in REQUESTS.values():
        with pytest.raises(AccessDeniedException):
            mine.call(*made("u10"))
    assert stocked.call("Scan", {"TableName": "things"}) == before


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("Scan", {"TableName": "things"}),
        ("Scan", {"TableName": "things", "IndexName": "by_g"}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM things"}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM things WHERE sk = 'A'"}),
        (
            "ExecuteStatement",
            {"Statement": "SELECT * FROM things WHERE pk = 'USER#u1' OR sk = 'A'"},
        ),
        ("DescribeTable", {"TableName": "things"}),
        ("ListTables", {}),
    ],
)
def test_what_names_no_partition_is_refused(
    mine: Engine, operation: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(AccessDeniedException):
        mine.call(operation, request_)


def test_all_of_nothing_is_allowed_without_a_check_for_it(stocked: Engine) -> None:
    """The trap in IAM that the condition on Null closes."""
    leading = {"ForAllValues:StringEquals": OWN["ForAllValues:StringEquals"]}
    role = stocked.as_role(_document({"Condition": leading}), {SUB: "u1"})
    assert role.call("Scan", {"TableName": "things"})["Count"] == 2


def test_a_refusal_is_worded_as_awss_is(mine: Engine) -> None:
    with pytest.raises(AccessDeniedException) as refused:
        mine.get_item(TableName="things", Key=_key("u10"))
    assert refused.value.response["Error"] == {
        "Code": "AccessDeniedException",
        "Message": "User: arn:aws:iam::000000000000:user/local is not authorized to perform: "
        "dynamodb:GetItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table/things "
        "because no identity-based policy allows the dynamodb:GetItem action",
    }


def test_a_denial_outweighs_what_is_allowed_and_names_who_asks(stocked: Engine) -> None:
    document = _document({}, {"Effect": "Deny", "Action": "dynamodb:Delete*"})
    role = stocked.as_role(document, {"aws:PrincipalArn": "arn:aws:iam::1:role/cook"})
    role.call("GetItem", _body("u1"))
    with pytest.raises(AccessDeniedException) as refused:
        role.call("DeleteItem", _body("u1"))
    assert refused.value.message == (
        "User: arn:aws:iam::1:role/cook is not authorized to perform: dynamodb:DeleteItem on "
        "resource: arn:aws:dynamodb:us-east-1:000000000000:table/things "
        "with an explicit deny in an identity-based policy"
    )


def test_an_index_is_a_resource_of_its_own(stocked: Engine) -> None:
    role = stocked.as_role(_document({"Resource": TABLE}))
    role.call("Query", _query("u1"))
    with pytest.raises(AccessDeniedException, match=r"table/things/index/by_g because"):
        role.call("Query", _query("u1", IndexName="by_g"))


def test_the_wire_is_judged_too(mine: Engine) -> None:
    body = b'{"TableName": "things", "Key": {"pk": {"S": "USER#u10"}, "sk": {"S": "A"}}}'
    with pytest.raises(AccessDeniedException):
        mine.call_json("GetItem", body)


def test_a_view_does_not_close_its_engine(stocked: Engine) -> None:
    with stocked.as_role(_document({})) as role:
        assert role.call("Scan", {"TableName": "things"})["Count"] == 2
    assert stocked.call("Scan", {"TableName": "things"})["Count"] == 2


def test_a_stream_is_allowed_by_its_own_name(engine: Engine) -> None:
    view = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    arn = create(engine, StreamSpecification=view)["LatestStreamArn"]
    reader = engine.as_role(_document({"Resource": f"{TABLE}/stream/*"}))
    shards = reader.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    shard = {"StreamArn": arn, "ShardId": shards[0]["ShardId"]}
    iterator = reader.get_shard_iterator(**shard, ShardIteratorType="TRIM_HORIZON")
    assert reader.get_records(ShardIterator=iterator["ShardIterator"])["Records"] == []
    with pytest.raises(AccessDeniedException):
        engine.as_role(_document({"Resource": TABLE})).describe_stream(StreamArn=arn)


@pytest.mark.parametrize(
    "operation",
    ["list_backups", "list_contributor_insights", "list_exports", "list_imports", "list_streams"],
)
def test_a_list_is_of_no_resource_though_it_names_a_table(engine: Engine, operation: str) -> None:
    """AWS: such a permission cannot be granted on one table."""
    create(engine)
    member = "TableArn" if operation in {"list_exports", "list_imports"} else "TableName"
    request = {member: TABLE if member == "TableArn" else "things"}
    with pytest.raises(AccessDeniedException, match=r"on resource: \* "):
        getattr(engine.as_role(_document({})), operation)(**request)
    getattr(engine.as_role(_document({"Resource": "*"})), operation)(**request)


RESTORED = TABLE.replace("things", "restored")
RESTORE = {"Resource": [TABLE, f"{TABLE}/backup/*", RESTORED]}


def test_who_restores_a_table_must_be_allowed_to_write_the_new_one(engine: Engine) -> None:
    create(engine)
    made = engine.create_backup(TableName="things", BackupName="copy")["BackupDetails"]
    request = {"BackupArn": made["BackupArn"], "TargetTableName": "restored"}
    write = {**RESTORE, "Effect": "Deny", "Action": "dynamodb:PutItem"}
    with pytest.raises(AccessDeniedException, match=r"dynamodb:PutItem on resource: .*/restored "):
        engine.as_role(_document(RESTORE, write)).restore_table_from_backup(**request)
    with pytest.raises(AccessDeniedException, match="dynamodb:RestoreTableFromBackup on resource"):
        engine.as_role(_document({"Resource": f"{TABLE}/backup/*"})).restore_table_from_backup(
            **request
        )
    engine.as_role(_document(RESTORE)).restore_table_from_backup(**request)


def test_a_table_may_be_named_to_restore_it_to_a_moment(engine: Engine) -> None:
    create(engine)
    engine.update_continuous_backups(
        TableName="things", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    request = {"SourceTableName": "things", "TargetTableName": "restored"}
    role = engine.as_role(_document(RESTORE))
    role.restore_table_to_point_in_time(**request, UseLatestRestorableTime=True)
    other = engine.as_role(_document({"Resource": RESTORED}))
    with pytest.raises(AccessDeniedException, match=r"on resource: .*table/things "):
        other.restore_table_to_point_in_time(**request, UseLatestRestorableTime=True)


def test_who_creates_a_table_with_a_policy_must_be_allowed_to_put_one(engine: Engine) -> None:
    role = engine.as_role(_document({"Action": "dynamodb:CreateTable"}))
    with pytest.raises(AccessDeniedException, match="dynamodb:PutResourcePolicy on resource"):
        create(role, ResourcePolicy="{}")
    create(role)


ATTRIBUTES = {
    "ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "sk", "n"]},
    "StringEqualsIfExists": {
        "dynamodb:Select": "SPECIFIC_ATTRIBUTES",
        "dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"],
    },
}


@pytest.mark.parametrize(
    ("operation", "more", "allowed"),
    [
        ("GetItem", {"ProjectionExpression": "n"}, True),
        ("GetItem", {"ProjectionExpression": "n, secret"}, False),
        ("GetItem", {}, False),
        ("UpdateItem", SET, True),
        ("UpdateItem", {**SET, "ReturnValues": "UPDATED_NEW"}, True),
        ("UpdateItem", {**SET, "ReturnValues": "ALL_OLD"}, False),
        ("UpdateItem", {**SET, "UpdateExpression": "SET n = :n, secret = n"}, False),
        ("UpdateItem", {**SET, "UpdateExpression": "SET n = secret.x + :n"}, False),
        ("UpdateItem", {**SET, "ConditionExpression": "secret > :n"}, False),
        ("UpdateItem", {"AttributeUpdates": {"secret": {"Value": {"N": "1"}}}}, False),
        ("DeleteItem", {"Expected": {"secret": {"Exists": False}}}, False),
    ],
)
def test_attributes_of_a_request_can_be_limited(
    stocked: Engine, operation: str, more: dict[str, Any], allowed: bool
) -> None:
    role = stocked.as_role(_document({"Condition": ATTRIBUTES}))
    try:
        role.call(operation, _body("u1", **more))
        assert allowed
    except AccessDeniedException:
        assert not allowed
    except Engine.exceptions.ClientError:
        assert allowed  # the request had its own fault, and was looked at


@pytest.mark.parametrize(
    ("operation", "request_", "allowed"),
    [
        ("Query", _query("u1", ProjectionExpression="n"), True),
        ("Query", _query("u1"), False),
        ("Query", _query("u1", ProjectionExpression="secret"), False),
        ("Query", _query("u1", ProjectionExpression="n", FilterExpression="secret = :v"), False),
        ("Scan", {"TableName": "things", "ProjectionExpression": "n"}, True),
        ("Scan", {"TableName": "things", "Select": "COUNT"}, False),
        ("Scan", {"TableName": "things"}, False),
        ("PutItem", {"TableName": "things", "Item": _key("u1")}, True),
        ("PutItem", {"TableName": "things", "Item": {**_key("u1"), "x": {"S": "x"}}}, False),
        ("ExecuteStatement", {"Statement": "SELECT n FROM things WHERE secret = 1"}, False),
        (
            "BatchGetItem",
            {"RequestItems": {"things": {"Keys": [_key("u1")], "ProjectionExpression": "n"}}},
            True,
        ),
        (
            "BatchGetItem",
            {"RequestItems": {"things": {"Keys": [_key("u1")], "AttributesToGet": ["secret"]}}},
            False,
        ),
    ],
)
def test_attributes_of_reads_can_be_limited(
    stocked: Engine, operation: str, request_: dict[str, Any], allowed: bool
) -> None:
    role = stocked.as_role(_document({"Condition": ATTRIBUTES}))
    if allowed:
        role.call(operation, request_)
    else:
        with pytest.raises(AccessDeniedException):
            role.call(operation, request_)


def test_keys_that_are_no_text_have_one(engine: Engine) -> None:
    create(engine, AttributeDefinitions=definitions("pk:N"))
    equal = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "10"}}
    role = engine.as_role(_document({"Condition": equal}))
    role.get_item(TableName="things", Key={"pk": {"N": "1e1"}})
    with pytest.raises(AccessDeniedException):
        role.get_item(TableName="things", Key={"pk": {"N": "1"}})


def test_each_part_of_a_partition_key_can_be_named(engine: Engine) -> None:
    create(
        engine,
        AttributeDefinitions=definitions("pk", "a", "b"),
        GlobalSecondaryIndexes=[index("by_both", "a", "b")],
    )
    second = {"ForAllValues:StringEquals": {"dynamodb:SecondPartitionKeyValues": "B"}}
    role = engine.as_role(_document({"Condition": second}))
    query = {
        "TableName": "things",
        "IndexName": "by_both",
        "KeyConditionExpression": "a = :a AND b = :b",
    }
    role.query(**query, ExpressionAttributeValues={":a": {"S": "B"}, ":b": {"S": "B"}})
    with pytest.raises(AccessDeniedException):
        role.query(**query, ExpressionAttributeValues={":a": {"S": "B"}, ":b": {"S": "A"}})


@pytest.mark.parametrize(
    ("statement", "access", "allowed"),
    [
        ({"Action": "dynamodb:getitem"}, _access(), True),
        ({"Action": ["dynamodb:Put*", "dynamodb:Get?tem"]}, _access(), True),
        ({"Action": "s3:*"}, _access(), False),
        ({"Action": "*"}, _access(), True),
        ({"Resource": "*"}, _access(), True),
        ({"Resource": TABLE.replace("things", "thing?")}, _access(), True),
        ({"Resource": TABLE.replace("things", "other")}, _access(), False),
        ({"Resource": f"{TABLE}/index/a"}, _access("Query", "/index/b"), False),
        ({"Resource": TABLE.replace("things", "${aws:PrincipalTag/t}")}, _access(), True),
        ({"Resource": TABLE.replace("things", "${aws:PrincipalTag/none}")}, _access(), False),
    ],
)
def test_actions_and_resources_match_with_wildcards(
    statement: dict[str, Any], access: Access, allowed: bool
) -> None:
    tag = {"aws:PrincipalTag/t": "things"}
    assert _allows(_document(statement), access, **tag) is allowed


def test_what_is_not_named_can_be_meant() -> None:
    others = {"Effect": "Allow", "NotAction": "dynamodb:Delete*", "NotResource": "*/other"}
    document = {"Version": "2012-10-17", "Statement": others}
    assert _allows(document, _access())
    assert not _allows(document, _access("DeleteItem"))
    assert not _allows(document, Access("GetItem", TABLE.replace("things", "other"), {}))


@pytest.mark.parametrize(
    ("operator", "wanted", "values", "holds"),
    [
        ("StringEquals", "a", ["a"], True),
        ("StringEquals", ["b", "a"], ["a"], True),
        ("StringEquals", "a*", ["a*"], True),
        ("StringEquals", "a*", ["ab"], False),
        ("StringEquals", "a", [], False),
        ("StringEqualsIfExists", "a", [], True),
        ("StringEqualsIfExists", "a", ["b"], False),
        ("StringEqualsIgnoreCase", "A", ["a"], True),
        ("StringNotEquals", "a", ["b"], True),
        ("StringNotEquals", ["a", "b"], ["b"], False),
        ("StringNotEquals", "a", [], True),
        ("StringLike", "a*c?", ["a#bcd"], True),
        ("StringLike", "a*", ["ba"], False),
        ("StringLike", "a${*}", ["a*"], True),
        ("StringLike", "a${*}", ["ab"], False),
        ("StringNotLike", "a*", ["b"], True),
        ("ForAllValues:StringEquals", ["a", "b"], ["a", "b"], True),
        ("ForAllValues:StringEquals", ["a", "b"], ["a", "c"], False),
        ("ForAllValues:StringLike", "a#*", ["a#1", "a#2"], True),
        ("ForAllValues:StringLike", "a#*", ["a#1", "a"], False),
        ("ForAllValues:StringEquals", "a", [], True),
        ("ForAnyValue:StringEquals", "a", ["b", "a"], True),
        ("ForAnyValue:StringEquals", "a", ["b"], False),
        ("ForAnyValue:StringEquals", "a", [], False),
        ("ForAnyValue:StringNotEquals", "a", [], False),
        ("Null", "true", [], True),
        ("Null", False, [], False),
        ("Null", False, ["a"], True),
        ("Null", "true", ["a"], False),
        ("Bool", True, ["true"], True),
        ("Bool", "false", ["true"], False),
        ("StringEquals", OWN_KEY, ["USER#u1"], True),
        ("StringEquals", OWN_KEY, ["USER#u2"], False),
        ("StringLike", f"{OWN_KEY}#*", ["USER#u1#x"], True),
        ("StringEquals", "${aws:PrincipalTag/none}", [""], False),
        ("StringEquals", "${aws:PrincipalTag/none, 'a'}", ["a"], True),
        ("StringEquals", "${$}1", ["$1"], True),
        ("StringLike", "${aws:PrincipalTag/star}", ["anything"], False),
    ],
)
def test_conditions_hold_as_in_iam(
    operator: str, wanted: Any, values: list[str], holds: bool
) -> None:
    """A variable's value is never a wildcard."""
    document = _document({"Condition": {operator: {"dynamodb:LeadingKeys": wanted}}})
    access = _access(LeadingKeys=values) if values else _access()
    assert _allows(document, access, **{"aws:PrincipalTag/star": "*"}) is holds


def test_what_the_principal_brings_is_a_condition_key() -> None:
    tagged = _document({"Condition": {"StringEquals": {"aws:PrincipalTag/Team": "a"}}})
    assert _allows(tagged, _access(), **{"aws:principaltag/team": "a"})
    assert not _allows(tagged, _access())


def test_variables_need_the_version_that_has_them() -> None:
    condition = {"Condition": {"StringEquals": {"dynamodb:LeadingKeys": OWN_KEY}}}
    old = _document(condition, Version="2008-10-17")
    assert not _allows(old, _access(LeadingKeys=["USER#u1"]))
    assert _allows(old, _access(LeadingKeys=[OWN_KEY]))


def test_several_documents_are_one_policy() -> None:
    denied = _document({"Effect": "Deny", "Action": "dynamodb:DeleteItem"})
    assert _allows([_document({}), denied], _access())
    assert not _allows([_document({}), denied], _access("DeleteItem"))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ('{"Statement": []}', r"an object, not text: json.loads\(\) makes one"),
        ({"Version": "2012-10-17"}, "needs a Statement"),
        ({"Statement": 5}, "is an object, or a list of objects"),
        ({"Statement": [1]}, "is an object, or a list of objects"),
        (_document({"Condition": []}), "its Condition is no object of operators"),
        (_document({"Condition": {"StringLike": "x"}}), "its Condition is no object of operators"),
        (_document({}, Statments=[]), "has no Statments"),
        (_document({"Effect": "Permit"}), "neither Allow nor Deny"),
        (_document({"Sid": "One", "Principal": "*"}), "statement One: Principal cannot be"),
        (_document({"NotAction": "x"}), "either Action or NotAction"),
        (_document({"Action": []}), "its Action has no value"),
        (_document({"Condition": {"Null": {"aws:a": []}}}), "its aws:a has no value"),
        (_document({"Condition": {"NumericEquals": {"a": "1"}}}), "NumericEquals cannot be enf"),
        (_document({"Condition": {"ForSome:StringLike": {"a": "1"}}}), "ForSome:StringLike is no"),
    ],
)
def test_what_would_be_passed_over_is_refused(document: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Policy(document, {})
