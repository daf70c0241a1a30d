"""The command: `python -m bench`; an option such as `--store` or `--services`: another part."""

import argparse
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from bench import run
from bench.catalogue import NAMES
from bench.mappers import environment
from bench.peers import ROOT, install
from bench.workload import OPERATIONS


def main(arguments: Sequence[str] | None = None) -> None:
    """Install the peers, run the workload, or measure another part, as asked."""
    options = _parser().parse_args(arguments)
    quick = ["--quick"] if options.quick else []
    if options.install:
        install()
        environment.install()
    elif options.store:
        # Where the other mappers are; without them it measures what is here.
        _run("store", *quick, python=environment.python())
    elif options.streams:
        _run("streams", *quick)
    elif options.migrate:
        _run("migrate", *quick)
    elif options.services:
        _run("services", *quick)
    elif options.large:
        _run("large", str(options.items))
    else:
        pace = run.QUICK if options.quick else run.FULL
        run.main(pace, options.only, options.operations, options.threads)


def _run(part: str, *arguments: str, python: Path | None = None) -> None:
    """Measure another part in a process of its own: this one has boto3 in its memory."""
    command = [str(python or sys.executable), "-m", f"bench.{part}", *arguments]
    subprocess.run(command, cwd=ROOT, check=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    operations = [operation.name for operation in OPERATIONS]
    add = parser.add_argument
    add("--install", action="store_true", help="install the peers into .components, then stop")
    add("--large", action="store_true", help="measure a table of many items instead")
    add("--store", action="store_true", help="measure typed calls and other mappers instead")
    add("--streams", action="store_true", help="measure workers, consumers and their lag instead")
    add("--migrate", action="store_true", help="measure the way from PostgreSQL to a file instead")
    add("--services", action="store_true", help="load the services with eight clients instead")
    add("--items", type=int, default=1_000_000, help="how many items --large writes")
    add("--quick", action="store_true", help="shorter slices, rougher figures")
    add("--only", type=_some_of(NAMES), default=NAMES, help=f"targets of {','.join(NAMES)}")
    add("--operations", type=_some_of(operations), default=operations, help="names, as in Query")
    add("--threads", type=_numbers, default=[1, 8], help="how many threads, as in 1,8")
    return parser


def _some_of(known: Collection[str]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := set(chosen).difference(known):
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
        return chosen

    return names


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
