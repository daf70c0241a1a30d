"""Duplicated attributes, refreshed by the table's stream wherever they stand."""

from .consumer import Duplicates

__all__ = ["Duplicates"]
