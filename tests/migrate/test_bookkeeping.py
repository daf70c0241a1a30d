"""What a migration remembers is read as it was written last, by whoever goes on."""

from __future__ import annotations

from typing import Any

from singletable.migrate.bookkeeping import Books


def test_every_read_sees_the_last_write() -> None:
    with Books.connect(":memory:") as books:
        reads: list[Any] = [
            *(books.run_of("m"), books.phase_of("m"), books.return_of("m")),
            *(books.parts("m"), books.applying("m"), books.moves("m"), books.unequal("m")),
            *(books.rejected("m", "kind"), books.wanted("m", "item"), books.journal("m", 0)),
        ]
        assert len(reads) == len(Books.patterns)
        assert all(request["ConsistentRead"] for read in reads for request in read.requests())
