"""What stands in a draft where nobody knows yet what to write."""

from __future__ import annotations

from typing import Any

from singletable.errors import UsageError


def unmatched(field: str) -> Any:
    """Refuse the row: a draft did not find where a field comes from."""
    raise UsageError(
        f"{field} is not matched: write where its value comes from in place of unmatched({field!r})"
    )
