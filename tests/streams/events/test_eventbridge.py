"""EventBridge: a rule brings what was sent to a queue; failures of entries are a Stubber's.

The emulator refuses no entry that is well formed, and never throttles.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from botocore.stub import ANY, Stubber

from singletable.streams.events import EventBridge, NotSent, SinkUnreachable
from tests.streams.events.conftest import Clients
from tests.streams.events.samples import AT_ONCE, SOURCE, enveloped, event

TAKEN = {"EventId": "1"}
THROTTLED = {"ErrorCode": "ThrottlingException", "ErrorMessage": "slower"}
MALFORMED = {"ErrorCode": "MalformedDetail", "ErrorMessage": "no"}


def _bus(clients: Clients, pattern: dict[str, Any]) -> tuple[str, str]:
    """Make a bus with a rule that brings events to a queue; give their names."""
    name = f"bus-{uuid4().hex}"
    url = clients("sqs").create_queue(QueueName=name)["QueueUrl"]
    asked = clients("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    clients("events").create_event_bus(Name=name)
    clients("events").put_rule(Name="all", EventBusName=name, EventPattern=json.dumps(pattern))
    target = {"Id": "queue", "Arn": asked["Attributes"]["QueueArn"]}
    clients("events").put_targets(Rule="all", EventBusName=name, Targets=[target])
    return name, url


def _received(clients: Clients, url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        answer = clients("sqs").receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=3600
        )
        if not answer.get("Messages"):
            return found
        found += (json.loads(message["Body"]) for message in answer["Messages"])


def test_events_arrive_with_their_envelope_as_detail(clients: Clients, emulator: str) -> None:
    name, url = _bus(clients, {"source": [SOURCE]})
    sent = [event(number) for number in range(23)]
    EventBridge(name, source=SOURCE, endpoint_url=emulator).send(sent)
    received = sorted(_received(clients, url), key=lambda one: one["detail"]["data"]["number"])
    assert [one["detail"] for one in received] == [enveloped(each) for each in sent]
    assert {(one["source"], one["detail-type"], one["time"]) for one in received} == {
        (SOURCE, "ChapterPublished", "2026-03-14T15:09:26Z")
    }


def test_a_rule_can_look_into_the_detail(clients: Clients, emulator: str) -> None:
    name, url = _bus(clients, {"detail": {"data": {"story_id": ["wanted"]}}})
    sent = [event(1, story_id="wanted"), event(2, story_id="other")]
    EventBridge(name, source=SOURCE, client=clients("events")).send(sent)
    assert [one["detail"]["id"] for one in _received(clients, url)] == [sent[0].id]


def _answered(client: Any, *results: list[dict[str, str]]) -> Stubber:
    stubber = Stubber(client)
    for entries in results:
        failed = sum("ErrorCode" in entry for entry in entries)
        answer = {"FailedEntryCount": failed, "Entries": entries}
        stubber.add_response("put_events", answer, {"Entries": [ANY] * len(entries)})
    stubber.activate()
    return stubber


def test_only_entries_that_were_throttled_are_sent_again(stubbed: Clients) -> None:
    client = stubbed("events")
    internal = {"ErrorCode": "InternalFailure"}
    stubber = _answered(client, [TAKEN, THROTTLED, internal], [TAKEN, THROTTLED], [TAKEN])
    bus = EventBridge("bus", source=SOURCE, client=client, retries=AT_ONCE)
    bus.send([event(1), event(2), event(3)])
    stubber.assert_no_pending_responses()


def test_entries_that_are_refused_for_good_are_named_at_once(stubbed: Clients) -> None:
    client, sent = stubbed("events"), [event(1), event(2)]
    stubber = _answered(client, [MALFORMED, TAKEN])
    with pytest.raises(NotSent, match=r"EventBridge\('bus'\) was not sent .*MalformedDetail") as e:
        EventBridge("bus", source=SOURCE, client=client).send(sent)
    assert e.value.failed == [(sent[0], "MalformedDetail: no")]
    assert not isinstance(e.value, SinkUnreachable)
    stubber.assert_no_pending_responses()


def test_a_bus_that_goes_on_throttling_is_out_of_reach(stubbed: Clients) -> None:
    client, sent = stubbed("events"), [event(1), event(2)]
    stubber = _answered(client, [THROTTLED, MALFORMED], [THROTTLED], [THROTTLED])
    with pytest.raises(SinkUnreachable) as caught:
        EventBridge("bus", source=SOURCE, client=client, retries=AT_ONCE).send(sent)
    assert caught.value.failed == [
        (sent[0], "ThrottlingException: slower"),
        (sent[1], "MalformedDetail: no"),
    ]
    stubber.assert_no_pending_responses()


def test_the_size_is_counted_as_the_service_counts_it(stubbed: Clients) -> None:
    """Source, detail type and detail in UTF-8, and 14 bytes for the time."""
    bus = EventBridge("bus", source=SOURCE, client=stubbed("events"))
    entry = bus._entry(0, event(1, title="Żółw"))
    counted = SOURCE + "ChapterPublished" + entry.content["Detail"]
    assert entry.size_bytes == len(counted.encode()) + 14
    assert bus.size_bytes_max == 1_000_000
