"""Reads end to end: prefixes that hold, collections, smaller shapes, indexes, pointers, expiry."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from singletable.errors import (
    InvalidCursor,
    KeyValueError,
    MoreThanOne,
    NotFound,
    StoreError,
    UsageError,
)
from singletable.model.conditions import F
from singletable.model.entity import Entity, rest_of
from singletable.model.fields import Attribute, expires
from singletable.model.indexes import Index
from singletable.model.patterns import pattern
from singletable.model.reads import Get, Query, get_many
from singletable.model.table import GlobalIndex, LocalIndex, Table, camel_case
from singletable.model.upgrades import upgrade
from singletable.model.views import collect
from singletable.store.store import Store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

table = Table(
    "readings",
    attribute_names=camel_case,
    indexes=[
        "GSI1",
        GlobalIndex("keys", projection="KEYS_ONLY"),
        GlobalIndex("some", projection=["title"]),
        GlobalIndex("places", pk=["ownerId", "country"], sk=["city", "zip"]),
        LocalIndex("LSI1"),
        LocalIndex("LSI2", projection="KEYS_ONLY"),
    ],
)


class Stats(BaseModel):
    """What is counted."""

    reads: int = 0
    likes: int = 0


class Survey(Entity, table=table, pk="OWNER#{owner_id}", sk="SURVEY#{survey_id}"):
    """A survey, in every kind of index."""

    by_title = Index("GSI1", pk="TITLE#{title}", sk="{survey_id}")
    only_keys = Index("keys", pk="OWNER#{owner_id}", sk="{title}")
    some = Index("some", pk="OWNER#{owner_id}", sk="{survey_id}")
    places = Index("places", pk=["owner_id", "country"], sk=["city", "zip"])
    newest = Index("LSI2", sk="AGE#{age:03d desc}")
    oldest = Index("LSI1", sk="AGE#{age:03d}", when={"open": True})

    owner_id: str = "o"
    survey_id: str
    title: str = "t"
    first_note: str | None = None
    age: int = 0
    open: bool = True
    country: str | None = None
    city: str | None = None
    zip: int = 0
    stats: Stats = Stats()
    ends: datetime | None = expires()


class Section(Entity, table=table, pk="OWNER#{owner_id}", sk="SURVEY#{survey_id}#SECTION#{name}"):
    """A part of a survey."""

    owner_id: str = "o"
    survey_id: str
    name: str
    text: str = ""


class Link(Entity, table=table, pk="READER#{reader}", sk="LINK#{target}"):
    """Points at a survey."""

    reader: str = "r"
    target: str
    owner: str | None = "o"


class Old(Entity, table=table, pk="OLD#{name}", sk="OLD", schema=3):
    """Was written by two older versions."""

    name: str
    words: list[str]
    volume: int = 1
    nick: Annotated[str, Attribute("n", "nickName", "Nick")] = "none"

    @upgrade(1)
    def split(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        """Had one text."""
        return {**values, "words": values.pop("text").split()}

    @upgrade(2)
    def louder(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        """Had half the volume."""
        return {**values, "volume": values["volume"] * 2}


@dataclass
class Whole:
    """A survey with its sections."""

    survey: Survey
    sections: list[Section]


@dataclass
class Sections:
    """Some sections."""

    sections: list[Section]


class Readings(Store, table=table):
    """Reads surveys."""

    @pattern(page=2)
    def surveys(self, owner_id: str) -> Query[Survey]:
        """All of an owner."""
        return Survey.query(owner_id=owner_id)

    @pattern()
    def survey(self, survey_id: str) -> Get[Survey]:
        """One of them."""
        return Survey.get(owner_id="o", survey_id=survey_id)


@pytest.fixture
def store() -> Iterator[Readings]:
    """An empty table."""
    with Readings.connect(":memory:", clock=lambda: NOW) as made:
        yield made


def put_raw(store: Readings, **item: Any) -> None:
    texts = {name: {"S": one} if isinstance(one, str) else one for name, one in item.items()}
    store.backend.call("PutItem", {"TableName": table.name, "Item": texts})


def ids(found: Any) -> list[str]:
    return [one.survey_id for one in found]


# Prefixes

AWKWARD = ["1", "10", "1 ", "1!", '1"', "1$", "1\x01", "2", "é", "1\U0001f600"]


@pytest.mark.parametrize("wanted", AWKWARD)
def test_a_prefix_never_reaches_a_neighbour(store: Readings, wanted: str) -> None:
    for one in AWKWARD:
        store.put(Survey(survey_id=one))
        store.put(Section(survey_id=one, name=f"of {one}"))
    query = store.bind(Section.query(owner_id="o", survey_id=wanted))
    assert [one.name for one in query.all()] == [f"of {wanted}"]
    assert query.count() == 1
    views = store.bind(collect(Whole, owner_id="o", survey_id=wanted)).page()
    [view] = views
    assert view.survey.survey_id == wanted
    assert [one.name for one in view.sections] == [f"of {wanted}"]
    assert views.skipped == []


def test_a_query_gives_its_own_type_and_reports_what_else_lies_there(store: Readings) -> None:
    store.put(Survey(survey_id="1"))
    store.put(Section(survey_id="1", name="s"))
    page = store.bind(Survey.query(owner_id="o")).page()
    assert ids(page) == ["1"]
    assert [one.reason for one in page.skipped] == ["is of the type Section, not of Survey"]
    assert page.skipped[0].key == {"PK": {"S": "OWNER#o"}, "SK": {"S": "SURVEY#1#SECTION#s"}}
    assert store.bind(Survey.query(owner_id="o")).count() == 1
    assert ids([store.bind(Survey.query(owner_id="o").newest_first()).first()]) == ["1"]


@pytest.mark.parametrize("value", ["a#b", "", None, 1])
def test_a_key_of_another_shape_is_refused(store: Readings, value: Any) -> None:
    for read in (Survey.get(owner_id="o", survey_id=value), Section.query(owner_id=value)):
        with pytest.raises(KeyValueError):
            store.bind(read).first()


# One, first, all, count


def test_one_is_the_only_one(store: Readings) -> None:
    query = store.surveys("o")
    with pytest.raises(NotFound, match="no Survey for"):
        query.one()
    store.put(Survey(survey_id="1"))
    assert query.one().survey_id == "1"
    store.put(Survey(survey_id="2"))
    with pytest.raises(MoreThanOne):
        query.one()


def test_items_of_other_kinds_do_not_hide_the_second_one(store: Readings) -> None:
    store.put_many(
        [
            Survey(survey_id="1"),
            *(Section(survey_id="1", name=str(name)) for name in range(5)),
            Survey(survey_id="2"),
        ]
    )
    with pytest.raises(MoreThanOne):
        store.surveys("o").one()


def test_a_description_runs_in_every_way_sync_and_async(store: Readings) -> None:
    store.put_many(Survey(survey_id=str(at)) for at in range(5))
    query = store.surveys("o")
    wanted = ["0", "1", "2", "3", "4"]
    assert ids(query) == ids(query.all()) == wanted
    assert query.count() == 5

    async def everything() -> None:
        assert ids([one async for one in query]) == ids(await query.aall()) == wanted
        assert ids(await query.apage()) == ["0", "1"]
        assert await query.acount() == 5
        first = await query.afirst()
        assert first is not None
        assert first.survey_id == "0"
        assert (await store.survey("3").aone()).survey_id == "3"
        whole = await store.bind(collect(Whole, owner_id="o", survey_id="1")).apage()
        assert ids(view.survey for view in whole) == ["1"]

    asyncio.run(everything())


def test_a_page_may_have_another_size_than_the_one_before(store: Readings) -> None:
    store.put_many(Survey(survey_id=str(at)) for at in range(9))
    first = store.surveys("o").page()
    assert first.next is not None
    assert ids(store.surveys("o").limit(5).page(first.next)) == ["2", "3", "4", "5", "6"]
    with pytest.raises(InvalidCursor):
        store.surveys("p").page(first.next)


def test_a_limit_is_at_least_one(store: Readings) -> None:
    with pytest.raises(UsageError):
        store.surveys("o").limit(0)


def test_a_read_of_another_table_is_refused(store: Readings) -> None:
    other = Table("elsewhere")

    class Stranger(Entity, table=other, pk="S#{name}", sk="S"):
        name: str

    reads: list[Any] = [
        Stranger.get(name="s"),
        Stranger.query(name="s"),
        Stranger.scan(),
        get_many([Stranger.get(name="s")]),
    ]
    for read in reads:
        with pytest.raises(UsageError, match="The items are in"):
            store.bind(read).first()
        with pytest.raises(UsageError, match="The items are in"):
            store.bind(read).request()


# Expiry


def test_what_has_expired_is_gone_for_every_read(store: Readings) -> None:
    for name, ends in (("gone", NOW), ("soon", NOW + timedelta(seconds=1)), ("never", None)):
        store.put(Survey(survey_id=name, ends=ends))
    left = ["never", "soon"]
    query = store.bind(Survey.query(owner_id="o"))
    assert ids(query) == left
    assert query.count() == 2
    assert query.page().skipped == []
    assert query.filter(F("title") == "t").count() == 2
    assert ids([query.first()]) == ["never"]
    assert store.survey("gone").first() is None
    with pytest.raises(NotFound):
        store.survey("gone").one()
    gets = get_many(Survey.get(owner_id="o", survey_id=name) for name in ("gone", "soon"))
    assert ids(store.bind(gets).all()) == ["soon"]
    assert sorted(ids(store.bind(Survey.scan()).all())) == left
    assert store.bind(Survey.scan()).count() == 2
    assert store.bind(collect(Whole, owner_id="o", survey_id="gone")).all() == []


def test_an_expiry_that_is_no_number_is_none(store: Readings) -> None:
    put_raw(store, PK="OWNER#o", SK="SURVEY#1", Type="Survey", ownerId="o", surveyId="1", ttl="x")
    assert store.bind(Survey.query(owner_id="o")).count() == 1
    assert "ends" in store.surveys("o").page().skipped[0].reason


# What cannot be read


def test_a_broken_item_never_fails_a_page(store: Readings) -> None:
    store.put(Survey(survey_id="2"))
    put_raw(store, PK="OWNER#o", SK="SURVEY#1", Type="Survey", ownerId="o")
    put_raw(store, PK="OWNER#o", SK="SURVEY#3", Type="Martian")
    put_raw(store, PK="OWNER#o", SK="SURVEY#4", Type={"N": "1"})
    put_raw(store, PK="OWNER#o", SK="SURVEY", name="x")
    page = store.bind(Survey.query(owner_id="o")).page()
    assert ids(page) == ["2"]
    assert [one.reason for one in page.skipped] == [
        "is no valid Survey: survey_id: Field required",
        "is of the unknown type Martian",
        "has no Type, and no key of Survey",
    ]
    with pytest.raises(StoreError, match=r"Survey\(.*'1'\) is no valid Survey"):
        store.survey("1").one()
    many = store.bind(get_many(Survey.get(owner_id="o", survey_id=one) for one in "123")).page()
    assert ids(many) == ["2"]
    assert len(many.skipped) == 2


def test_an_item_without_a_type_is_told_by_its_key(store: Readings) -> None:
    put_raw(store, PK="OWNER#o", SK="SURVEY#1", ownerId="o", surveyId="1")
    assert ids(store.surveys("o")) == ["1"]
    assert ids([store.survey("1").one()]) == ["1"]
    assert ids(store.bind(Survey.scan()).all()) == ["1"]


def test_older_items_are_upgraded_when_they_are_read(store: Readings) -> None:
    put_raw(store, PK="OLD#a", SK="OLD", Type="Old", name="a", text="x y", volume={"N": "2"})
    second = {"L": [{"S": "z"}]}
    more = {"SchemaVersion": {"N": "2"}, "words": second, "volume": {"N": "4"}, "kept": {"N": "7"}}
    put_raw(store, PK="OLD#b", SK="OLD", Type="Old", name="b", **more)
    first = store.bind(Old.get(name="a")).one()
    assert (first.words, first.volume) == (["x", "y"], 4)
    other = store.bind(Old.get(name="b")).one()
    assert (other.words, other.volume, rest_of(other)) == (["z"], 8, {"kept": {"N": "7"}})
    again = store.bind(Old.get(name="b")).one()
    store.put(again)
    assert store.bind(Old.get(name="b")).one() == again
    assert rest_of(store.bind(Old.get(name="b")).one()) == {"kept": {"N": "7"}}


def test_an_upgrade_that_fails_is_reported(store: Readings) -> None:
    put_raw(store, PK="OLD#a", SK="OLD", Type="Old", name="a", text={"NULL": True})
    page = store.bind(Old.query(name="a")).page()
    assert page.items == []
    assert page.skipped[0].reason.startswith("cannot be read as Old: AttributeError")


@dataclass
class Loud:
    """A smaller shape of what has to be upgraded."""

    volume: int
    nick: str


def test_a_smaller_shape_of_an_older_item_is_upgraded_first(store: Readings) -> None:
    put_raw(
        store, PK="OLD#a", SK="OLD", Type="Old", name="a", text="x", volume={"N": "2"}, Nick="s"
    )
    store.put(Old(name="b", words=[], volume=2))
    assert store.bind(Old.get(name="a").only(Loud)).one() == Loud(4, "s")
    assert store.bind(Old.get(name="b").only(Loud)).one() == Loud(2, "none")


# Smaller shapes


@dataclass
class Card:
    """Some fields of a survey."""

    title: str
    first_note: str | None
    stats: Stats


class Reads(BaseModel):
    """A part of what is counted."""

    reads: int


class Model(BaseModel):
    """Some fields of a survey, one of them smaller itself."""

    survey_id: str
    stats: Reads


def test_a_smaller_shape_reads_only_its_fields(store: Readings) -> None:
    store.put(Survey(survey_id="1", stats=Stats(reads=3), city="Bern"))
    assert store.bind(Survey.query(owner_id="o").only(Card)).all() == [
        Card("t", None, Stats(reads=3))
    ]
    assert store.survey("1").only(Model).one() == Model(survey_id="1", stats=Reads(reads=3))
    assert store.bind(Survey.scan().only(Model)).all() == [
        Model(survey_id="1", stats=Reads(reads=3))
    ]
    assert store.bind(get_many([Survey.get(owner_id="o", survey_id="1").only(Card)])).one().title
    request = store.survey("1").only(Model).request()
    assert set(request["ExpressionAttributeNames"].values()) == {
        *("surveyId", "stats", "Type", "ttl", "PK", "SK")
    }


def test_a_smaller_shape_can_be_counted_filtered_and_paged(store: Readings) -> None:
    store.put_many(Survey(survey_id=str(at), age=at) for at in range(5))
    query = store.surveys("o").only(Model).filter(F("age") > 1)
    assert query.count() == 3
    assert ids(query) == ["2", "3", "4"]


def test_a_shape_with_other_fields_is_refused(store: Readings) -> None:
    @dataclass
    class Wrong:
        title: str
        colour: str

    with pytest.raises(UsageError, match="colour, which Survey lacks"):
        store.surveys("o").only(Wrong).all()


def test_a_shape_of_what_an_index_does_not_hold_is_refused(store: Readings) -> None:
    store.put(Survey(survey_id="1"))

    @dataclass
    class Title:
        title: str

    assert store.bind(Survey.some.query(owner_id="o").only(Title)).all() == [Title("t")]
    with pytest.raises(UsageError, match="Card has first_note, stats, which the index 'some'"):
        store.bind(Survey.some.query(owner_id="o").only(Card)).all()


# Indexes


def test_an_index_that_holds_items_in_part_gives_none_with_defaults_for_the_rest(
    store: Readings,
) -> None:
    store.put(Survey(survey_id="1", age=7))
    for query in (Survey.only_keys.query(owner_id="o"), Survey.some.query(owner_id="o")):
        with pytest.raises(UsageError, match=r"does not hold age, .* of Survey: read a part"):
            store.bind(query).all()
        assert store.bind(query).count() == 1
        assert store.bind(query.fetch(Survey)).one().age == 7
    with pytest.raises(UsageError, match="does not hold"):
        store.bind(Survey.some.scan()).all()
    assert store.bind(Survey.some.scan()).count() == 1


def test_a_local_index_that_holds_items_in_part_gives_them_whole(store: Readings) -> None:
    store.put(Survey(survey_id="1", age=7, title="x"))
    query = store.bind(Survey.newest.query(owner_id="o"))
    assert query.one().age == 7
    assert query.only(Card).one().title == "x"


def test_an_item_of_an_index_that_lacks_a_field_is_reported(store: Readings) -> None:
    @dataclass
    class Key:
        survey_id: str

    put_raw(store, PK="OWNER#o", SK="SURVEY#1", Type="Survey", GSI1PK="TITLE#t", GSI1SK="1")
    page = store.bind(Survey.by_title.query(title="t").only(Key)).page()
    assert page.items == []
    assert page.skipped[0].reason == "is no valid Survey: survey_id: Field required"


def test_a_local_index_orders_the_partition_anew_and_may_leave_items_out(store: Readings) -> None:
    for name, age, is_open in (("a", 3, True), ("b", 1, True), ("c", 2, False)):
        store.put(Survey(survey_id=name, age=age, open=is_open))
    assert ids(store.bind(Survey.oldest.query(owner_id="o").strong())) == ["b", "a"]
    assert ids(store.bind(Survey.oldest.query(owner_id="o").ge(2)).all()) == ["a"]


def test_an_index_of_several_attributes(store: Readings) -> None:
    for name, city, number in (("a", "Bern", 3000), ("b", "Bern", 400), ("c", "Basel", 4000)):
        store.put(Survey(survey_id=name, country="ch", city=city, zip=number))
    store.put(Survey(survey_id="d", country="ch", zip=1))
    places = Survey.places.query(owner_id="o", country="ch")
    assert ids(store.bind(places)) == ["c", "b", "a"]
    assert ids(store.bind(places.but(page_size=1).newest_first())) == ["a", "b", "c"]
    bern = Survey.places.query(owner_id="o", country="ch", city="Bern")
    assert ids(store.bind(bern.ge(500))) == ["a"]


def test_a_strong_read_of_a_global_index_is_refused() -> None:
    with pytest.raises(UsageError, match="is a global index"):
        Survey.by_title.query(title="t").strong()


# Collections


def test_a_collection_of_more_than_one_page_is_whole(store: Readings) -> None:
    store.put(Survey(survey_id="1"))
    store.put_many(Section(survey_id="1", name=f"{at:02d}", text="x" * 90_000) for at in range(30))
    [view] = store.bind(collect(Whole, owner_id="o", survey_id="1")).all()
    assert [one.name for one in view.sections] == [f"{at:02d}" for at in range(30)]


def test_what_has_no_place_in_a_view_is_reported(store: Readings) -> None:
    store.put(Section(survey_id="1", name="stray"))
    put_raw(store, PK="OWNER#o", SK="SURVEY#1#SECTION#2", Type="Section")
    page = store.bind(collect(Whole, owner_id="o", survey_id="1")).page()
    assert page.items == []
    reasons = [one.reason for one in page.skipped]
    assert len(reasons) == 2
    assert any("has no place in Whole" in one for one in reasons)
    assert any("is no valid Section" in one for one in reasons)


def test_a_collection_from_the_end_has_its_lists_so(store: Readings) -> None:
    store.put(Survey(survey_id="1"))
    store.put_many(Section(survey_id="1", name=one) for one in "abc")
    whole = collect(Whole, owner_id="o", survey_id="1")
    assert [one.name for one in store.bind(whole).one().sections] == ["a", "b", "c"]
    turned = store.bind(whole.newest_first())
    assert [one.name for one in turned.one().sections] == ["c", "b", "a"]
    assert turned.request() == {**store.bind(whole).request(), "ScanIndexForward": False}


def test_collections_know_only_what_is_in_keys() -> None:
    store = Readings.connect(":memory:")
    with pytest.raises(UsageError, match="title is in no key"):
        store.bind(collect(Whole, owner_id="o", title="t")).all()
    with pytest.raises(NotFound):
        store.bind(collect(Whole, owner_id="o", survey_id="1")).one()
    assert store.bind(collect(Sections, owner_id="o", survey_id="1")).one() == Sections([])


# Pointers, batches, copies


def test_pointers_are_followed_in_order(store: Readings) -> None:
    store.put_many(Survey(survey_id=name, title=name * 2) for name in "abc")
    store.put_many(Link(target=name) for name in "cxab")
    store.put(Link(target="n", owner=None))
    query = Link.query(reader="r").fetch(Survey, owner_id="owner", survey_id="target")
    page = store.bind(query).page()
    assert ids(page) == ["a", "b", "c"]
    assert [one.reason.split(":")[0] for one in page.skipped] == ["points at no Survey"]
    assert [one.survey_id for one in store.bind(query.only(Model))] == ["a", "b", "c"]
    with pytest.raises(UsageError, match="is no such pair"):
        Link.query(reader="r").fetch(Survey, survey_id="target")
    with pytest.raises(UsageError, match="is no part of Survey"):
        store.bind(query.only(Loud)).page()


def test_a_batch_keeps_its_order_and_leaves_missing_ones_out(store: Readings) -> None:
    store.put_many(Survey(survey_id=f"{at:03d}") for at in range(230))
    wanted = [f"{at:03d}" for at in (*range(229, -1, -1), 7, 7, 900)]
    gets = get_many(Survey.get(owner_id="o", survey_id=name) for name in wanted)
    assert ids(store.bind(gets).all()) == wanted[:-1]
    requests = store.bind(gets.strong()).requests()
    sizes = [len(one["RequestItems"][table.name]["Keys"]) for one in requests]
    assert sizes == [100, 100, 31]
    assert all(one["RequestItems"][table.name]["ConsistentRead"] for one in requests)
    assert store.bind(get_many([])).all() == []


def test_a_get_cannot_be_counted(store: Readings) -> None:
    with pytest.raises(UsageError, match=r"A Get has no count\(\)"):
        store.do("count", Survey.get(owner_id="o", survey_id="1"))
