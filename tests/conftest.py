"""What every test may ask for, and how long hypothesis looks."""

import gc
import signal
from collections import Counter
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests import components

# `make test` draws the same examples every time, so that a failure belongs to the change at hand;
# `make fuzz` (--hypothesis-profile=fuzz) looks for new ones.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("test", _COMMON, derandomize=True, database=None)
settings.register_profile("fuzz", _COMMON, max_examples=1_000, print_blob=True)
settings.load_profile("test")


def pytest_configure() -> None:
    """Have Ctrl-C heard by tests that send it: shells let what is in the background ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[str]:
    """Run AWS's DynamoDB Local for the session; yield its URL."""
    with components.dynamodb_local() as url:
        yield url


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what stays to the end, a test for each case, out of the garbage collector's sight.

    It would look through all of it again and again, most of all while it grows.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once for each missing component how many tests it left out, and how to get it."""
    skipped = terminalreporter.getreports("skipped")
    for reason, count in Counter(_reason(report) for report in skipped).items():
        terminalreporter.write_line(f"left out {count}: {reason}")


def _reason(report: pytest.TestReport) -> str:
    where_and_why = report.longrepr
    why = where_and_why[2] if isinstance(where_and_why, tuple) else where_and_why
    return str(why).removeprefix("Skipped: ")
