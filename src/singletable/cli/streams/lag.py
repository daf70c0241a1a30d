"""``singletable streams lag``: how far workers are behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, as_json, show, working
from singletable.cli._target import Target

from ._options import Group, opened

if TYPE_CHECKING:
    from singletable.streams.watching import Lag


def lag(
    target: Target, at: At, table: TableName = None, name: Group = "worker", form: Format = "text"
) -> None:
    """Tell how far a group of workers is behind.

    Shard by shard; exit 1 if one is, or if there is no group of that name.

    Example:
      singletable streams lag shop/design.py --at shop.db --format json
    """
    with opened(target, at, table) as store:
        from singletable.streams import watching

        with working("Looking at the shards"):
            found = watching.lag(store, name)
            known = [name] if watching.has_group(store, name) else watching.groups(store)
    if name not in known:
        show(form, {"group": name, "exists": False, "groups": known}, _missing(name, known))
        raise typer.Exit(1)
    if form == "json":
        typer.echo(as_json([_data(one) for one in found]))
    else:
        for one in found:
            typer.echo(_line(one))
    if any(one.behind for one in found):
        raise typer.Exit(1)


def _missing(name: str, known: list[str]) -> str:
    others = f"those that there are: {', '.join(known)}" if known else "no worker has run"
    return f"There is no group {name!r} yet; {others}"


def _data(lag: Lag) -> dict[str, Any]:
    return {"shard": lag.shard, "behind_s": _seconds(lag), "owner": lag.owner}


def _line(lag: Lag) -> str:
    behind = f"{_seconds(lag):.0f} s behind" if lag.behind else "up to date"
    return f"{lag.shard}  {behind}  {lag.owner or 'nobody reads it'}"


def _seconds(lag: Lag) -> float:
    return lag.behind.total_seconds() if lag.behind else 0
