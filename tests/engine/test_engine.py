"""The engine as its users hold it: files, forks, errors, paginators, waiters, JSON."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import orjson
import pytest
from botocore.exceptions import ClientError, WaiterError

from singletable.backends.boto3 import client as in_process
from singletable.engine import Engine
from singletable.errors import ServiceError, SingletableError
from tests.engine.support import create, keys, put


def test_what_is_written_to_a_file_is_there_again(tmp_path: Path) -> None:
    with Engine(tmp_path / "kept.db") as engine:
        create(engine)
        put(engine, "things", "a")
    with Engine(tmp_path / "kept.db") as engine:
        assert keys(engine, "things") == {"a"}
        assert repr(engine) == f"Engine({str(tmp_path / 'kept.db')!r})"


def test_memory_is_no_path_or_its_name_in_sqlite() -> None:
    with Engine(":memory:") as engine:
        create(engine)
        put(engine, "things", "a")
        assert keys(engine, "things") == {"a"}
    with pytest.raises(ValueError, match="the path is empty"):
        Engine("")


def test_a_fork_and_its_origin_go_their_own_ways(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a")
    with engine.fork() as fork:
        put(fork, "things", "b")
        put(engine, "things", "c")
        assert keys(fork, "things") == {"a", "b"}
    assert keys(engine, "things") == {"a", "c"}


@pytest.mark.parametrize("carry", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_cannot_be_carried_elsewhere_says_what_can(
    engine: Engine, carry: Callable[[Engine], object]
) -> None:
    """As when it is an argument of a process that multiprocessing spawns."""
    with pytest.raises(TypeError, match=r"fork\(\) makes a copy.*each process opens the file"):
        carry(engine)


def test_an_engine_is_shown_by_its_file(engine: Engine) -> None:
    assert repr(engine) == "Engine(':memory:')"
    assert repr(engine.as_role([])) == "Engine(':memory:')"


def test_a_closed_engine_says_so() -> None:
    engine = Engine()
    engine.close()
    with pytest.raises(SingletableError, match="closed"):
        engine.list_tables()


def test_a_write_that_fails_at_its_start_leaves_the_way_free_for_others(tmp_path: Path) -> None:
    times: list[float] = [0.0] * 100

    with Engine(tmp_path / "kept.db", clock=times.pop, ttl_interval=None) as engine:
        create(engine)
        remaining = list(times)
        times.clear()
        with pytest.raises(IndexError):
            put(engine, "things", "a")
        times.extend(remaining)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(put, engine, "things", "b").result(timeout=60)
        assert keys(engine, "things") == {"b"}


def test_partiql_is_imported_only_when_a_statement_comes() -> None:
    program = (
        "import sys\n"
        "from singletable.engine import Engine\n"
        "parser = 'singletable.engine.partiql.parser'\n"
        "engine = Engine(ttl_interval=None)\n"
        "assert parser not in sys.modules\n"
        "try:\n"
        "    engine.execute_statement(Statement='SELECT * FROM things')\n"
        "except engine.exceptions.ResourceNotFoundException:\n"
        "    assert parser in sys.modules\n"
        "    print('imported')\n"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "imported\n"


def test_errors_are_caught_as_boto3_users_catch_them(engine: Engine) -> None:
    with pytest.raises(ClientError) as caught:
        engine.describe_table(TableName="nothing")
    error = caught.value
    assert isinstance(error, engine.exceptions.ResourceNotFoundException)
    assert error.response["Error"]["Code"] == "ResourceNotFoundException"
    assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert error.response["ResponseMetadata"]["RequestId"]
    assert error.operation_name == "DescribeTable"


def test_a_table_that_is_not_there_is_named_beside_the_words_of_the_service(tmp_path: Path) -> None:
    with Engine(tmp_path / "shop.db") as engine:
        with pytest.raises(ServiceError) as caught:
            engine.get_item(TableName="things", Key={"pk": {"S": "a"}})
        assert caught.value.message == "Requested resource not found"
        assert caught.value.__notes__ == [f"the database {tmp_path}/shop.db has no table 'things'"]


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ({"pk": {"N": "1"}}, "{'pk': {'N': '1'}}"),
        ({"id": {"S": "a"}}, "{'id': {'S': 'a'}}"),
        ({"pk": {"S": "a"}, "id": {"S": "b"}}, "{'id': {'S': 'b'}, 'pk': {'S': 'a'}}"),
    ],
)
def test_a_key_that_does_not_fit_is_noted_with_what_fits(
    engine: Engine, key: dict[str, Any], shown: str
) -> None:
    create(engine)
    with pytest.raises(ServiceError) as caught:
        engine.get_item(TableName="things", Key=key)
    assert caught.value.message == "The provided key element does not match the schema"
    assert caught.value.__notes__ == [f"the key must be pk (S), and is {shown}"]


def test_what_a_batch_cannot_put_is_noted_too(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ServiceError) as caught:
        engine.batch_write_item(RequestItems={"things": [{"PutRequest": {"Item": {}}}]})
    assert caught.value.message == "The provided key element does not match the schema"
    assert caught.value.__notes__ == [
        "One or more parameter values were invalid: Missing the key pk in the item"
    ]


@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_there_are_the_exceptions_of_boto3(engine: Engine, service: str) -> None:
    model = botocore.session.get_session().get_service_model(service)
    for name in (shape.name for shape in model.error_shapes):
        assert engine.exceptions.from_code(name) is getattr(engine.exceptions, name)
    assert engine.exceptions.from_code("Unheard") is engine.exceptions.ClientError


def test_it_tells_where_it_is_as_a_client_of_boto3_does() -> None:
    with Engine(region="eu-west-1") as engine:
        theirs, ours = in_process(engine).meta, engine.meta
        assert (ours.region_name, ours.endpoint_url) == (theirs.region_name, theirs.endpoint_url)
        assert ours.region_name == "eu-west-1"


def test_errors_survive_pickling(engine: Engine) -> None:
    with pytest.raises(ServiceError) as caught:
        engine.describe_table(TableName="nothing")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 # our own bytes
    assert isinstance(again, engine.exceptions.ResourceNotFoundException)
    assert (again.message, again.operation_name) == (caught.value.message, "DescribeTable")
    assert again.response == caught.value.response


def test_an_unknown_operation_is_named(engine: Engine) -> None:
    with pytest.raises(ServiceError, match="MakeCoffee"):
        engine.call("MakeCoffee", {})


def test_a_paginator_goes_through_all_pages(engine: Engine) -> None:
    create(engine)
    put(engine, "things", *"abcde")
    pages = list(
        engine.get_paginator("scan").paginate(TableName="things", PaginationConfig={"PageSize": 2})
    )
    assert [page["Count"] for page in pages] == [2, 2, 1]
    assert {item["pk"]["S"] for page in pages for item in page["Items"]} == set("abcde")


def test_a_paginator_stops_at_the_most_items_asked_for(engine: Engine) -> None:
    create(engine)
    put(engine, "things", *"abcde")
    settings = {"PageSize": 2, "MaxItems": 3}
    pages = engine.get_paginator("scan").paginate(TableName="things", PaginationConfig=settings)
    assert [len(page["Items"]) for page in pages] == [2, 1]
    assert len(pages.build_full_result()["Items"]) == 3
    with pytest.raises(TypeError, match="PageSizes"):
        engine.get_paginator("scan").paginate(PaginationConfig={"PageSizes": 1})
    with pytest.raises(TypeError, match="PageSize"):
        engine.get_paginator("list_tags_of_resource").paginate(PaginationConfig={"PageSize": 1})


def test_a_paginator_goes_on_from_a_token(engine: Engine) -> None:
    engine.create_table(
        TableName="things",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "B"}],
        BillingMode="PAY_PER_REQUEST",
    )
    for number in range(5):
        engine.put_item(TableName="things", Item={"pk": {"B": bytes([number])}})
    found: set[bytes] = set()
    token: dict[str, str | None] = {}
    for more in (True, True, False):
        whole = (
            engine.get_paginator("scan")
            .paginate(TableName="things", PaginationConfig={"PageSize": 3, "MaxItems": 2} | token)
            .build_full_result()
        )
        found |= {item["pk"]["B"] for item in whole["Items"]}
        assert ("NextToken" in whole) is more
        token = {"StartingToken": whole.get("NextToken")}
    assert found == {bytes([number]) for number in range(5)}
    names = engine.get_paginator("list_tables").paginate(PaginationConfig={"MaxItems": 0})
    token = {"StartingToken": names.build_full_result()["NextToken"]}
    rest = engine.get_paginator("list_tables").paginate(PaginationConfig=token)
    assert rest.build_full_result() == {"TableNames": ["things"]}


@pytest.mark.parametrize("token", ["mine", "bWluZQ==", "W10=", "e30="])
def test_a_token_is_one_that_was_given(engine: Engine, token: str) -> None:
    with pytest.raises(ValueError, match="is not the NextToken"):
        engine.get_paginator("scan").paginate(PaginationConfig={"StartingToken": token})


def test_a_method_without_pages_has_no_paginator(engine: Engine) -> None:
    assert engine.can_paginate("scan")
    assert not engine.can_paginate("put_item")
    with pytest.raises(ValueError, match="put_item has no pages"):
        engine.get_paginator("put_item")


def test_waiters_know_whether_a_table_is_there(engine: Engine) -> None:
    create(engine)
    engine.get_waiter("table_exists").wait(TableName="things")
    engine.get_waiter("table_not_exists").wait(TableName="nothing")
    with pytest.raises(WaiterError, match="Waiter TableExists failed: An error") as caught:
        engine.get_waiter("table_exists").wait(TableName="nothing")
    assert caught.value.last_response["Error"]["Code"] == "ResourceNotFoundException"
    with pytest.raises(WaiterError, match="Waiter TableNotExists failed: Max") as caught:
        engine.get_waiter("table_not_exists").wait(TableName="things")
    answered: Any = caught.value.last_response
    assert answered["Table"]["TableName"] == "things"
    with pytest.raises(WaiterError, match="ValidationException"):
        engine.get_waiter("table_not_exists").wait(TableName="?")
    with pytest.raises(ValueError, match="no waiter coffee"):
        engine.get_waiter("coffee")


def test_waiters_know_the_settings_of_a_table(engine: Engine) -> None:
    create(engine)
    insights = engine.get_waiter("contributor_insights_enabled")
    destination = engine.get_waiter("kinesis_streaming_destination_active")
    for waiter in (insights, destination):
        with pytest.raises(WaiterError):
            waiter.wait(TableName="things")
    engine.update_contributor_insights(TableName="things", ContributorInsightsAction="ENABLE")
    stream = "arn:aws:kinesis:us-east-1:000000000000:stream/things"
    engine.enable_kinesis_streaming_destination(TableName="things", StreamArn=stream)
    for waiter in (insights, destination):
        waiter.wait(TableName="things", WaiterConfig={"Delay": 1})


def test_there_are_the_waiters_of_boto3(engine: Engine) -> None:
    names = boto3.client("dynamodb", region_name="us-east-1").waiter_names
    assert "table_exists" in names
    for name in names:
        engine.get_waiter(name)


def test_json_has_base64_and_seconds_where_python_has_bytes_and_times(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a", blob={"B": b"\x00\xff"})
    request = orjson.dumps({"TableName": "things", "Key": {"pk": {"S": "a"}}})
    item = orjson.loads(engine.call_json("GetItem", request))["Item"]
    assert item == {"pk": {"S": "a"}, "blob": {"B": "AP8="}}
    table = orjson.loads(engine.call_json("DescribeTable", b'{"TableName": "things"}'))["Table"]
    assert table["CreationDateTime"] == 1_700_000_000.0


def test_an_answer_may_be_changed_without_changing_the_item(engine: Engine) -> None:
    create(engine)
    tags = {"L": [{"S": "x"}]}
    put(engine, "things", "a", tags=tags)
    tags["L"].clear()
    request = {"TableName": "things", "Key": {"pk": {"S": "a"}}}
    engine.get_item(**request)["Item"]["tags"]["L"].clear()
    assert engine.get_item(**request)["Item"]["tags"] == {"L": [{"S": "x"}]}
