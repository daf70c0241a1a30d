"""Events that go out: what a handler tells others, and where it goes.

``event`` is the seam. A sink sends: ``eventbridge``, ``messages`` (SNS and SQS), both in
``batches`` of AWS's size, and ``webhook``, which posts what ``signatures`` sign. All events travel
in one ``envelope``. Sinks are imported when they are named: a function in Lambda that sends nothing
loads no HTTP.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .event import Event, NotSent, Sink, SinkUnreachable

if TYPE_CHECKING:
    from .eventbridge import EventBridge
    from .messages import Queue, Topic
    from .signatures import NotAuthentic, new_secret, verify
    from .webhook import Webhook

_HOMES = {
    "EventBridge": "eventbridge",
    "NotAuthentic": "signatures",
    "Queue": "messages",
    "Topic": "messages",
    "Webhook": "webhook",
    "new_secret": "signatures",
    "verify": "signatures",
}

__all__ = [
    "Event",
    "EventBridge",
    "NotAuthentic",
    "NotSent",
    "Queue",
    "Sink",
    "SinkUnreachable",
    "Topic",
    "Webhook",
    "new_secret",
    "verify",
]


if not TYPE_CHECKING:  # or a checker would take every misspelt name for an object

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
