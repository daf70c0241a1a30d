"""What a user did wrong is said in words, and the exit code is 2; never a traceback."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from singletable import cli
from singletable.cli._target import load

COMMAND = (sys.executable, "-c", "from singletable.cli import main; main()")
DESIGN = """
from singletable import Entity, Query, Store, Table, pattern

table = Table("things", stream="NEW_AND_OLD_IMAGES")


class Thing(Entity, table=table, pk="T#{a}", sk="S#{b}"):
    a: str
    b: str


class Things(Store, table=table):
    @pattern()
    def things(self, a: str) -> Query[Thing]:
        \"\"\"Things.\"\"\"
        return Thing.query(a=a)


class NeedsMore:
    def __init__(self, store, more):
        pass
"""
TARGETS = {
    "missing.py": "There is no file ",
    "missing": "There is no module 'missing'",
    "raises.py": "raises.py cannot be imported: ZeroDivisionError: division by zero (raises.py, ",
    "syntax.py": "syntax.py cannot be imported: SyntaxError: invalid syntax (syntax.py, line 1)",
    "exits.py": "exits.py ends the program when it is imported",
    "needs.py": "needs.py cannot be imported: ModuleNotFoundError: No module named 'nix'",
    "latin.py": "latin.py cannot be imported: SyntaxError: ",
    "plain.py": "plain.py: it has no store: class MyStore(Store, table=table)",
    "faulty.py": "Thing.sk 'S#{c}': there is no field 'c', only a",
    "good.py:Thing": "good.py has a 'Thing' that is no store; name one of its stores",
    "folder": "folder: it has no store",
    ".": "'.' names no module: write package.module:Store or a file",
    "": "'' names no module",
}
WITH_TARGET = [
    ("check",),
    ("explain",),
    ("cost",),
    ("describe",),
    ("deploy", "--format", "cloudformation"),
    ("shell",),
    ("streams", "lag", "--at", "good.db"),
]
CLOSED = "http://127.0.0.1:1"
MISTAKES = {
    "check good.py --format pdf": "'--format': 'pdf' is not one of 'text', 'json', 'sarif'",
    "check good.py --traffic no.toml": "no.toml cannot be read: No such file or directory",
    "check good.py --select ZZZ": "No rule's code begins with 'ZZZ'",
    "check good.py --traffic folder": "The traffic file folder cannot be read",
    "check good.py --source nonsense": "'nonsense' is no address of a database",
    "check good.py --source sqlite:///text.db": "file is not a database",
    "explain good.py nothing": "Things has no access pattern 'nothing'; it has things",
    "explain good.py --text-bytes 999999999999999999999": "less than or equal to 400000",
    "explain good.py --items 0": "Invalid value for '--items'",
    "cost good.py --sample text.db": "the database text.db cannot be read",
    "cost good.py --sample other.db": "other.db is the database of another program",
    "cost good.py --sample aws:mars": "'aws:mars' names no region of AWS",
    "cost good.py --arguments good.json": "--arguments needs --sample",
    "cost good.py --table other": "--table needs --sample",
    "cost good.py --against-traffic odd": "--against-traffic needs --against",
    "cost good.py --sample good.db --against good.py": "--sample and --against exclude each other",
    "cost good.py --region mars": "There are no prices for 'mars'",
    "cost good.py --prices no.json": "no.json cannot be read: No such file or directory",
    "cost good.py --sample good.db --arguments no.json": "no.json cannot be read: No such file",
    "cost good.py --against raises.py": "raises.py cannot be imported",
    "describe good.py --out nowhere/x": "nowhere/x: No such file or directory",
    "describe good.py --out folder": "folder: Is a directory",
    "describe binary.json": "describe: binary.json: It is no text in UTF-8: ",
    "describe bad.json": "bad.json: It is not JSON",
    "deploy good.py": "Missing option '--format'",
    "deploy good.py --format cdk --out folder": "folder: Is a directory",
    "deploy good.py --format cdk --config binary": "binary is no TOML",
    "deploy good.py --format iam --scope x": "--scope x: write it as --scope FIELD=VALUE",
    "deploy good.py --format iam --scope =x": "--scope =x: write it as --scope FIELD=VALUE",
    "serve --db folder": "the database folder cannot be opened",
    "serve --db text.db": "the database text.db cannot be read",
    "serve good.db": "extra argument(s) (good.db): if it is a database, write --db before it",
    "serve --memory --policy no.json": "no.json cannot be read: No such file or directory",
    "serve --memory --policy list.json": "list.json holds no policy",
    "serve --memory --policy wrong.json": "The Statement of an IAM policy is an object, or a list",
    "serve --memory --policy good.json --policy-variable x": "write it as NAME=VALUE",
    "serve --memory --policy-variable x=y": "--policy-variable needs --policy",
    "serve --memory --allow-host db:8000": "write the name alone",
    "serve --memory --allow-host http://db": "write the name alone",
    "serve --memory --allow-host *": "write the name alone",
    "serve --memory --allow-origin *": "write it as http://localhost:3000",
    "serve --memory --allow-origin localhost:3000": "write it as http://localhost:3000",
    "serve --memory --allow-origin http://localhost:3000/": "write it as http://localhost:3000",
    "serve --memory --host nonsense.invalid": "cannot serve on nonsense.invalid port 8000",
    "shell good.py good.db": "(good.db): if it is a database, write --at before it",
    "check good.py good.db": "Got unexpected extra argument(s) (good.db)",
    "shell good.py --at missing.db": "There is no file missing.db",
    "shell good.py --at nowhere/x.db --create": "nowhere/x.db cannot be opened",
    "shell good.py --at http://": "'http://' is not an endpoint",
    f"streams lag good.py --at {CLOSED}": "got no answer from http://127.0.0.1:1",
    "streams run good.py --at good.db --consumer good.py:NeedsMore --once": (
        "good.py:NeedsMore cannot be called with a store: "
    ),
    "streams verify good.py --at good.db": "Things declares no aggregates to compare",
    "streams verify good.py --at good.db --index good.py:Thing": "good.py:Thing is no search index",
    "streams rebuild good.py --at good.db --index good.py:table": "good.py:table is no search",
    "migrate init good.py --from nonsense": "'nonsense' is no address of a source",
    "migrate init good.py --from postgresql://h:x/d": "is no address of a database",
    "migrate plan raises.py:X --from sqlite:///x.db --to x.db": "raises.py cannot be imported",
    "migrate run good.py:Things --from sqlite:///x.db --to x.db": "good.py:Things is no migration",
    "migrate backfill good.py --at missing.db": "There is no file missing.db",
    "migrate backfill good.py --at good.db --sample 3": "--sample needs --dry-run",
    "migrate backfill good.py --at good.db --gone": "--gone needs --clean",
    "migrate backfill good.py --at good.db --clean --dry-run --sample 3": "exclude each other",
    "migrate cutover m.py:M --to good.db --postpone x --proceed": "exclude each other",
    "new project --in text.db": "text.db/project: Not a directory",
    "demo --port x": "Invalid value for '--port'",
    "nothing": "No such command 'nothing'",
}


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Work in a folder of good and bad files, and leave the modules as they were."""
    folder = tmp_path_factory.mktemp("mistakes")
    files = {
        "good.py": DESIGN,
        "raises.py": "1 / 0\n",
        "syntax.py": "class\n",
        "exits.py": "import sys\nsys.exit(0)\n",
        "needs.py": "import nix\n",
        "plain.py": "x = 1\n",
        "faulty.py": DESIGN.replace("S#{b}", "S#{c}").replace("    b: str\n", ""),
        "text.db": "This is no database, but a text that is long enough to look like a file.\n" * 9,
        "bad.json": "{",
        "list.json": "[1]",
        "wrong.json": '{"Statement": [1]}',
        "good.json": '{"Statement": []}',
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    for name in ("binary", "binary.json", "latin.py"):
        (folder / name).write_bytes(b'x = "\xff\xfe"\n')
    (folder / "folder").mkdir()
    other = sqlite3.connect(folder / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    before = Path.cwd(), [*sys.path], {*sys.modules}
    os.chdir(folder)
    load("good.py").connect("good.db").close()
    yield
    os.chdir(before[0])
    sys.path[:] = before[1]
    for name in {*sys.modules} - before[2]:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def _refused(*arguments: str) -> str:
    """Run what must be refused; give what it says, without the line breaks of a usage error."""
    shown = CliRunner().invoke(cli.app, arguments, input="")
    assert shown.exception is None or isinstance(shown.exception, SystemExit), shown.exception
    assert shown.exit_code == 2, shown.output
    assert "Traceback" not in shown.output
    return " ".join(shown.output.split())


@pytest.mark.parametrize("command", WITH_TARGET, ids=" ".join)
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_that_is_no_store(command: tuple[str, ...], target: str) -> None:
    name = [word for word in command[:2] if word.isalpha()]
    said = _refused(*name, target, *command[len(name) :])
    assert said.startswith(f"singletable {' '.join(name)}: ")
    assert TARGETS[target] in said


@pytest.mark.parametrize("line", MISTAKES)
def test_what_cannot_be_done(line: str) -> None:
    assert MISTAKES[line] in _refused(*line.split())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "Permission denied" in _refused("new", "shelf", "--in", str(tmp_path))
    assert "Permission denied" in _refused("describe", "good.py", "--out", str(tmp_path / "x"))


@pytest.mark.parametrize(
    "arguments", [("explain", "good.py"), ("describe", "good.py", "--format", "html"), ("--help",)]
)
def test_a_pipe_that_is_closed_is_no_mistake(arguments: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""


def test_ctrl_c_ends_a_command_with_130_and_silence() -> None:
    tail = ("streams", "tail", "good.py", "--at", "good.db", "--format", "json")
    with subprocess.Popen(
        [*COMMAND, *tail], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        store = load("good.py").connect("good.db")
        thing: Any = store.table.entities["Thing"].entity
        store.put(thing(a="1", b=str(time.time())))
        assert "created" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == ""
        store.close()
