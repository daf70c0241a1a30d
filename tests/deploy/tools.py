"""The real tools that judge or carry out what is generated: where they are."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import components


def needs(module: str, package: str) -> None:
    """Skip the test if a package that it needs is not there."""
    if importlib.util.find_spec(module) is None:
        components.missing(package, f"pip install {package}")


def terraform(folder: Path) -> str:
    """Find Terraform, and have it make a folder ready with the providers that it can get.

    No package index has those, so their absence is a skip in CI too. Terraform looks in its own
    folders for plugins and in the mirrors that its configuration names; a plugin cache that was
    filled before is laid out like a mirror, and needs no registry.
    """
    program = shutil.which("terraform")
    if program is None:
        pytest.skip("Terraform is missing: install it")
    known = {**os.environ}
    cache = known.pop("TF_PLUGIN_CACHE_DIR", None)  # which cannot be filled from itself
    words = [program, "init", "-input=false", "-no-color"]
    words += [f"-plugin-dir={cache}"] if cache else []
    ran = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env=known)
    if re.search("Failed to (query available|install) provider", ran.stderr):
        pytest.skip(
            "hashicorp/aws is missing: let Terraform reach its registry, TF_CLI_CONFIG_FILE name a "
            "configuration with a mirror of it, or TF_PLUGIN_CACHE_DIR a folder that has it"
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return program


def node() -> str:
    """Find Node.js, on which CDK runs."""
    found = shutil.which("node")
    if found is None:
        components.missing("node", "install Node.js 20 or later")
    return found


def run(*command: str | Path, **options: Any) -> str:
    """Run a program; give what it says, or fail with it."""
    words = [*map(str, command)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    said: str = ran.stdout
    assert ran.returncode == 0, said + ran.stderr
    return said
