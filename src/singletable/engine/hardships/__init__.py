"""The hard side of DynamoDB on demand: throttling, lag, conflicts, failures, from a seed."""

from .declared import Hardships
from .engine import HardEngine

__all__ = ["HardEngine", "Hardships"]
