"""``singletable streams``: look at a table's stream, have it followed. One module a command."""

from singletable.cli._commands import group

from .lag import lag
from .letters import letters
from .rebuild import rebuild
from .replay import replay
from .retry import retry
from .run import run
from .tail import tail
from .verify import verify

streams = group(
    "Look at what happens after a write, and have it happen.",
    "singletable streams tail shop/design.py --at shop.db",
    *(tail, lag, run, replay, letters, retry, verify, rebuild),
)
