"""The session that docs/shell.md shows is what the shell prints; only times may differ."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs/shell.md"
BLOCK = re.compile(r"^```(?:python)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = [sys.executable, "-c", "from singletable.cli import main; main()", "shell", "shop.py"]
PROMPT = ">>> "


def _untimed(text: str) -> str:
    return re.sub(r"\d+\.\d+ ms", "… ms", text)


def test_the_session_is_what_the_shell_prints(tmp_path: Path) -> None:
    _, design, session, _ = BLOCK.findall(PAGE.read_text("utf-8"))
    (tmp_path / "shop.py").write_text(design, "utf-8")
    command, *shown = session.splitlines()
    assert command == "$ singletable shell shop.py"
    typed = [line.removeprefix(PROMPT) for line in shown if line.startswith(PROMPT)]
    ran = subprocess.run(
        COMMAND,
        cwd=tmp_path,
        input="\n".join(typed),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    printed = [line for line in shown if not line.startswith(PROMPT)]
    assert _untimed(ran.stdout).splitlines() == _untimed("\n".join(printed)).splitlines()
