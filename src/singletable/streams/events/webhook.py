"""Events to a webhook: one signed POST each, tried again while that may help."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException
from itertools import count
from ssl import SSLContext
from typing import Final

from singletable.store.retries import Retries

from .envelope import checked_source, envelope, token
from .event import Event, NotSent, SinkUnreachable
from .posting import Answer, Endpoint, NotConnected
from .signatures import ID, SIGNATURE, TIMESTAMP, keys_of, signed

CONTENT_TYPE: Final = "application/cloudevents+json; charset=utf-8"
RETRIES: Final = Retries(attempts=5, base_s=0.5, cap_s=10.0)
TIMEOUT_S: Final = 15.0
NOT_TRIED: Final = "it was not tried, as the one before it failed"

_TRIED_AGAIN: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})
# The others from 500 on may be a receiver that fails at this one event.
_NO_EVENTS_FAULT: Final = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why an event was not taken."""

    reason: str
    again: bool = False
    """It may be taken later."""
    out_of_reach: bool = False
    """It is not the fault of this event."""
    wait_s: float = 0.0
    """What the receiver asks for."""


class Webhook:
    """Posts events to a URL, signed with a secret, or with several while one is replaced.

    ``timeout_s`` holds for the connection, and again for the exchange. Requests are sent one at a
    time, in order. The URL is the developer's own: before one that a user gave is called, see that
    it does not lead into a network of your own.
    """

    def __init__(
        self,
        url: str,
        *,
        secrets: str | Sequence[str],
        source: str,
        timeout_s: float = TIMEOUT_S,
        retries: Retries = RETRIES,
        context: SSLContext | None = None,
    ) -> None:
        self.source = checked_source(source)
        self._keys = keys_of(secrets)
        self._endpoint = Endpoint(url, timeout_s, context)
        self._retries = retries

    def __repr__(self) -> str:
        return f"Webhook({self._endpoint.shown!r})"

    def send(self, events: Sequence[Event], /) -> None:
        """Post events in order; raise ``NotSent`` after the others were sent.

        After one that failed although it was tried repeatedly, the others are not tried.
        """
        letters = [(event, envelope(event, self.source).encode()) for event in events]
        failed: list[tuple[Event, str]] = []
        for number, (event, body) in enumerate(letters, 1):
            fault = self._deliver(event, body)
            if fault is None:
                continue
            failed.append((event, fault.reason))
            if fault.again:
                failed += ((later, NOT_TRIED) for later, _ in letters[number:])
                raise (SinkUnreachable if fault.out_of_reach else NotSent).to(self, failed)
        if failed:
            raise NotSent.to(self, failed)

    def close(self) -> None:
        """Close the connections that are kept open between requests."""
        self._endpoint.close()

    def _deliver(self, event: Event, body: bytes) -> _Fault | None:
        for attempt in count(1):
            fault = self._post(event, body)
            if fault is None or not fault.again or attempt >= self._retries.attempts:
                break
            if fault.wait_s > self._retries.cap_s:  # longer than a delivery should stand still
                break
            time.sleep(max(fault.wait_s, self._retries.delay(attempt)))
        return fault

    def _post(self, event: Event, body: bytes) -> _Fault | None:
        """Try once; each attempt is signed anew, as receivers refuse what was signed long ago."""
        message_id, now = token(event.id), int(time.time())
        headers = {
            "Content-Type": CONTENT_TYPE,
            "User-Agent": "singletable",
            ID: message_id,
            TIMESTAMP: str(now),
            SIGNATURE: signed(self._keys, message_id, now, body),
        }
        try:
            return _judged(self._endpoint.post(headers, body))
        except NotConnected as error:
            return _Fault(f"no connection: {error}", again=True, out_of_reach=True)
        except (OSError, HTTPException) as error:
            return _Fault(f"no answer: {str(error) or type(error).__name__}", again=True)


def _judged(answer: Answer) -> _Fault | None:
    status = answer.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    reason = f"answered {status} {' '.join(answer.text.split())[:_SHOWN]}".rstrip()
    if status < HTTPStatus.BAD_REQUEST:
        return _Fault(f"{reason}: redirects are not followed, so give the URL that it leads to")
    if status in _TRIED_AGAIN or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _Fault(
            reason,
            again=True,
            out_of_reach=status in _NO_EVENTS_FAULT,
            wait_s=_seconds(answer.retry_after),
        )
    return _Fault(reason)


def _seconds(retry_after: str | None) -> float:
    """Read a Retry-After: a number of seconds, or a date."""
    if retry_after is None:
        return 0.0
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max(0.0, date.replace(tzinfo=date.tzinfo or UTC).timestamp() - time.time())
