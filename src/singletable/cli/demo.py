"""``singletable demo``: three services with data in them, to look at and to try."""

from __future__ import annotations

import sys
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.errors import UsageError

from ._showing import Format, show_tables, working
from ._stopping import until_stopped

if TYPE_CHECKING:
    from singletable.cost.grids import Grid

Once = Annotated[
    bool, typer.Option("--once", help="Run every access pattern, print what it cost, and exit.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")]

HEADINGS = ("pattern", "gives", "index", "requests", "items", "units", "ms")


def demo(once: Once = False, port: Port = 8000, form: Format = "text") -> None:
    """Serve three complete services with data in them.

    On this machine, until Ctrl-C; they are in a clone of the repository.

    Examples:
      singletable demo --port 8001
      singletable demo --once
    """
    if once:
        _show_all(form)
    else:
        _serve(port)


def _show_all(form: str) -> None:
    """Run every access pattern of the three services, and print each in a line."""
    with working("Filling three tables, and running every access pattern"):
        ran = {app.name: list(app.steps()) for app in _demo().all_apps()}
    content = {name: [asdict(step) for step in steps] for name, steps in ran.items()}
    title = f"{sum(map(len, ran.values()))} access patterns of {len(ran)} services"
    show_tables(form, content, title, [_grid(name, steps) for name, steps in ran.items()])


def _grid(name: str, steps: list[Any]) -> Grid:
    from singletable.cost.grids import Grid

    return Grid.of(f"{name}: {len(steps)} access patterns", HEADINGS, map(_row, steps))


def _row(step: Any) -> tuple[str, ...]:
    return (
        step.pattern,
        step.gives,
        step.index,
        str(step.requests),
        str(step.items),
        f"{step.units:g}",
        f"{step.milliseconds:.2f}",
    )


def _serve(port: int) -> None:
    """Serve the three until Ctrl-C."""
    demo = _demo()  # first: it names the extra that brings the rest as well
    import uvicorn

    from singletable.server.run import Settings, listen, url

    with listen(Settings(port=port)) as listener, TemporaryDirectory(prefix="demo-") as folder:
        typer.echo("filling three tables …")
        served = demo.combined(Path(folder))
        server = uvicorn.Server(uvicorn.Config(served, log_level="warning"))
        # From before uvicorn hears it, to when it has stopped and raises it again.
        with until_stopped(lambda: setattr(server, "should_exit", True)):
            typer.echo(f"campaigns, stories and surveys at {url(listener)} (Ctrl-C stops)")
            server.run([listener])


def _demo() -> Any:
    """Find the services, which are in the repository, not in the package."""
    sys.path.insert(0, str(Path.cwd()))
    if find_spec("apps") is None or find_spec("apps.demo") is None:
        raise UsageError(
            "The services of the demo are in the repository: run this in a clone of it, "
            "or 'make demo' there"
        )
    return import_module("apps.demo")
