"""A store: declared with a table, connected to something, confined, bound, closed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from singletable import (
    DesignError,
    Engine,
    Entity,
    Get,
    Index,
    IndexMissing,
    LocalIndex,
    Query,
    Store,
    Table,
    TableMissing,
    UsageError,
    count_of,
    pattern,
)
from singletable.backends.boto3 import client as in_process
from singletable.errors import ResourceNotFoundException, ValidationException
from singletable.store.observing.events import RequestEvent

table = Table("things", indexes=["GSI1"])


class Thing(Entity, table=table, pk="USER#{user_id}", sk="THING#{thing_id}"):
    """Something that a user has."""

    user_id: str
    thing_id: str
    name: str = ""


class Things(Store, table=table):
    """Two patterns."""

    @pattern()
    def thing(self, user_id: str, thing_id: str) -> Get[Thing]:
        """One thing."""
        return Thing.get(user_id=user_id, thing_id=thing_id)

    @pattern(page=2, rate_per_s=5)
    def things(self, user_id: str) -> Query[Thing]:
        """All things of a user."""
        return Thing.query(user_id=user_id)


def test_a_store_knows_its_patterns_in_the_order_they_were_written() -> None:
    assert list(Things.patterns) == ["thing", "things"]
    declared = Things.patterns["things"]
    assert (declared.purpose, declared.page, declared.rate_per_s) == ("All things of a user.", 2, 5)


def test_a_derived_store_has_the_patterns_of_its_base_too() -> None:
    class More(Things):
        @pattern()
        def first(self, user_id: str) -> Query[Thing]:
            return Thing.query(user_id=user_id).limit(1)

    assert list(More.patterns) == ["thing", "things", "first"]


def test_a_store_without_a_table_is_refused() -> None:
    with pytest.raises(DesignError, match=r"Nowhere has no table: class Nowhere\(Store, table=…\)"):

        class Nowhere(Store):
            pass


def test_what_is_put_in_a_file_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    with Things.connect(tmp_path / "things.db") as store:
        store.put(Thing(user_id="u", thing_id="1", name="a"))
    with Things.connect(str(tmp_path / "things.db")) as store:
        assert store.thing("u", "1").one().name == "a"


def test_a_store_runs_on_an_engine_and_does_not_close_it() -> None:
    with Engine() as engine:
        with Things.connect(engine) as store:
            store.put(Thing(user_id="u", thing_id="1"))
        assert engine.scan(TableName="things")["Count"] == 1


def test_the_table_name_is_given_when_a_store_connects() -> None:
    with Engine() as engine:
        Things.connect(engine, table_name="things-dev")
        assert engine.list_tables()["TableNames"] == ["things-dev"]


def test_a_table_is_created_only_where_it_is_asked_for() -> None:
    with Engine() as engine:
        Things.connect(engine, create=False)
        assert engine.list_tables()["TableNames"] == []


def test_a_description_that_is_not_bound_says_how_to_run_it() -> None:
    with pytest.raises(UsageError, match=r"A Query runs through a store: .* store.bind\(it\)"):
        Thing.query(user_id="u").all()


def test_a_description_that_is_no_pattern_runs_when_it_is_bound() -> None:
    with Things.connect(":memory:") as store:
        store.put(Thing(user_id="u", thing_id="1", name="a"))
        assert [one.name for one in store.bind(Thing.query(user_id="u"))] == ["a"]


def test_a_description_shared_by_two_stores_runs_on_the_one_that_was_asked() -> None:
    shared = Thing.query(user_id="u")

    class Sharing(Store, table=table):
        @pattern()
        def all_of(self) -> Query[Thing]:
            return shared

    with Sharing.connect(":memory:") as one, Sharing.connect(":memory:") as other:
        asked = one.all_of()
        one.put(Thing(user_id="u", thing_id="1"))
        assert len(other.all_of().all()) == 0
        assert len(asked.all()) == 1


def test_a_pattern_that_returns_no_description_is_a_fault_of_the_design() -> None:
    class Wrong(Store, table=table):
        @pattern()
        def nothing(self) -> Query[Thing]:
            return []  # type: ignore[return-value]  # the fault that is tested

    with Wrong.connect(":memory:") as store, pytest.raises(DesignError, match="returns list"):
        store.nothing()


def test_every_request_is_observed_with_the_pattern_that_it_is_for() -> None:
    events: list[RequestEvent] = []
    with Things.connect(":memory:", observers=[events.append]) as store:
        events.clear()
        store.put(Thing(user_id="u", thing_id="1"))
        store.things("u").all()
    assert [(one.operation, one.pattern, one.consumed) for one in events] == [
        ("PutItem", None, 1.0),
        ("Query", "things", 0.5),
    ]


def test_the_async_form_does_the_same() -> None:
    async def session() -> list[str]:
        async with Things.connect(":memory:") as store:
            for number in range(5):
                await store.aput(Thing(user_id="u", thing_id=str(number)))
            page = await store.things("u").apage()
            rest = await store.things("u").apage(page.next)
            every = [one.thing_id async for one in store.things("u")]
            assert await store.things("u").acount() == 5
            assert await store.thing("u", "9").afirst() is None
            assert [one.thing_id for one in (*page, *rest)] == every[:4]
            return every

    assert asyncio.run(session()) == ["0", "1", "2", "3", "4"]


def test_names_in_a_class_are_found_by_type_checkers_and_by_the_store() -> None:
    assert Things.table is table
    assert Things.patterns["thing"].method.__name__ == "thing"


def test_closing_a_confined_store_leaves_its_parent_open() -> None:
    with Things.connect(":memory:") as store:
        with store.confined(user_id="u") as confined:
            confined.put(Thing(user_id="u", thing_id="1"))
        store.show(lambda shown: shown.close())
        assert store.thing("u", "1").first() is not None


def test_closing_a_confined_store_leaves_its_parent_open_in_async_code() -> None:
    async def session() -> Thing | None:
        async with Things.connect(":memory:") as store:
            async with store.confined(user_id="u") as confined:
                await confined.aput(Thing(user_id="u", thing_id="1"))
            return await store.thing("u", "1").afirst()

    assert asyncio.run(session()) is not None


@pytest.mark.parametrize("name", ["put", "aload", "close", "bind", "patterns", "table", "backend"])
def test_a_pattern_cannot_take_the_place_of_what_a_store_does(name: str) -> None:
    def body(_: Store) -> Query[Thing]:
        return Thing.query(user_id="u")

    body.__name__ = name
    with pytest.raises(DesignError, match=rf"Wrong\.{name} would take the place of Store\.{name}"):
        type("Wrong", (Store,), {name: pattern()(body)}, table=table)


def test_an_empty_cursor_is_the_first_page() -> None:
    with Things.connect(":memory:") as store:
        for number in range(3):
            store.put(Thing(user_id="u", thing_id=str(number)))
        assert store.things("u").page("") == store.things("u").page()
        assert asyncio.run(store.things("u").apage("")) == store.things("u").page()


WITHOUT_TABLE: dict[str, Any] = {
    "a read": lambda store: store.thing("u", "1").first(),
    "a query": lambda store: store.things("u").all(),
    "a write": lambda store: store.put(Thing(user_id="u", thing_id="1")),
    "a batch": lambda store: store.put_many([Thing(user_id="u", thing_id="1")]),
}


@pytest.mark.parametrize("case", WITHOUT_TABLE)
def test_a_table_that_is_not_there_is_told_with_what_creates_it(case: str) -> None:
    with Things.connect(":memory:", create=False) as store:
        with pytest.raises(TableMissing) as raised:
            WITHOUT_TABLE[case](store)
        assert str(raised.value) == (
            "There is no table 'things' at :memory:: create it with store.create_table(), or "
            "connect(…, create=True)"
        )
        assert isinstance(raised.value.__cause__, ResourceNotFoundException)
        store.create_table()
        WITHOUT_TABLE[case](store)


def test_a_missing_table_is_told_without_a_place_that_has_no_name() -> None:
    with Engine() as engine:
        for nowhere in (engine, in_process(engine)):
            with pytest.raises(TableMissing, match="no table 'things': create it"):
                Things.connect(nowhere, create=False).things("u").all()


INDEXED = Table("things", indexes=["GSI1", "GSI2", LocalIndex("LSI1", sk="LSI1SK")])


class Indexed(Entity, table=INDEXED, pk="USER#{user_id}", sk="THING#{thing_id}"):
    by_name = Index("GSI2", pk="NAME#{name}", sk="{thing_id}")
    by_weight = Index("LSI1", sk="WEIGHT#{name}")

    user_id: str
    thing_id: str
    name: str = ""


class LaterThings(Store, table=INDEXED):
    """The store of a design with more indexes than its table was made with."""


def test_an_index_that_the_table_lacks_is_told_with_what_adds_it(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    Things.connect(path).close()
    with LaterThings.connect(path) as store:
        with pytest.raises(IndexMissing) as raised:
            store.bind(Indexed.by_name.query(name="a")).all()
        assert str(raised.value) == (
            f"The table 'things' at {path} does not have the index 'GSI2' of the design, with the "
            'keys GSI2PK, GSI2SK: add it with store.send("UpdateTable", …), and fill it with '
            "singletable migrate backfill (A new index, in docs/backfill.md)"
        )
        assert isinstance(raised.value.__cause__, ValidationException)
        with pytest.raises(IndexMissing, match="a local index comes with a new table alone"):
            store.bind(Indexed.by_weight.query(user_id="u")).all()


def test_an_index_that_the_design_lacks_too_is_told_as_the_service_does() -> None:
    with Things.connect(":memory:") as store, pytest.raises(ValidationException, match="GSI9"):
        store.send("Scan", {"TableName": store.table_name, "IndexName": "GSI9"})


def test_a_store_says_what_it_can_be_connected_to() -> None:
    with pytest.raises(UsageError, match="cannot be connected to 123: give an address"):
        Things.connect(123)


def test_two_tables_of_one_name_are_told_apart() -> None:
    other = Table("things")

    class Thing(Entity, table=other, pk="USER#{user_id}", sk="THING"):
        user_id: str

    with Things.connect(":memory:") as store:
        with pytest.raises(UsageError, match="as when a module is loaded twice"):
            store.put(Thing(user_id="u"))
        with pytest.raises(UsageError, match="as when a module is loaded twice"):
            store.bind(Thing.get(user_id="u")).one()


def test_an_entity_of_another_table_is_refused_without_that_guess() -> None:
    class Stray(Entity, table=Table("elsewhere"), pk="STRAY#{name}", sk="STRAY"):
        name: str

    with Things.connect(":memory:") as store, pytest.raises(UsageError) as raised:
        store.put(Stray(name="s"))
    assert "loaded twice" not in str(raised.value)


def test_a_rule_that_cannot_be_kept_is_refused_with_the_store() -> None:
    astray = Table("astray")

    class Shelf(Entity, table=astray, pk="SHELF#{shelf_id}", sk="SHELF"):
        shelf_id: str
        books: int = count_of("Book")

    class Book(Entity, table=astray, pk="BOOK#{book_id}", sk="BOOK"):
        book_id: str

    with pytest.raises(DesignError, match=r"Shelf\.books: Book has no field 'shelf_id'"):

        class Shelves(Store, table=astray):
            """No write is needed to find out."""
