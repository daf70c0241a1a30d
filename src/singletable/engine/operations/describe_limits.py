"""DescribeLimits: the quotas of the account, which are a new AWS account's."""

from __future__ import annotations

from singletable.engine.database import Database

from .registry import Answer, Request, operation

ACCOUNT_UNITS_MAX = 80_000
TABLE_UNITS_MAX = 40_000


@operation("DescribeLimits")
def describe_limits(_db: Database, _request: Request) -> Answer:
    """Give the provisioned capacity that an account and a table may have."""
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS_MAX,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS_MAX,
        "TableMaxReadCapacityUnits": TABLE_UNITS_MAX,
        "TableMaxWriteCapacityUnits": TABLE_UNITS_MAX,
    }
