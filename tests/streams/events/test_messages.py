"""Topics and queues, with an emulator; failures of single messages are a Stubber's.

The emulator takes every message of a batch, or none.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from botocore.stub import ANY, Stubber

from singletable.errors import UsageError
from singletable.streams.events import Event, NotSent, Queue, SinkUnreachable, Topic
from singletable.streams.events.batches import HELD
from tests.streams.events.conftest import Clients
from tests.streams.events.samples import AT_ONCE, SOURCE, enveloped, event

ARN = "arn:aws:sns:eu-west-1:123456789012:stories"
URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/stories"


def _queue(clients: Clients, *, fifo: bool = False) -> str:
    name, attributes = f"queue-{uuid4().hex}", {}
    if fifo:
        name, attributes = f"{name}.fifo", {"FifoQueue": "true"}
    made = clients("sqs").create_queue(QueueName=name, Attributes=attributes)
    return str(made["QueueUrl"])


def _topic(clients: Clients, url: str, **subscription: str) -> str:
    """Make a topic to which a queue is subscribed, both FIFO if the queue is."""
    name, attributes = f"topic-{uuid4().hex}", {}
    if url.endswith(".fifo"):
        name, attributes = f"{name}.fifo", {"FifoTopic": "true"}
    arn = clients("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"]
    asked = clients("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    clients("sns").subscribe(
        TopicArn=arn,
        Protocol="sqs",
        Endpoint=asked["Attributes"]["QueueArn"],
        Attributes={"RawMessageDelivery": "true", **subscription},
    )
    return str(arn)


def _received(clients: Clients, url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        answer = clients("sqs").receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=10,
            MessageAttributeNames=["All"],
            AttributeNames=["All"],
        )
        messages = answer.get("Messages", ())
        if not messages:
            return found
        found += messages
        for message in messages:  # of a group, a FIFO queue gives no more before that
            handle = message["ReceiptHandle"]
            clients("sqs").delete_message(QueueUrl=url, ReceiptHandle=handle)


def _bodies(received: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [json.loads(message["Body"]) for message in received]


def _attributes(message: dict[str, Any]) -> dict[str, str]:
    return {name: told["StringValue"] for name, told in message["MessageAttributes"].items()}


def test_a_queue_is_given_envelopes_and_attributes(clients: Clients, emulator: str) -> None:
    url, sent = _queue(clients), [event(number, title="Żółw\ufffe") for number in range(23)]
    Queue(url, source=SOURCE, endpoint_url=emulator).send(sent)
    received = _received(clients, url)
    told = sorted(_bodies(received), key=lambda body: int(body["id"].rpartition("-")[2]))
    assert told == [enveloped(each) for each in sent]
    for message in received:
        body = json.loads(message["Body"])
        assert _attributes(message) == {
            "type": "ChapterPublished",
            "id": body["id"],
            "source": SOURCE,
        }


def test_a_fifo_queue_keeps_the_order_and_takes_an_event_once(
    clients: Clients, emulator: str
) -> None:
    url = _queue(clients, fifo=True)
    sent = [event(number, subject=f"Chapter.key(id={number % 3})") for number in range(20)]
    queue = Queue(url, source=SOURCE, endpoint_url=emulator)
    queue.send(sent)
    queue.send(sent[5:])
    received = _received(clients, url)
    bodies = _bodies(received)
    assert len(bodies) == 20
    for subject in {each.subject for each in sent}:
        numbers = [body["data"]["number"] for body in bodies if body["subject"] == subject]
        assert numbers == [each.detail["number"] for each in sent if each.subject == subject]
    told = {message["Attributes"]["MessageDeduplicationId"] for message in received}
    assert told == {each.id for each in sent}
    assert len({message["Attributes"]["MessageGroupId"] for message in received}) == 3


def test_a_topic_brings_them_to_who_is_subscribed(clients: Clients, emulator: str) -> None:
    url, sent = _queue(clients), [event(number) for number in range(12)]
    Topic(_topic(clients, url), source=SOURCE, endpoint_url=emulator).send(sent)
    told = sorted(_bodies(_received(clients, url)), key=lambda body: body["data"]["number"])
    assert told == [enveloped(each) for each in sent]


def test_a_subscription_can_filter_by_the_name(clients: Clients, emulator: str) -> None:
    url = _queue(clients)
    arn = _topic(clients, url, FilterPolicy=json.dumps({"type": ["ChapterPublished"]}))
    other = replace(event(2), name="ChapterWithdrawn")
    Topic(arn, source=SOURCE, client=clients("sns")).send([event(1), other])
    (message,) = _received(clients, url)
    assert _attributes(message)["id"] == event(1).id


def test_a_fifo_topic_keeps_the_order_and_takes_an_event_once(
    clients: Clients, emulator: str
) -> None:
    url = _queue(clients, fifo=True)
    topic = Topic(_topic(clients, url), source=SOURCE, endpoint_url=emulator)
    sent = [replace(event(number), group="one story") for number in range(6)]
    topic.send(sent)
    topic.send(sent)
    assert _bodies(_received(clients, url)) == [enveloped(each) for each in sent]


def test_the_largest_message_of_a_queue_is_taken_and_a_larger_one_named(
    clients: Clients, emulator: str
) -> None:
    url = _queue(clients)
    queue = Queue(url, source=SOURCE, endpoint_url=emulator)
    room = queue.size_bytes_max - queue._entry(0, event(1, text="")).size_bytes
    fits, exceeds = event(1, text="x" * room), event(2, text="x" * (room + 1))
    with pytest.raises(NotSent, match="it has 1,048,577 bytes where at most 1,048,576") as caught:
        queue.send([exceeds, fits, event(3)])
    assert [failed for failed, _ in caught.value.failed] == [exceeds]
    assert {body["id"] for body in _bodies(_received(clients, url))} == {fits.id, event(3).id}


def test_the_largest_message_of_a_topic_is_taken(clients: Clients, emulator: str) -> None:
    url = _queue(clients)
    topic = Topic(_topic(clients, url), source=SOURCE, endpoint_url=emulator)
    room = topic.size_bytes_max - topic._entry(0, event(1, text="")).size_bytes
    topic.send([event(1, text="x" * room), event(2)])
    assert len(_received(clients, url)) == 2
    with pytest.raises(NotSent, match="at most 262,144"):
        topic.send([event(3, text="x" * (room + 1))])


def test_a_queue_that_is_not_there_takes_nothing(clients: Clients, emulator: str) -> None:
    queue = Queue(f"{_queue(clients)}-not", source=SOURCE, endpoint_url=emulator)
    sent = [event(number) for number in range(11)]
    with pytest.raises(NotSent, match="NonExistentQueue") as caught:
        queue.send(sent)
    assert [failed for failed, _ in caught.value.failed] == sent
    assert isinstance(caught.value, SinkUnreachable)  # until somebody makes it


class _Same(dict[str, Any]):
    """Equal to an entry with this id."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and other["Id"] == self["Id"]

    __hash__ = None  # as a dict has none


