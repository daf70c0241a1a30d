"""Pages are sequences of their items, with a cursor and what was left out beside them."""

from __future__ import annotations

from pydantic import TypeAdapter

from singletable.model.pages import Page, Skipped


def test_a_page_is_a_sequence_of_its_items() -> None:
    page = Page([1, 2, 3], "cursor")
    assert list(page) == [1, 2, 3]
    assert len(page) == 3
    assert page[0] == 1
    assert page[1:] == [2, 3]
    assert not Page([])
    assert page.next == "cursor"
    assert page.skipped == []


def test_what_was_skipped_goes_out_as_its_key_and_reason_alone() -> None:
    page: Page[int] = Page([1], None, [Skipped({"PK": {"S": "a"}}, "is broken")])
    assert TypeAdapter(Page[int]).dump_python(page)["skipped"] == [
        {"key": {"PK": {"S": "a"}}, "reason": "is broken"}
    ]
