"""Hardships reach every SDK that is served, and an SDK goes on as it does on AWS."""

import pytest

from singletable import Hardships
from singletable.engine import Engine
from singletable.server import running
from tests.server.conftest import TABLE
from tests.server.support import connect
from tests.server.test_run import process


def test_an_sdk_tries_again_until_it_gets_through() -> None:
    hardships = Hardships(seed=1, throttled=0.3, failing=0.1)
    with Engine() as engine, running(engine.under(hardships)) as url:
        engine.call("CreateTable", TABLE)
        client = connect(url, attempts=10)
        for number in range(10):
            client.put_item(TableName="Music", Item={"pk": {"S": str(number)}})
        assert engine.call("Scan", {"TableName": "Music"})["Count"] == 10


def test_the_command_takes_hardships() -> None:
    with process("--memory", "--hardship", "throttled=1", "--hardship", "seed=7") as (_, url):
        client = connect(url)
        client.create_table(**TABLE)
        with pytest.raises(client.exceptions.ClientError, match="ThrottlingException") as caught:
            client.scan(TableName="Music")
    [reason] = caught.value.response["throttlingReasons"]
    assert reason["reason"] == "TableReadKeyRangeThroughputExceeded"
