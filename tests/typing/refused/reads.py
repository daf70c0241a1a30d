"""What type checkers refuse in reads: each line that is marked, and no other."""

from datetime import datetime

from apps.campaigns.design import Campaigns, Session
from singletable import Get, Query, collect, get_many


class Short:
    """Some fields of a session."""

    name: str


def arguments_of_patterns(store: Campaigns) -> None:
    """A pattern takes what its signature says."""
    store.sessions(user_id="u", campain_id="c")  # refused: misspelt
    store.sessions(user_id="u")  # refused: missing
    store.sessions("u", "c", "s")  # refused: too many
    store.sessions(user_id="u", campaign_id=7)  # refused: no text
    store.sessions(user_id="u", campaign_id=None)  # refused: perhaps missing
    store.recently_done("u", since="2026-01-01")  # refused: a text is no moment
    store.sesions("u", "c")  # refused: no such pattern


def attributes_of_what_is_read(query: Query[Session], get: Get[Session]) -> None:
    """An item has the fields of its entity."""
    query.one().nme  # refused: misspelt
    query.page()[0].nme  # refused: misspelt
    query.only(Short).one().status  # refused: no field of the smaller shape
    [each.nme for each in query]  # refused: misspelt
    get.one().name.real  # refused: a text is no number
    query.page().cursor  # refused: it is called next


def what_may_be_missing(query: Query[Session], get: Get[Session]) -> None:
    """There may be no first item, and no next page."""
    query.first().name  # refused: perhaps None
    get.first().name  # refused: perhaps None
    query.one().share_token.lower()  # refused: perhaps None
    cursor: str = query.page().next  # refused: perhaps None
    if (found := query.first()) is not None:
        cursor = found.name
    query.page(after=cursor)


def ways_to_run_a_read(store: Campaigns, query: Query[Session], get: Get[Session]) -> None:
    """One item has no pages; a page's cursor is a text."""
    get.page()  # refused: a get is one item
    get.count()  # refused: a get is one item
    list(get)  # refused: a get is one item
    store.session("u", "c", "s").page(after="x")  # refused: views are read whole
    query.page(after=2)  # refused: a cursor is a text
    query.limit("20")  # refused: no number
    query.limit(1.5)  # refused: no whole number
    get.newest_first()  # refused: one item has no order
    get_many([query])  # refused: only gets


async def awaiting(query: Query[Session]) -> None:
    """What is async has to be awaited."""
    query.apage().items  # refused: not awaited
    (await query.apage()).items.nme  # refused: a list
    for _ in query.aall():  # refused: not awaited
        pass
    await query.page()  # refused: not async
    async for session in query:
        session.nme  # refused: misspelt


def conditions(query: Query[Session]) -> None:
    """A filter is a condition."""
    query.filter("status = DONE")  # refused: a text
    query.filter(True)  # refused: a truth
    query.filter(Session.by_status)  # refused: an index


def descriptions(query: Query[Session], since: datetime) -> Query[Session]:
    """A description is of one kind and one type."""
    collect("SessionView", user_id="u")  # refused: a class is needed
    Session.by_staus.query(user_id="u")  # refused: misspelt
    Session.by_status.get(user_id="u")  # refused: an index is queried
    query.begins_with(since)  # refused: a text is needed
    return query.one()  # refused: an item is no description
