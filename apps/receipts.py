"""Receipts of requests, which the designs of the services have an entity for.

They are not in ``apps.service``, so that a design can be read without what serves it.
"""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from singletable import expires


class Receipt(BaseModel):
    """A request was carried out: mix it into an entity of the service's table."""

    request_id: str
    fingerprint: str
    """Tells the request from another one with the same key."""
    made: Annotated[dict[str, str], Field(max_length=10)]
    """The ids of what the request made."""
    expires_at: datetime = expires(days=1)
