"""DynamoDB tables as a source: embedded, at an endpoint, or in AWS."""

from .database import DynamoSource
from .kinds import UNTYPED, item_of

__all__ = ["UNTYPED", "DynamoSource", "item_of"]
