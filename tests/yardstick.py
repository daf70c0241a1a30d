"""How slow this machine is now, for tests that hold processor time to a limit."""

import sys
from resource import RUSAGE_CHILDREN, getrusage
from subprocess import run

WORK = "import pydantic, typer, rich.console; [{str(n): [n, n]} for n in range(300_000)]"
SECONDS = 0.4
"""What that takes on a machine for which the limits hold; a slower one is given as much more."""


def slowness() -> float:
    """Tell how much slower than that machine this one is now."""
    started = seconds_of_children()
    run([sys.executable, "-c", WORK], check=True)
    return max(1.0, (seconds_of_children() - started) / SECONDS)


def seconds_of_children() -> float:
    """Give the processor time of the processes that this one has waited for."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
