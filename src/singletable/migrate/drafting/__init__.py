"""A first draft of a migration, from what the old tables and the design are called."""

from .draft import Draft, draft
from .placeholder import unmatched

__all__ = ["Draft", "draft", "unmatched"]
