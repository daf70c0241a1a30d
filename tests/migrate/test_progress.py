"""How far a migration is, told from its notes."""

from datetime import UTC, datetime

from singletable.migrate.bookkeeping import Books, Part, Run
from singletable.migrate.progress import COPYING, Meter

RUN = Run(name="m", began_at=datetime(2026, 1, 1, tzinfo=UTC), divided=True)


def test_rows_that_came_after_the_count_are_no_more_than_all() -> None:
    with Books.connect(":memory:") as books:
        meter = Meter(RUN, books, 100)
        books.put(Part(name="m", kind="users", number=0, rest={}, rows=50, items=60))
        half = meter.look(COPYING)
        assert (half.rows, half.total) == (50, 100)
        assert "Copied 50/100 50.0%" in str(half)
        books.put(Part(name="m", kind="users", number=0, rest=None, rows=120, items=140))
        whole = meter.look("done")
        assert (whole.rows, whole.total, whole.eta_s) == (120, 120, None)
        assert "Copied 120/120 100.0%; " in str(whole)