def _expect(stubber: Stubber, numbers: list[int], *failed: tuple[str, bool, int]) -> None:
    """Expect a batch of these events; fail some by code, fault and number."""
    answer = {
        "Successful": [],
        "Failed": [
            {"Id": str(number), "Code": code, "Message": "why", "SenderFault": fault}
            for code, fault, number in failed
        ],
    }
    entries = [_Same(Id=str(number)) for number in numbers]
    stubber.add_response("send_message_batch", answer, {"QueueUrl": ANY, "Entries": entries})


def test_messages_that_failed_through_no_fault_of_theirs_are_sent_again(stubbed: Clients) -> None:
    client, sent = stubbed("sqs"), [event(number) for number in range(12)]
    with Stubber(client) as stubber:
        failures = ("InternalError", False, 3), ("RequestThrottled", True, 4), ("Bad", True, 5)
        _expect(stubber, list(range(10)), *failures)
        _expect(stubber, [3, 4], ("InternalError", False, 3))
        _expect(stubber, [3])
        _expect(stubber, [10, 11])
        with pytest.raises(NotSent) as caught:
            Queue(URL, source=SOURCE, client=client, retries=AT_ONCE).send(sent)
        stubber.assert_no_pending_responses()
    assert caught.value.failed == [(sent[5], "Bad: why")]


def test_what_follows_a_failure_in_its_group_is_held_back(stubbed: Clients) -> None:
    client = stubbed("sqs")
    sent = [event(number, subject="AAABBAB"[number]) for number in range(7)]
    with Stubber(client) as stubber:
        _expect(stubber, [0])
        _expect(stubber, [1], ("Bad", True, 1))
        _expect(stubber, [3])
        _expect(stubber, [4])
        _expect(stubber, [6])
        with pytest.raises(NotSent) as caught:
            Queue(f"{URL}.fifo", source=SOURCE, client=client).send(sent)
        stubber.assert_no_pending_responses()
    assert caught.value.failed == [(sent[1], "Bad: why"), (sent[2], HELD), (sent[5], HELD)]


def test_what_follows_an_event_that_is_too_large_is_held_back(stubbed: Clients) -> None:
    client = stubbed("sqs")
    sent = [event(0, subject="A"), event(1, subject="A", text="x" * 2000), event(2, subject="A")]
    with Stubber(client) as stubber:
        _expect(stubber, [0])
        queue = Queue(f"{URL}.fifo", source=SOURCE, client=client, size_bytes_max=1000)
        with pytest.raises(NotSent) as caught:
            queue.send(sent)
        stubber.assert_no_pending_responses()
    assert [failed for failed, _ in caught.value.failed] == sent[1:]
    assert caught.value.failed[1][1] == HELD


def test_a_request_that_is_throttled_as_a_whole_is_the_last(stubbed: Clients) -> None:
    client, sent = stubbed("sns"), [event(number) for number in range(25)]
    with Stubber(client) as stubber:
        stubber.add_response("publish_batch", {"Successful": [], "Failed": []})
        stubber.add_client_error("publish_batch", "ThrottledException", "slower", 400)
        with pytest.raises(SinkUnreachable, match="slower") as caught:
            Topic(ARN, source=SOURCE, client=client).send(sent)
    assert [failed for failed, _ in caught.value.failed] == sent[10:]


def test_addresses_are_of_the_right_kind() -> None:
    with pytest.raises(UsageError, match="'stories' is no topic: it is named by its ARN"):
        Topic("stories", source=SOURCE)
    with pytest.raises(UsageError, match="'stories' is no queue: it is named by its URL"):
        Queue("stories", source=SOURCE)


def test_fifo_needs_something_to_keep_the_order_within(stubbed: Clients) -> None:
    queue = Queue(f"{URL}.fifo", source=SOURCE, client=stubbed("sqs"))
    with pytest.raises(UsageError, match="Event 'BookOut' has neither subject nor group"):
        queue.send([event(1), Event("BookOut", id="1")])


def test_nothing_is_sent_for_no_events(stubbed: Clients) -> None:
    client = stubbed("sqs")
    with Stubber(client):  # which would refuse any request
        Queue(URL, source=SOURCE, client=client).send([])
