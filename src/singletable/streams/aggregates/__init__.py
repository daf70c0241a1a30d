"""Aggregates declared on entities, kept by the table's stream, verified and repaired."""

from .consumer import Aggregates
from .verifying import Drift, rebuild, repair, verify

__all__ = ["Aggregates", "Drift", "rebuild", "repair", "verify"]
