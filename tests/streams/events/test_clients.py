"""Clients of AWS: what they need, and what their failures mean."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from botocore.stub import Stubber

from singletable.errors import UsageError
from singletable.streams.events import EventBridge, NotSent, Queue, SinkUnreachable, Topic
from singletable.streams.events.clients import Client, RequestFailed
from tests import components
from tests.streams.events.conftest import Clients
from tests.streams.events.samples import SOURCE, event


def test_declaring_a_sink_needs_no_boto3_and_sending_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    bus = EventBridge("bus", source=SOURCE)
    with pytest.raises(UsageError, match=r'pip install "singletable\[aws\]"'):
        bus.send([event()])


def test_a_client_that_cannot_be_made_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    with pytest.raises(
        UsageError, match="no client for events can be made: You must specify a reg"
    ):
        EventBridge("bus", source=SOURCE).send([event()])
    with pytest.raises(UsageError, match="no client for events can be made: Invalid endpoint"):
        EventBridge("bus", source=SOURCE, region="eu-west-1", endpoint_url="x y").send([event()])


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    "sink",
    [
        EventBridge("arn:aws:events:us-west-2:123456789012:event-bus/b", source=SOURCE),
        Topic("arn:aws:sns:us-west-2:123456789012:t", source=SOURCE),
        Queue("https://sqs.us-west-2.amazonaws.com/123456789012/q", source=SOURCE),
        EventBridge("bus", source=SOURCE, region="us-west-2"),
    ],
)
def test_the_region_is_that_of_the_address(sink: Any) -> None:
    assert sink._client._client().meta.region_name == "us-west-2"


@pytest.mark.usefixtures("aws")
def test_a_service_that_does_not_answer_is_out_of_reach(stubbed: Clients) -> None:
    import boto3
    from botocore.config import Config

    make: Any = boto3.client
    url = f"http://127.0.0.1:{components.free_port()}"
    client = make("events", endpoint_url=url, config=Config(retries={"total_max_attempts": 1}))
    with pytest.raises(SinkUnreachable, match="Could not connect"):
        EventBridge("bus", source=SOURCE, client=client).send([event()])


@pytest.mark.parametrize(
    ("code", "status", "again"),
    [
        ("AccessDeniedException", 400, True),
        ("AWS.SimpleQueueService.NonExistentQueue", 400, True),
        ("ValidationException", 400, False),
        ("ThrottlingException", 400, True),
        ("InternalException", 500, True),
    ],
)
def test_the_failure_of_a_request_tells_whether_to_try_later(
    stubbed: Clients, code: str, status: int, again: bool
) -> None:
    client = stubbed("events")
    with Stubber(client) as stubber:
        stubber.add_client_error("put_events", code, "why", status)
        with pytest.raises(RequestFailed, match="why") as caught:
            Client("events", client, None, None).call("put_events", Entries=[{"Detail": "{}"}])
    assert caught.value.again is again


def test_a_request_that_is_refused_leaves_the_others_unsent(stubbed: Clients) -> None:
    client, sent = stubbed("events"), [event(number) for number in range(11)]
    with Stubber(client) as stubber:
        stubber.add_client_error("put_events", "AccessDeniedException", "not you", 400)
        with pytest.raises(NotSent, match="not you") as caught:
            EventBridge("bus", source=SOURCE, client=client).send(sent)
    assert [failed for failed, _ in caught.value.failed] == sent
    assert isinstance(caught.value, SinkUnreachable)  # until somebody lets it in
