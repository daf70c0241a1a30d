"""The reserved words."""

from __future__ import annotations

from singletable.expressions.reserved import RESERVED


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED) == 573
    assert all(word.isupper() for word in RESERVED)
    assert {"ABORT", "NAME", "SIZE", "STATUS", "TTL", "ZONE"} <= RESERVED
    assert not {"PK", "SK", "ID", "REMOVE", "EMAIL"} & RESERVED
