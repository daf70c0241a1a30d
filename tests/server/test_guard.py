"""Web pages from elsewhere: neither another origin nor a rebound name gets in."""

from __future__ import annotations

import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ClientError

from singletable.engine import Engine
from singletable.server import Settings, running
from singletable.server.answers import NOT_AN_OPERATION, Answer
from singletable.server.exchange import Head
from singletable.server.guard import Guard
from tests.server.support import Reply, ask, connect

LOOPBACK = ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "db.localhost"]
ELSEWHERE = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "0.0.0.0",  # noqa: S104 # nothing is bound, a page is refused
    "[fe80::1]",
    "[::1]evil.example",
    "localhost:8000:80",
    "dynamodb.us-east-1.amazonaws.com",
    "",
    None,
]


def nowhere(_head: Head) -> Answer:
    """Stand in for the application where only the guard is looked at."""
    return NOT_AN_OPERATION


def shared(reply: Reply) -> dict[str, str]:
    """Give what an answer tells the browser that has the page."""
    prefix = "access-control-"
    return {
        name.removeprefix(prefix): value
        for name, value in reply.headers.items()
        if name.startswith(prefix)
    }


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_names_and_addresses_are_served(url: str, host: str) -> None:
    assert ask(url, host=host).status == 200


@pytest.mark.parametrize("host", ELSEWHERE)
def test_a_name_that_was_pointed_here_from_elsewhere_is_refused(url: str, host: str | None) -> None:
    reply = ask(url, host=host)
    assert reply.status == 403
    assert b"--allow-host" in reply.body


def test_an_sdk_can_say_why_it_is_refused(url: str) -> None:
    """As in a container that calls the server by the name of another."""
    client = connect(url)

    def rename(request: AWSPreparedRequest, **_: object) -> None:
        request.headers["Host"] = "db.internal"

    client.meta.events.register("before-send", rename)
    with pytest.raises(ClientError) as caught:
        client.list_tables()
    assert caught.value.response["Error"] == {
        "Code": "AccessDeniedException",
        "Message": "Host 'db.internal' is not served here: see --allow-host",
    }


def test_dns_rebinding_is_refused_even_as_same_origin(url: str) -> None:
    reply = ask(url, host="evil.example:8000", origin="http://evil.example:8000")
    assert reply.status == 403


@pytest.mark.parametrize("line", ["POST / HTTP/1.1", "OPTIONS / HTTP/1.1", "GET / HTTP/1.1"])
@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:3000", "null", ""])
def test_a_foreign_page_is_refused_and_told_nothing(url: str, line: str, origin: str) -> None:
    reply = ask(url, line=line, origin=origin)
    assert reply.status == 403
    assert shared(reply) == {}


def test_a_page_of_the_same_origin_may_call(url: str) -> None:
    assert ask(url, host="localhost:8000", origin="http://localhost:8000").status == 200


def test_names_can_be_allowed(engine: Engine) -> None:
    with running(engine, Settings(port=0, hosts=["Dynamodb"])) as url:
        assert ask(url, host="dynamodb:8000").status == 200
        assert ask(url, host="evil.example").status == 403


def test_a_page_can_be_allowed_and_its_preflight_is_answered(engine: Engine) -> None:
    page = "http://localhost:3000"
    with running(engine, Settings(port=0, origins=[page])) as url:
        preflight = ask(
            url,
            b"",
            "OPTIONS / HTTP/1.1",
            origin=page,
            access_control_request_method="POST",
            access_control_request_headers="authorization,x-amz-target",
        )
        assert preflight.status == 200
        assert shared(preflight) == {
            "allow-origin": page,
            "allow-methods": "POST",
            "allow-headers": "authorization,x-amz-target",
            "max-age": "600",
        }
        reply = ask(url, origin=page)
        assert reply.status == 200
        assert reply.headers["vary"] == "Origin"
        assert shared(reply) == {
            "allow-origin": page,
            "expose-headers": "x-amzn-requestid, x-amz-crc32",
        }
        assert shared(ask(url, b"{", origin=page))["allow-origin"] == page
        assert shared(ask(url)) == {}
        assert ask(url, origin="https://evil.example").status == 403
        assert ask(url, host="evil.example", origin=page).status == 403


def test_on_every_interface_any_address_is_a_name_of_ours_but_no_dns_name_is() -> None:
    guard = Guard(nowhere, any_address=True)
    assert guard.refusal({b"host": b"10.0.0.1:8000"}) is None
    assert guard.refusal({b"host": b"evil.example"})
