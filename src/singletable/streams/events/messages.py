"""Events as messages: to topics of SNS and queues of SQS, whose batches are alike.

The body is the envelope. Name, id and source stand beside it as attributes, which filter policies
and consumers can read without the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Unpack

from singletable.errors import UsageError

from .batches import AwsSink, Entry, Options, Refusal
from .clients import THROTTLED
from .envelope import envelope, token
from .event import Event

TOPIC_SIZE_BYTES_MAX: Final = 256 * 1024
"""Unless the topic's MaximumMessageSize says otherwise, up to that of a queue."""
QUEUE_SIZE_BYTES_MAX: Final = 1024 * 1024


class _Messages(AwsSink):
    """Sends events as messages; where the address ends with ".fifo", in order."""

    body: ClassVar[str]

    def _entry(self, number: int, event: Event) -> Entry:
        written = envelope(event, self.source)
        attributes = {"type": event.name, "id": event.id, "source": self.source}
        content: dict[str, Any] = {
            "Id": str(number),
            self.body: written,
            "MessageAttributes": {
                name: {"DataType": "String", "StringValue": value}
                for name, value in attributes.items()
            },
        }
        size = len(written.encode()) + sum(
            len(f"{name}String{value}".encode()) for name, value in attributes.items()
        )
        if not self.address.endswith(".fifo"):
            return Entry(number, event, content, size)
        group = self._group(event)
        content |= {"MessageGroupId": group, "MessageDeduplicationId": token(event.id)}
        return Entry(number, event, content, size, group)

    def _group(self, event: Event) -> str:
        group = event.group or event.subject
        if not group:
            raise UsageError(
                f"Event {event.name!r} has neither subject nor group, within which {self!r} would "
                "keep its order: return it from a handler, or give it one: Event(…, group=…)"
            )
        return token(group)

    def _told(self, answer: dict[str, Any], entries: Sequence[Entry]) -> Iterator[Refusal]:
        by_id = {entry.content["Id"]: entry for entry in entries}
        for failed in answer.get("Failed", ()):
            code = failed.get("Code", "")
            again = code in THROTTLED or not failed.get("SenderFault", False)
            yield Refusal(by_id[failed["Id"]], f"{code}: {failed.get('Message', '')}", again)


class Topic(_Messages):
    """Sends events to a topic of SNS, which is named by its ARN.

    A topic of which MaximumMessageSize was raised takes larger events: ``size_bytes_max`` says so.
    """

    service = "sns"
    size_bytes_max = TOPIC_SIZE_BYTES_MAX
    body = "Message"

    def __init__(self, arn: str, *, source: str, **options: Unpack[Options]) -> None:
        if not arn.startswith("arn:"):
            raise UsageError(
                f"{arn!r} is no topic: it is named by its ARN, "
                '"arn:aws:sns:eu-west-1:123456789012:stories"'
            )
        super().__init__(arn, source=source, **options)

    def _request(self, entries: Sequence[Entry]) -> Iterator[Refusal]:
        answer = self._client.call(
            "publish_batch",
            TopicArn=self.address,
            PublishBatchRequestEntries=[entry.content for entry in entries],
        )
        return self._told(answer, entries)


class Queue(_Messages):
    """Sends events to a queue of SQS, which is named by its URL.

    A queue of which MaximumMessageSize was lowered takes no larger events: ``size_bytes_max``.
    """

    service = "sqs"
    size_bytes_max = QUEUE_SIZE_BYTES_MAX
    body = "MessageBody"

    def __init__(self, url: str, *, source: str, **options: Unpack[Options]) -> None:
        if "://" not in url:
            raise UsageError(
                f"{url!r} is no queue: it is named by its URL, "
                '"https://sqs.eu-west-1.amazonaws.com/123456789012/stories"'
            )
        super().__init__(url, source=source, **options)

    def _request(self, entries: Sequence[Entry]) -> Iterator[Refusal]:
        answer = self._client.call(
            "send_message_batch",
            QueueUrl=self.address,
            Entries=[entry.content for entry in entries],
        )
        return self._told(answer, entries)
