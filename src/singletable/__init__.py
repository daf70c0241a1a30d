"""Single-table DynamoDB in Python: the public names.

They are imported when they are first used, so that ``import singletable`` costs next to nothing
in a Lambda function or a command line, and never loads an AWS SDK.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.engine import Engine
    from singletable.errors import ServiceError, SingletableError

__all__ = ["Engine", "ServiceError", "SingletableError"]

_HOMES = {
    "Engine": "singletable.engine",
    "ServiceError": "singletable.errors",
    "SingletableError": "singletable.errors",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
