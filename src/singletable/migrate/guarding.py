"""Whether the old side is still the right one, and whether anything may be written now.

What is brought to the new side is written, so what is known must be as new as for every writer. In
a pause nobody brings anything but who holds it: so that is the last, and it is known what is there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from singletable.errors import UsageError

from .phases import Cutover, Flags, PhaseUnknown

POLL_S = 0.5


class Held(Exception):
    """Nothing may be written now."""


@dataclass(slots=True)
class Guard:
    """Asked before each row; ``live`` is who goes on by itself, and never holds a pause."""

    cutover: Cutover
    live: bool = False

    @property
    def is_done(self) -> bool:
        """Tell whether the new side is the right one, as far as is known."""
        return not self.cutover.look().writes_old

    def refuse_if_done(self) -> None:
        """Raise where the new side is the right one."""
        if not self.cutover.look_to_write().writes_old:
            raise UsageError(
                f"{self.cutover.migration} is done, and the new side is right: what changes on the "
                "old one is not to be brought there"
            )

    def ask(self) -> Flags:
        """Raise ``Held`` while others hold the writes, or may; who holds them goes on."""
        try:
            flags = self.cutover.look_to_write()
        except PhaseUnknown as error:
            if self.live:
                raise Held from error
            raise
        is_others = flags.is_paused and (self.live or not flags.is_paused_here)
        if is_others or not flags.writes_old:
            raise Held
        return flags

    def wait(self) -> bool:
        """Wait while others hold the writes; tell whether they did."""
        waited = False
        while True:
            try:
                self.ask()
            except Held:
                self.refuse_if_done()
                waited = True
                time.sleep(POLL_S)
            else:
                return waited
