"""The environment that holds the mappers: one for all, so that all run on one boto3.

This library is installed there too, in place, and the benchmark of the store runs there whole.
"""

import subprocess
import sys
from pathlib import Path

from bench.mappers import LIBRARIES, Library
from bench.peers import COMPONENTS, ROOT

FOLDER = COMPONENTS / "mappers"
NEEDED = ("--editable", f"{ROOT}[aws,server]", "psutil")


def python() -> Path | None:
    """Find the environment's interpreter, or None where it was not made yet."""
    found = FOLDER / "bin/python"
    return found if found.exists() else None


def install() -> None:
    """Install every mapper that is not here yet; say which could not be."""
    if python() is None:
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        _pip(*NEEDED)
    for library in LIBRARIES:
        if not _is_here(library):
            print(f"installing {library.package} with pip")
            _pip(library.package)
        print(f"{library.module}: {'here' if _is_here(library) else 'could not be installed'}")


def _pip(*arguments: str) -> None:
    subprocess.run([str(python()), "-m", "pip", "install", "--quiet", *arguments], check=False)


def _is_here(library: Library) -> bool:
    statement = f"from importlib.util import find_spec as f; exit(not f({library.module!r}))"
    return subprocess.run([str(python()), "-c", statement], check=False).returncode == 0
