"""``singletable serve``: the engine over HTTP, for every SDK in every language."""

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.errors import UsageError

from ._commands import refuse_together, refuse_without

if TYPE_CHECKING:
    from singletable.engine.hardships import Hardships

Database = Annotated[
    Path | None,
    typer.Option(
        "--db",
        metavar="FILE",
        help="The database, made if it is not there; singletable.db by default.",
    ),
]
Memory = Annotated[
    bool, typer.Option("--memory", help="Keep everything in memory, and forget it at the end.")
]
Host = Annotated[
    str, typer.Option(help="The address to serve on; one beside loopback needs --credentials.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")]
Credentials = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar="SINGLETABLE_CREDENTIALS",
        help="Access keys in the format of ~/.aws/credentials: only what they sign is answered.",
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="A name that clients call this server by."),
]
Origins = Annotated[
    list[str] | None,
    typer.Option("--allow-origin", metavar="ORIGIN", help="A web page's origin that may call."),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy", metavar="FILE", help="An IAM policy: only what it allows is answered."
    ),
]
PolicyVariables = Annotated[
    list[str] | None,
    typer.Option("--policy-variable", metavar="NAME=VALUE", help="What ${NAME} is in the policy."),
]
HardshipSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--hardship",
        metavar="NAME=VALUE",
        help="What DynamoDB does on a bad day, as throttled=0.1, lag=5, limits=true, seed=7.",
    ),
]
Metering = Annotated[
    bool, typer.Option("--meter", help="Tell at the end which partition keys were hot.")
]
StreamShards = Annotated[int, typer.Option(min=1, help="How many shards a new stream has.")]

DEFAULT_FILE = Path("singletable.db")


def serve(  # noqa: PLR0913, PLR0917 - each is an option
    db: Database = None,
    memory: Memory = False,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    credentials: Credentials = None,
    allow_host: Hosts = None,
    allow_origin: Origins = None,
    policy: PolicyFile = None,
    policy_variable: PolicyVariables = None,
    hardship: HardshipSettings = None,
    meter: Metering = False,
    stream_shards: StreamShards = 1,
) -> None:
    """Serve the embedded DynamoDB over HTTP, to any AWS SDK.

    Examples:
      singletable serve --db shop.db
      singletable serve --memory --port 0
    """
    from singletable.engine import Engine
    from singletable.engine.metering import Meter
    from singletable.engine.policies import Policy
    from singletable.server import Settings, listen, read_keys
    from singletable.server import serve as serve_engine

    refuse_without("--policy", policy, {"--policy-variable": policy_variable})
    refuse_together({"--db": db, "--memory": memory})
    file = None if memory else db or DEFAULT_FILE
    keys = read_keys(credentials) if credentials else None
    hosts, origins = map(_name, allow_host or []), map(_origin, allow_origin or [])
    settings = Settings(host, port, keys, tuple(hosts), tuple(origins))
    document = _read_policy(policy) if policy else None
    variables = dict(_pair("--policy-variable", each) for each in policy_variable or [])
    hardships = _hardships(hardship) if hardship else None
    # What is refused is refused first, so that no file is made.
    if document is not None:
        Policy(document, variables)
    with listen(settings) as listener, Engine(file, stream_shards=stream_shards) as engine:
        metered = Meter() if meter else None
        served = engine if metered is None else engine.metered(metered)
        served = served if hardships is None else served.under(hardships)
        served = served if document is None else served.as_role(document, variables)
        serve_engine(served, settings, listener, ready=lambda url: _announce(url, file))
        if metered is not None:
            typer.echo(metered)


def _read_policy(policy: Path) -> dict[str, Any]:
    import json

    try:
        document = json.loads(policy.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the policy {policy} cannot be read: {getattr(error, 'strerror', error)}"
        ) from None
    if not isinstance(document, dict):
        raise UsageError(f"{policy} holds no policy, which is an object with a Statement")
    return document


def _hardships(given: list[str]) -> "Hardships":
    import json

    from singletable.engine.hardships import Hardships

    settings = dict(_pair("--hardship", each) for each in given)
    known = [each.name for each in dataclasses.fields(Hardships)]
    if unknown := settings.keys() - known:
        raise typer.BadParameter(f"--hardship {min(unknown)}: there are {', '.join(known)}")
    try:
        return Hardships(**{name: json.loads(value) for name, value in settings.items()})
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(f"--hardship {' '.join(given)}: {error}") from None


def _pair(option: str, given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not name or not equals:
        raise typer.BadParameter(f"{option} {given}: write it as NAME=VALUE")
    return name, value


def _name(given: str) -> str:
    from singletable.server.guard import is_address

    if not is_address(given) and re.search(r"[:/*\[\]]", given):
        raise typer.BadParameter(f"--allow-host {given}: write the name alone, as db.internal")
    return given


def _origin(given: str) -> str:
    """Take an origin as browsers name it, or a page without one: "null"."""
    if given != "null" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/*]+", given):
        raise typer.BadParameter(f"--allow-origin {given}: write it as http://localhost:3000")
    return given


def _announce(url: str, file: Path | None) -> None:
    typer.echo(f"serving {file or 'memory'} at {url} (Ctrl-C stops)")
