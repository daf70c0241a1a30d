"""ETags of what has a version: a change names the version that it is a change of."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Response

from singletable import Store

from .bodies import Changes
from .problems import Problem

E = TypeVar("E", bound=Any)

_TAG = re.compile(r'"(\d{1,18})"')


def tagged(response: Response, entity: E) -> E:
    """Answer with an entity, and its version as the ETag."""
    response.headers["ETag"] = f'"{entity.version}"'
    return entity


def change(store: Store, read: E, version: int, changes: Changes, response: Response) -> E:
    """Change an entity, if nobody has since the version that its reader had."""
    based_on = read.model_copy(update={"version": version})
    written: E = store.update(based_on, changes.told())
    return tagged(response, written)


def _version(
    if_match: Annotated[
        str | None,
        Header(description='The ETag that the change is based on: `"3"`.', examples=['"1"']),
    ] = None,
) -> int:
    """Read which version a change is based on; without one it might undo somebody else's."""
    if if_match is None:
        raise Problem(428, 'Send If-Match with the ETag that you have read: If-Match: "3"')
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise Problem(412, "If-Match is not an ETag that was given here")
    return int(found[1])


IfMatch = Annotated[int, Depends(_version)]
