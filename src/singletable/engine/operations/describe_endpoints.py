"""DescribeEndpoints: where to send requests, for clients that discover it."""

from __future__ import annotations

from singletable.engine.database import Database

from .registry import Answer, Request, operation

CACHE_MINUTES = 1440


@operation("DescribeEndpoints")
def describe_endpoints(_db: Database, _request: Request) -> Answer:
    """Name this machine: an address of AWS would lead clients away from here."""
    return {"Endpoints": [{"Address": "localhost", "CachePeriodInMinutes": CACHE_MINUTES}]}
