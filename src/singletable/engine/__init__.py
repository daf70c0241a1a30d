"""The embedded DynamoDB: in process, durable, on SQLite, with the service's semantics and words."""

from .engine import Engine

__all__ = ["Engine"]
