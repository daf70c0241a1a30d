"""Expected texts in files: compared, or written anew with SINGLETABLE_REWRITE=1.

The difference that rewriting makes is to be read before it is kept.
"""

import os
from pathlib import Path


def expect(file: Path, text: str) -> None:
    """Compare a text with the file that says what it should be."""
    if os.environ.get("SINGLETABLE_REWRITE"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    assert file.exists(), f"{file.name} is missing: run once with SINGLETABLE_REWRITE=1"
    assert text == file.read_text("utf-8")
