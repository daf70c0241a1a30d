"""Nothing is written that could not be read again, where the whole of it is known beforehand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Self

import pytest
from pydantic import Field, model_validator

from singletable.errors import StoreError, UsageError
from singletable.model.changes import add
from singletable.model.entity import Entity
from singletable.store.bulk import put_many
from singletable.store.writing.editing import Editing
from singletable.store.writing.ensuring import upserting
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import Bench, Lease, table


class Span(Entity, table=table, pk="SPAN#{name}", sk="SPAN"):
    """Its two ends are in order."""

    name: str
    low: int = Field(default=0, ge=0)
    high: int = 9

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


KEY = Span.key(name="s")


def wrong(**changes: Any) -> Span:
    return Span(name="s").model_copy(update=changes)


WRITES: dict[str, Callable[[Bench, Span], Any]] = {
    "put": lambda bench, span: bench.do(Putting(span)),
    "create": lambda bench, span: bench.do(Creating(span)),
    "upsert": lambda bench, span: bench.do(Upserting(span)),
    "put_many": lambda bench, span: bench.run(put_many(bench.context, [span], None)),
    "transaction": lambda bench, span: bench.commit(Putting(span)),
}


@pytest.mark.parametrize("changes", [{"low": -1}, {"low": "x"}, {"low": 10}, {"high": None}])
@pytest.mark.parametrize("way", WRITES)
def test_a_whole_entity_is_checked_before_it_is_sent(
    bench: Bench, way: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match=r"^Span(.low|.high)? cannot be .*Nothing was written$"):
        WRITES[way](bench, wrong(**changes))
    assert bench.item(KEY) is None


@pytest.mark.parametrize("way", WRITES)
def test_what_is_written_is_what_would_be_read(bench: Bench, way: str) -> None:
    WRITES[way](bench, wrong(low="3"))
    item = bench.item(KEY)
    assert item is not None
    assert item["low"] == {"N": "3"}


@pytest.mark.parametrize(
    "action",
    [
        Editing(KEY, change=lambda span: setattr(span, "low", 10)),
        Updating(Span(name="s"), changes={"low": 10}),
    ],
)
def test_what_comes_of_a_known_item_is_checked_before_it_is_sent(bench: Bench, action: Any) -> None:
    bench.do(Putting(Span(name="s")))
    with pytest.raises(UsageError, match=r"low is above high.*Nothing was written"):
        bench.do(action)
    assert bench.get(Span.get(name="s")) == Span(name="s")


@pytest.mark.parametrize(
    "action",
    [
        Updating(KEY, changes={"low": 10}),
        Updating(Span(name="s"), changes={"low": add(10)}),
        upserting(KEY, {"low": 10}, None),
    ],
)
def test_where_only_the_service_knows_the_error_says_that_it_was_written(
    bench: Bench, action: Any
) -> None:
    bench.do(Putting(Span(name="s")))
    with pytest.raises(StoreError, match=r"the write was done, .*low is above high"):
        bench.do(action)
    item = bench.item(KEY)
    assert item is not None
    assert item["low"] == {"N": "10"}


def test_an_expiry_without_a_zone_is_refused(bench: Bench) -> None:
    naive = datetime(2030, 1, 1)  # noqa: DTZ001 - that is the point
    with pytest.raises(UsageError, match=r"Lease.until: .* has no time zone"):
        bench.do(Putting(Lease(name="m", holder="h", until=naive)))
    bench.do(Putting(Lease(name="m", holder="h")))
    with pytest.raises(UsageError, match=r"Lease.until: .* has no time zone"):
        bench.do(Updating(Lease.key(name="m"), changes={"until": naive}))
