"""What type checkers know of a store, with no plugin: all of it is accepted."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, assert_type

from apps.campaigns.design import Campaign, Campaigns, Session, SessionView, Transcript, User
from apps.stories.design import Stories, Story
from apps.surveys.design import Access, Owned, Survey, Surveys, Tenant
from singletable import (
    REMOVE,
    BatchGet,
    Collection,
    Condition,
    F,
    Get,
    Key,
    Large,
    Page,
    Query,
    Scan,
    Skipped,
    add,
    collect,
    get_many,
)


@dataclass
class Short:
    """Some fields of a session."""

    session_id: str
    name: str


def patterns_keep_their_signatures(store: Campaigns, surveys: Surveys, since: datetime) -> None:
    """The decorator leaves a method as it was written: by keyword, by position, by type."""
    assert_type(store.profile("u"), Get[User])
    assert_type(store.sessions(user_id="u", campaign_id="c"), Query[Session])
    assert_type(store.sessions("u", campaign_id="c"), Query[Session])
    assert_type(store.recently_done("u", since), Query[Session])
    assert_type(store.session("u", "c", "s"), Collection[SessionView])
    assert_type(surveys.everything("t"), Query[Owned])
    assert_type(surveys.confined(tenant_id="t").surveys("t"), Query[Survey])


def connecting_gives_the_class(address: str) -> None:
    """A store is known by its own class, however it is opened."""
    assert_type(Campaigns.connect(":memory:"), Campaigns)
    with Stories.connect(address) as stories:
        assert_type(stories, Stories)


def descriptions_know_their_entity(store: Campaigns) -> None:
    """An entity, its indexes and its bases describe reads of their own items."""
    assert_type(Session.get(user_id="u", campaign_id="c", session_id="s"), Get[Session])
    assert_type(Session.key(user_id="u", campaign_id="c", session_id="s"), Key[Session])
    assert_type(Session.query(user_id="u"), Query[Session])
    assert_type(Session.by_status.query(user_id="u", status="FAILED"), Query[Session])
    assert_type(Session.by_status.scan(), Scan[Session])
    assert_type(Session.scan().parallel(4), Scan[Session])
    assert_type(Session.scan().parallel(4).page(), Page[Session])
    assert_type(Owned.by_update.query(tenant_id="t"), Query[Owned])
    assert_type(Survey.by_update.query(tenant_id="t"), Query[Survey])
    assert_type(collect(SessionView, user_id="u"), Collection[SessionView])
    assert_type(get_many(Session.get(session_id=each) for each in "ab"), BatchGet[Session])
    assert_type(store.bind(Session.query(user_id="u")), Query[Session])


def refining_keeps_the_type(query: Query[Session], day: date, moment: datetime) -> None:
    """Order, ranges, filters and limits give the same kind of description."""
    assert_type(query.newest_first(), Query[Session])
    assert_type(query.between(day, day).limit(5), Query[Session])
    assert_type(query.limit(5).all(), list[Session])
    assert_type(query.ge(moment).filter(F("name") == "x").strong(), Query[Session])


def other_shapes_change_the_type(query: Query[Session], shared: Query[Access]) -> None:
    """What is read in place of the items is what comes back."""
    assert_type(query.only(Short), Query[Short])
    assert_type(query.only(Short).first(), Short | None)
    assert_type(Session.scan().only(Short), Scan[Short])
    assert_type(Session.get(session_id="s").only(Short), Get[Short])
    assert_type(shared.fetch(Survey, survey_id="survey_id"), Query[Survey])


def reads_give_entities(query: Query[Session], get: Get[User], cursor: str | None) -> None:
    """Every way to run a read says what it gives."""
    assert_type(query.page(), Page[Session])
    assert_type(query.page(after=cursor), Page[Session])
    assert_type(query.all(), list[Session])
    assert_type(query.first(), Session | None)
    assert_type(query.one(), Session)
    assert_type(query.count(), int)
    assert_type(iter(query), Iterator[Session])
    assert_type([session.name for session in query], list[str])
    assert_type(get.first(), User | None)
    assert_type(get.one().email, str)


def views_and_batches_give_what_they_hold(
    views: Collection[SessionView], batch: BatchGet[Session]
) -> None:
    """A view is read as one object, a batch as a list."""
    assert_type(views.one(), SessionView)
    assert_type(views.first(), SessionView | None)
    assert_type(views.all(), list[SessionView])
    assert_type(views.page(), Page[SessionView])
    assert_type(views.newest_first().limit(5), Collection[SessionView])
    assert_type(views.one().transcript, Transcript | None)
    assert_type(batch.strong().all(), list[Session])
    assert_type(batch.snapshot(), BatchGet[Session])
    assert_type(batch.page().skipped, list[Skipped])


def pages_are_lists_with_a_cursor(page: Page[Session]) -> None:
    """A page is gone through, measured and indexed; it knows what it left out."""
    assert_type(page.items, list[Session])
    assert_type([session.session_id for session in page], list[str])
    assert_type(page[0], Session)
    assert_type(page[1:], list[Session])
    assert_type(len(page), int)
    assert_type(page.next, str | None)
    assert_type(page.skipped, list[Skipped])


async def async_reads_give_the_same(store: Campaigns, query: Query[Session]) -> None:
    """The names with an ``a`` give, when awaited, what the others give."""
    assert_type(await query.apage(), Page[Session])
    assert_type(await query.aall(), list[Session])
    assert_type(await query.afirst(), Session | None)
    assert_type(await query.aone(), Session)
    assert_type(await query.acount(), int)
    assert_type(aiter(query), AsyncIterator[Session])
    assert_type([session.name async for session in query], list[str])
    assert_type(await store.session("u", "c", "s").aone(), SessionView)


def entities_are_pydantic_models(session: Session, moment: datetime) -> None:
    """What the library fills in may be left out; index names are no fields."""
    assert_type(User(user_id="u", email="a@b.c", name="A"), User)
    assert_type(Campaign(user_id="u", name="A", created_at=moment).campaign_id, str)
    assert_type(session.created_at, datetime)
    assert_type(session.share_token, str | None)
    assert_type(session.model_copy(update={"name": "x"}), Session)


def writes_give_what_is_stored(store: Campaigns, session: Session, key: Key[Session]) -> None:
    """Every write gives an entity of the type that it was given."""
    assert_type(store.put(session), Session)
    assert_type(store.put(session, only_if=F("status") != "FAILED"), Session)
    assert_type(store.create(session), Session)
    assert_type(store.update(key, name="x"), Session)
    assert_type(store.update(session, {"name": "x", "share_token": REMOVE}), Session)
    assert_type(store.upsert(session), Session)
    assert_type(store.upsert(key, {"name": "x"}, only_if=F("version") == 1), Session)
    assert_type(store.upsert(key, name="x"), Session)
    assert_type(store.edit(key, lambda found: found.model_copy(update={"name": "x"})), Session)
    store.delete(session, only_if=F("version") == 1)
    store.put_many([session, Tenant(tenant_id="t", name="A")])
    store.delete_many([session, key])


async def async_writes_give_the_same(store: Campaigns, session: Session) -> None:
    """The names with an ``a`` give, when awaited, what the others give."""
    assert_type(await store.aput(session), Session)
    assert_type(await store.acreate(session), Session)
    assert_type(await store.aupdate(session, name="x"), Session)
    assert_type(await store.aupsert(session), Session)
    assert_type(await store.aupsert(Session.key(session_id="s"), name="x"), Session)
    await store.adelete(session)
    async with store.transaction() as transaction:
        transaction.put(session)


def transactions_take_entities_and_keys(store: Stories, story: Story, key: Key[Story]) -> None:
    """A transaction takes what the store takes; what it did is known when it has ended."""
    with store.transaction("token") as transaction:
        transaction.create(story)
        transaction.update(key, {"stats.reads": add(1)}, only_if=F("status") == "PUBLISHED")
        transaction.check(key, F("version") == 1)
        transaction.delete(story)
    assert_type(transaction.results, list[Any])


def conditions_are_conditions(words: str) -> None:
    """Comparisons and functions make conditions, which ``&``, ``|`` and ``~`` combine."""
    assert_type(F("status") == "FAILED", Condition)
    assert_type(F("stats.reads") > F("stats.upvotes"), Condition)
    assert_type(F("name").contains(words) | ~F("description").exists(), Condition)
    assert_type((F("depth") < 3) & F("genre").is_in(["horror"]), Condition)
    assert_type(F("photos").size() >= 1, Condition)


async def large_content_is_text_or_bytes(
    store: Campaigns, text: Large[str], data: Large[bytes]
) -> None:
    """What is loaded is of the kind that was declared."""
    assert_type(store.load(text), str)
    assert_type(store.load(data), bytes)
    assert_type(await store.aload(text), str)
    assert_type(store.sweep(dry_run=True).parts, int)
