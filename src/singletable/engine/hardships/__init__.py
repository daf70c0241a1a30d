"""The hard side of DynamoDB on demand: throttling, lag, conflicts, failures, from a seed."""

from .declared import Hardships

__all__ = ["Hardships"]
