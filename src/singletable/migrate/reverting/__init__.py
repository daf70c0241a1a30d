"""The way back: what was written to the new side alone, written to the old one, and the switch."""

from .revert import Reverted, revert
from .writing_back import NotWritable, write_back

__all__ = ["NotWritable", "Reverted", "revert", "write_back"]
