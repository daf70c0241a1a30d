"""The real tools that judge or carry out what is generated: where they are."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import components


def needs(module: str, package: str) -> None:
    """Skip the test if a package of the development environment is not there."""
    if importlib.util.find_spec(module) is None:
        components.missing(package, f"run the tests by `make test`, or pip install {package}")


def terraform() -> tuple[str, str]:
    """Find Terraform, and the folder in which its providers are.

    No package index has them, so their absence is a skip in CI too.
    """
    program, plugins = shutil.which("terraform"), os.environ.get("SINGLETABLE_TERRAFORM_PLUGINS")
    if program is None or plugins is None:
        pytest.skip(
            "Terraform is missing: install it, and let SINGLETABLE_TERRAFORM_PLUGINS name a "
            "mirror of hashicorp/aws"
        )
    return program, plugins


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
