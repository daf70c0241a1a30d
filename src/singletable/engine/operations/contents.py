"""The contents of items and keys: judged before any table is looked for, as the service does.

Nearly every item was found to be canonical while the request was read, and is left alone.
"""

from __future__ import annotations

from singletable.engine.mutations import check_size
from singletable.engine.shapes.canonical import admitted
from singletable.expressions import check_mixture
from singletable.values import ITEM_BYTES_MAX, CanonicalItem

from .registry import Request


def judge(request: Request, *parameters: str) -> None:
    """Check the item or key of a request and keep it as canonical.

    Of expressions that are not bound yet, all that is checked before is that they may be there.
    """
    place = "Item" if "Item" in request else "Key"
    given = request[place]
    if isinstance(given, CanonicalItem) and given.size <= ITEM_BYTES_MAX:
        return
    if parameters:
        check_mixture(request, *parameters)
    item = request[place] = admitted(given)
    check_size(item.size)
