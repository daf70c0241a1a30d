"""The command: `python -m bench`; an option such as `--store` or `--services`: another part."""

import argparse
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence

from bench import run
from bench.catalogue import NAMES
from bench.mappers import environment
from bench.peers import ROOT, install
from bench.workload import OPERATIONS


def main(arguments: Sequence[str] | None = None) -> None:
    """Install the peers, run the workload, or measure another part, as asked."""
    options = _parser().parse_args(arguments)
    if options.install:
        install()
        environment.install()
    elif options.store:
        # Where the other mappers are; without them it measures what is here.
        python = environment.python() or sys.executable
        quick = ["--quick"] if options.quick else []
        subprocess.run([str(python), "-m", "bench.store", *quick], cwd=ROOT, check=True)
    elif options.streams:
        quick = ["--quick"] if options.quick else []
        subprocess.run([sys.executable, "-m", "bench.streams", *quick], cwd=ROOT, check=True)
    elif options.migrate:
        quick = ["--quick"] if options.quick else []
        subprocess.run([sys.executable, "-m", "bench.migrate", *quick], cwd=ROOT, check=True)
    elif options.services:
        quick = ["--quick"] if options.quick else []
        subprocess.run([sys.executable, "-m", "bench.services", *quick], cwd=ROOT, check=True)
    elif options.large:
        # In a process of its own: this one has boto3 in its memory.
        subprocess.run([sys.executable, "-m", "bench.large", str(options.items)], check=True)
    else:
        pace = run.QUICK if options.quick else run.FULL
        run.main(pace, options.only, options.operations, options.threads)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    operations = [operation.name for operation in OPERATIONS]
    add = parser.add_argument
    add("--install", action="store_true", help="install the peers into .components, then stop")
    add("--large", action="store_true", help="measure a table of many items instead")
    add("--store", action="store_true", help="measure typed calls and other mappers instead")
    add("--streams", action="store_true", help="measure workers, consumers and their lag instead")
    add("--migrate", action="store_true", help="measure the way from PostgreSQL to a file instead")
    add("--services", action="store_true", help="load a service with eight clients instead")
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
