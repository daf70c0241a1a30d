"""Requests that say which access pattern they are for, where an engine has a meter on it."""

from __future__ import annotations

from typing import Any

from singletable.engine.metering.purposes import purpose

from .context import Context
from .steps import Program


class MeteredContext(Context):
    """A context whose requests are for something."""

    def send(
        self, operation: str, request: dict[str, Any], pattern: str | None = None
    ) -> Program[dict[str, Any]]:
        """Send one request as other contexts do, and say its pattern meanwhile."""
        program = super().send(operation, request, pattern)
        return program if pattern is None else _for(pattern, program)


def _for(pattern: str, program: Program[dict[str, Any]]) -> Program[dict[str, Any]]:
    with purpose(pattern):
        return (yield from program)
