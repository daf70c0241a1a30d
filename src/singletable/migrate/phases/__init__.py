"""The way from the old side to the new, phase by phase, and the pause of writes on it."""

from .cutover import Cutover
from .flags import PHASES, Flags
from .moving import PhaseChanged, WritesPaused
from .pausing import Pause, PauseExceeded
from .watching import PhaseUnknown

__all__ = [
    "PHASES",
    "Cutover",
    "Flags",
    "Pause",
    "PauseExceeded",
    "PhaseChanged",
    "PhaseUnknown",
    "WritesPaused",
]
