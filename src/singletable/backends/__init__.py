"""What can run a DynamoDB request, behind one contract.

A store asks for a ``Backend`` and is given the embedded engine, any DynamoDB client or AWS itself;
``address.connect`` makes one from a string. A backend runs a request once and as it is: pages,
retries and entities are the business of whoever asks.
"""

from typing import Any, Protocol, runtime_checkable

__all__ = ["STREAMS", "Backend"]

STREAMS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})
"""The operations of DynamoDB Streams, which for the AWS SDKs is a service with its own client."""


@runtime_checkable
class Backend(Protocol):
    """Carries out operations, named as in the API, on requests and answers in boto3's form.

    They are those of DynamoDB and of DynamoDB Streams. Threads may share a backend. It never
    changes a request, never retries one, and never lets out a client's own exceptions: what the
    service answers is a ``ServiceError``, and where no answer came, that is ``Unreachable``.
    """

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request; the answer never has ``ResponseMetadata``."""
        ...

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request; never keep the event loop waiting for a network or a disk.

        A request that is cancelled on its way may be carried out all the same.
        """
        ...

    def close(self) -> None:
        """Close what this backend opened for ``call``; never what it was given."""
        ...

    async def aclose(self) -> None:
        """Close what this backend opened for ``call`` and, in this event loop, for ``acall``."""
        ...
