"""Files as a source: JSON by lines, CSV, and what DynamoDB exports."""

from .filesource import FileSource

__all__ = ["FileSource"]
