"""What can run a DynamoDB request, behind one contract.

An engine is a backend as it is; whoever needs nothing but requests run asks for a ``Backend``
and can be given the embedded engine, or anything else that answers alike.
"""

from typing import Any, Protocol

__all__ = ["Backend"]


class Backend(Protocol):
    """Carries out operations, named as in the API, on requests and answers in boto3's form."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request, or raise a ``ServiceError``."""
        ...
