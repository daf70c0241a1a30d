"""What the three services have in common: who calls, what is answered, what is refused."""

from .application import Service, make_app
from .callers import AnyCaller, Caller
from .etags import IfMatch, tagged
from .listing import After, Limit, Listing
from .problems import Problem, documented
from .receipts import Idempotent, Once, Receipt
from .settings import BadSettings, Settings
from .tokens import LocalIssuer, Tokens
from .working import follow

__all__ = [
    "After",
    "AnyCaller",
    "BadSettings",
    "Caller",
    "Idempotent",
    "IfMatch",
    "Limit",
    "Listing",
    "LocalIssuer",
    "Once",
    "Problem",
    "Receipt",
    "Service",
    "Settings",
    "Tokens",
    "documented",
    "follow",
    "make_app",
    "tagged",
]
