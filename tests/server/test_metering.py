"""The server tells at its end which keys were hot."""

import signal

from tests.server.conftest import TABLE
from tests.server.support import connect
from tests.server.test_run import process


def test_the_command_prints_what_a_meter_counted() -> None:
    with process("--memory", "--meter", "--hardship", "limits=true") as (server, url):
        client = connect(url)
        client.create_table(**TABLE)
        for key in ("a", "b", "b"):
            client.put_item(TableName="Music", Item={"pk": {"S": key}})
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0
        assert server.stdout
        head, hottest, _ = server.stdout.read().splitlines()
    assert head.startswith("key  where  share")
    assert hottest.split()[:5] == ["b", "Music", "67%", "0", "2"]
