"""Capacity by partition key: which keys are hot, when, and what for."""

from .heat import Heat
from .meter import Meter

__all__ = ["Heat", "Meter"]
