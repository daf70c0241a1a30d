"""``python -m tools.reference``: writes the reference pages."""

from . import write

write()
