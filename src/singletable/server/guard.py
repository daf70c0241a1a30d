"""Which Host and Origin a request may name: web pages from elsewhere are kept away.

A page on another site can make a browser send requests to a loopback port, and, by pointing its own
name at 127.0.0.1 (DNS rebinding), even read the answers. The browser then tells the truth in two
headers: ``Origin`` names the page, ``Host`` the name that was looked up. SDKs send no Origin and
name the address they were given, so both can be checked strictly. A page that may call is told so
in the headers of CORS, which browsers ask for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import ip_address

from singletable.server.answers import PLAIN, Answer, Forbidden, Header, Headers, failure
from singletable.server.exchange import Head, Work

PREFLIGHT = b"access-control-request-method"
PREFLIGHT_SECONDS = b"600"
SHOWN = b"x-amzn-requestid, x-amz-crc32"
"""What a page may read beside the body."""

_HOST = re.compile(r"(\[(?P<address>[^]]*)]|(?P<name>[^:]*))(:\d*)?")


class Guard:
    """Has requests opened only when a program, or an allowed page, sent them."""

    def __init__(
        self,
        open_: Callable[[Head], Answer | Work],
        *,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        any_address: bool = False,
    ) -> None:
        self._open = open_
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.encode() for origin in origins)
        self._any_address = any_address
        self._is_ours = lru_cache(maxsize=256)(self._names_us)

    def open(self, head: Head) -> Answer | Work:
        """Answer 403 to a foreign Host or Origin, and pass on everything else."""
        reason = self.refusal(head.headers)
        if reason is not None:
            return failure(Forbidden(reason))
        if head.method == b"OPTIONS" and PREFLIGHT in head.headers and self.shared(head.headers):
            return Answer(b"", content_type=PLAIN)
        return self._open(head)

    def shared(self, headers: Headers) -> list[Header]:
        """List what lets an allowed page have the answer, and first what lets it ask."""
        origin = headers.get(b"origin")
        if origin is None or origin not in self._origins:
            return []
        shared = [(b"access-control-allow-origin", origin), (b"vary", b"Origin")]
        if PREFLIGHT not in headers:
            return [*shared, (b"access-control-expose-headers", SHOWN)]
        return [
            *shared,
            (b"access-control-allow-methods", b"POST"),
            (b"access-control-allow-headers", headers.get(b"access-control-request-headers", b"")),
            (b"access-control-max-age", PREFLIGHT_SECONDS),
        ]

    def refusal(self, headers: Headers) -> str | None:
        """Say why a request with these headers may not pass, or None."""
        host = headers.get(b"host", b"")
        if not self._is_ours(host):
            return f"Host {_shown(host)} is not served here: see --allow-host"
        origin = headers.get(b"origin")
        if origin is None or origin in self._origins or origin == b"http://" + host:
            return None
        return f"Origin {_shown(origin)} may not call this server: see --allow-origin"

    def _names_us(self, host: bytes) -> bool:
        name = host_name(host.decode("latin-1"))
        return name in self._hosts or is_loopback(name) or (self._any_address and is_address(name))


def host_name(host: str) -> str:
    """Take the name out of ``name:port`` or ``[address]:port``; anything else names nobody."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"] or "").lower() if found else ""


def is_loopback(name: str) -> bool:
    """Say whether a name or address can only mean this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    return is_address(name) and ip_address(name).is_loopback


def is_everywhere(name: str) -> bool:
    """Say whether an address stands for every address of this machine."""
    return is_address(name) and ip_address(name).is_unspecified


def is_address(name: str) -> bool:
    """Say whether a name is an IP address, which no DNS server can point elsewhere."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _shown(header: bytes) -> str:
    return ascii(header[:80].decode("latin-1"))
