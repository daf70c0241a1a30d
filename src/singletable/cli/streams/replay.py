"""``singletable streams replay``: what a stream still has, once more."""

from __future__ import annotations

from singletable.cli._moments import in_utc
from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, counted, show, working
from singletable.cli._target import Target

from ._options import Consumers, Since, consumers_of, opened


def replay(
    target: Target,
    at: At,
    consumer: Consumers,
    table: TableName = None,
    since: Since = None,
    form: Format = "text",
) -> None:
    """Deliver what the stream still has to consumers again.

    That is 24 hours at most. What was done once, in a transaction, is not done again.

    Example:
      singletable streams replay shop/design.py --at shop.db --consumer shop.after:After
    """
    with opened(target, at, table) as store:
        from singletable.streams.watching import replay as replayed

        with working("Delivering changes"):
            count = replayed(store, *consumers_of(store, consumer), since=in_utc(since))
        told = counted(count, "change was", "changes were")
        show(form, {"changes": count}, f"{told} delivered again")
