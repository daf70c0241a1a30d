"""The way back: what was written to the new side alone, written to the old one, and the switch."""

from .refusals import NotWritable
from .revert import Reverted, revert
from .writing_back import write_back

__all__ = ["NotWritable", "Reverted", "revert", "write_back"]
