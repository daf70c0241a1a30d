"""Key templates: keys built, partly built, and read back."""

from .slots import Slot
from .spans import Span
from .starts import Start
from .template import Template

__all__ = ["Slot", "Span", "Start", "Template"]
