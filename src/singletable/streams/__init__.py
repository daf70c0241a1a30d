"""What happens after a write: DynamoDB Streams as typed changes, and those who act on them.

The same consumers are given the same changes by a worker, which follows the stream of any endpoint,
and by Lambda. What a consumer writes it can write once, however often a change is delivered.
"""

from .aggregates import Aggregates
from .changes import Change, Created, Deleted, Expired, Modified, Removed
from .consumers import Batch, Consumer, DeliveryFailed, Failures
from .declaring import handler
from .duplicates import Duplicates
from .handlers import Handlers
from .lambdas import lambda_handler
from .shards import RecordsLost
from .watching import Lag, follow, lag, replay, retry
from .worker import Worker

__all__ = [
    "Aggregates",
    "Batch",
    "Change",
    "Consumer",
    "Created",
    "Deleted",
    "DeliveryFailed",
    "Duplicates",
    "Expired",
    "Failures",
    "Handlers",
    "Lag",
    "Modified",
    "RecordsLost",
    "Removed",
    "Worker",
    "follow",
    "handler",
    "lag",
    "lambda_handler",
    "replay",
    "retry",
]
