"""The envelope: CloudEvents 1.0."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from singletable.errors import UsageError
from singletable.streams.events import Event
from singletable.streams.events.envelope import checked_source, envelope, token
from tests.streams.events.samples import SOURCE, enveloped, event


def test_an_envelope_is_a_cloud_event() -> None:
    sent = event(7)
    assert json.loads(envelope(sent, SOURCE)) == enveloped(sent)


def test_what_an_event_lacks_is_left_out() -> None:
    told = json.loads(envelope(Event("BookOut", id="1"), SOURCE))
    assert told == {
        "specversion": "1.0",
        "id": "1",
        "source": SOURCE,
        "type": "BookOut",
        "data": None,
    }


def test_times_are_told_in_utc() -> None:
    at = datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=2)))
    assert json.loads(envelope(replace(event(), at=at), SOURCE))["time"] == "2026-01-01T23:00:00Z"


def test_text_is_written_as_it_is_but_for_what_sqs_refuses() -> None:
    written = envelope(event(title="Żółw\x00\x1f\ufffe\uffff"), SOURCE)
    assert "Żółw" in written
    assert all(ord(character) >= 0x20 and character not in "\ufffe\uffff" for character in written)
    assert json.loads(written)["data"]["title"] == "Żółw\x00\x1f\ufffe\uffff"


def test_an_event_without_an_id_is_refused() -> None:
    with pytest.raises(UsageError, match="Event 'BookOut' has no id"):
        envelope(Event("BookOut"), SOURCE)


@pytest.mark.parametrize("source", ["", "my app", "aws.stories", "żółw", "x" * 257])
def test_a_source_that_some_receiver_would_refuse_is_refused(source: str) -> None:
    with pytest.raises(UsageError, match="cannot be the source of events"):
        checked_source(source)


def test_a_token_is_the_text_or_else_its_hash() -> None:
    assert token("published-1") == "published-1"
    hashed = [token(text) for text in ("a b", "a.b", "ż", "x" * 129)]
    assert len(set(hashed)) == 4
    assert all(len(one) == 64 and one.isalnum() for one in hashed)
