"""Sending to AWS: up to ten events a request, and those that were not taken again.

An order that a service keeps is kept here, too: no request has two events of one group, and those
that follow one that could not be sent are held back. So a group of many events costs a request for
each of them.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, ClassVar, Final, TypedDict, Unpack

from singletable.store.retries import Retries

from .clients import Client, RequestFailed
from .envelope import checked_source
from .event import Event, NotSent, SinkUnreachable

COUNT_MAX: Final = 10
"""Events in a request, of all three services."""
_REGION: Final = re.compile(r"arn:[^:]*:[^:]*:([^:]+):|https://sqs\.([a-z0-9-]+)\.amazonaws\.")
HELD: Final = "it was held back, as one before it in its group was not sent"


@dataclass(frozen=True, slots=True)
class Entry:
    """An event as a service is sent it."""

    number: int
    event: Event
    content: dict[str, Any]
    size_bytes: int
    group: str = ""
    """Within what the service keeps the order; empty if it keeps none."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An entry that was not taken; ``again`` tells that it may be later."""

    entry: Entry
    reason: str
    again: bool = False


class Options(TypedDict, total=False):
    """What every sink of AWS may be told."""

    client: Any
    """A boto3 client of the service, used as it is; one is made otherwise."""
    region: str | None
    """Where it is; by default what the address says, or boto3's own configuration."""
    endpoint_url: str | None
    retries: Retries
    """How often an event is sent that the service did not take for now."""
    size_bytes_max: int
    """How large a request may be, and so an event, where it is not the service's default."""


class AwsSink(ABC):
    """Sends events to one of AWS's services; nothing is imported or connected before that."""

    service: ClassVar[str]
    size_bytes_max: int

    def __init__(self, address: str, *, source: str, **options: Unpack[Options]) -> None:
        self.address = address
        self.source = checked_source(source)
        self.size_bytes_max = options.get("size_bytes_max", self.size_bytes_max)
        self._retries = options.get("retries", Retries())
        region = options.get("region") or _region(address)
        self._client = Client(
            self.service, options.get("client"), region, options.get("endpoint_url")
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r})"

    def send(self, events: Sequence[Event], /) -> None:
        """Send events in order; raise ``NotSent`` after the others were sent."""
        entries = [self._entry(number, event) for number, event in enumerate(events)]
        refusals = list(self._refusals(entries))
        if refusals:
            refusals.sort(key=lambda refusal: refusal.entry.number)
            failed = [(refusal.entry.event, refusal.reason) for refusal in refusals]
            passing = any(refusal.again for refusal in refusals)
            raise (SinkUnreachable if passing else NotSent).to(self, failed)

    @abstractmethod
    def _entry(self, number: int, event: Event) -> Entry:
        """Write an event as the service is sent it."""

    @abstractmethod
    def _request(self, entries: Sequence[Entry]) -> Iterable[Refusal]:
        """Send one request; tell what was not taken."""

    def _refusals(self, entries: Sequence[Entry]) -> Iterator[Refusal]:
        """Send all; tell what was not taken in the end. A request that fails is the last one."""
        held: set[str] = set()
        requests = batches(entries, self.size_bytes_max)
        for batch in requests:
            refused = [Refusal(entry, HELD) for entry in batch if entry.group in held]
            ready = [entry for entry in batch if entry.group not in held]
            try:
                refused += self._put(ready)
            except RequestFailed as failure:
                rest = (*ready, *chain.from_iterable(requests))
                refused += (Refusal(entry, str(failure), failure.again) for entry in rest)
            held |= {refusal.entry.group for refusal in refused} - {""}
            yield from refused

    def _put(self, entries: Sequence[Entry]) -> list[Refusal]:
        """Send one batch, and what was not taken again; give what never was."""
        if not entries:
            return []
        if entries[0].size_bytes > self.size_bytes_max:  # it is alone in its batch
            return [self._too_large(entries[0])]
        final: list[Refusal] = []
        for attempt in count(1):
            refused = list(self._request(entries))
            final += (refusal for refusal in refused if not refusal.again)
            passing = [refusal for refusal in refused if refusal.again]
            if not passing or attempt >= self._retries.attempts:
                break
            time.sleep(self._retries.delay(attempt))
            entries = [refusal.entry for refusal in passing]
        return final + passing

    def _too_large(self, entry: Entry) -> Refusal:
        return Refusal(
            entry,
            f"it has {entry.size_bytes:,} bytes where at most {self.size_bytes_max:,} are taken: "
            "send the key, and have the receiver read the item",
        )


def batches(entries: Iterable[Entry], size_bytes_max: int) -> Iterator[list[Entry]]:
    """Divide entries into requests: within the limits, and with no two of one group."""
    batch: list[Entry] = []
    for entry in entries:
        size = sum(each.size_bytes for each in batch) + entry.size_bytes
        repeated = entry.group and entry.group in {each.group for each in batch}
        if batch and (len(batch) == COUNT_MAX or size > size_bytes_max or repeated):
            yield batch
            batch = []
        batch.append(entry)
    if batch:
        yield batch


def _region(address: str) -> str | None:
    """Give the region that an ARN or the URL of a queue names."""
    found = _REGION.match(address)
    return found and (found[1] or found[2])
