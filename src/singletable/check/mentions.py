"""What the source of a pattern mentions, where it could not be traced to what it reads.

A rule that says "nobody reads this" must not say it of what a broken pattern was meant to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_type_hints

from singletable.store.tracing import Trace


def mentioned(traces: Iterable[Trace]) -> frozenset[str]:
    """Name all that the patterns among these mention that came to no read."""
    untraced = (trace.pattern.method for trace in traces if trace.read is None)
    return frozenset(word for method in untraced for word in _words(method))


def _words(method: Callable[..., Any]) -> Iterator[str]:
    code = method.__code__
    yield from code.co_names
    yield from (text for constant in code.co_consts for text in _texts(constant))
    for name in code.co_names:
        found = method.__globals__.get(name)
        if isinstance(found, type):
            yield from re.findall(r"\w+", str(_hints(found)))


def _texts(constant: Any) -> Iterator[str]:
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, tuple):
        for one in constant:
            yield from _texts(one)


def _hints(shape: type) -> dict[str, Any]:
    try:
        return get_type_hints(shape)
    except (NameError, TypeError):  # a view that cannot be resolved mentions nothing
        return {}
