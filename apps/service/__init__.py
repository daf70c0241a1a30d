"""What the three services have in common: who calls, what is answered, what is refused."""

from apps.receipts import Receipt

from .application import Service, make_app
from .bodies import Changes, Sent, checked
from .callers import AnyCaller, Caller
from .etags import IfMatch, change, tagged
from .listing import After, Limit, Listing
from .problems import Problem, documented
from .receipts import Idempotent, Once, Work
from .settings import BadSettings, Settings
from .tokens import LocalIssuer, Tokens
from .working import follow

__all__ = [
    "After",
    "AnyCaller",
    "BadSettings",
    "Caller",
    "Changes",
    "Idempotent",
    "IfMatch",
    "Limit",
    "Listing",
    "LocalIssuer",
    "Once",
    "Problem",
    "Receipt",
    "Sent",
    "Service",
    "Settings",
    "Tokens",
    "Work",
    "change",
    "checked",
    "documented",
    "follow",
    "make_app",
    "tagged",
]
