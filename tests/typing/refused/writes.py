"""What type checkers refuse in writes: each line that is marked, and no other."""

from apps.campaigns.design import Campaign, Campaigns, Session, User
from singletable import F, Key


def entities(session: Session) -> None:
    """An entity takes its fields, and has no others."""
    User(user_id="u", email="a@b.c")  # refused: no name
    User(user_id="u", email="a@b.c", nme="A")  # refused: misspelt
    User(user_id=1, email="a@b.c", name="A")  # refused: no text
    Session(user_id="u", campaign_id="c", name="n", status="DONE")  # refused: no such status
    Session(user_id="u", campaign_id="c", name="n", by_status="x")  # refused: an index
    session.nme  # refused: misspelt
    session.nme = "x"  # refused: misspelt
    session.status = "DONE"  # refused: no such status


def what_is_written(store: Campaigns, session: Session, key: Key[Session]) -> None:
    """Entities and keys are written, and conditions asked."""
    store.put({"user_id": "u"})  # refused: no entity
    store.put(key)  # refused: no entity
    store.put(session).nme  # refused: misspelt
    store.put(session, only_if=session.version == 1)  # refused: a truth
    store.put(session, only_if=F("version"))  # refused: a field is no condition
    store.create(session, only_if=F("version") == 1)  # refused: it has its own condition
    store.update("USER#u", name="x")  # refused: no key
    store.update(key, name="x").nme  # refused: misspelt
    store.edit(key, lambda found: found.name)  # refused: gives no entity
    store.delete("USER#u")  # refused: no key
    store.put_many([session, "x"])  # refused: no entity
    campaign: Campaign = store.update(key, name="x")  # refused: another entity
    store.put(campaign)


async def awaiting(store: Campaigns, session: Session) -> None:
    """What is async has to be awaited."""
    store.aput(session).name  # refused: not awaited
    await store.put(session)  # refused: not async
    async with store.transaction() as transaction:
        await transaction.put(session)  # refused: sent when the block ends


def transactions(store: Campaigns, session: Session, key: Key[Session]) -> None:
    """A transaction takes what the store takes, and reads nothing."""
    with store.transaction() as transaction:
        transaction.put("x")  # refused: no entity
        transaction.check(key, True)  # refused: a truth
        transaction.put(session).name  # refused: nothing is there yet
        transaction.sessions("u", "c")  # refused: no reads


def conditions() -> None:
    """Conditions combine with others of their kind."""
    (F("status") == "FAILED") & True  # refused: a truth
    ~F("status")  # refused: a field is no condition
    F("status") & F("name")  # refused: fields are no conditions
    F("status").contain("x")  # refused: misspelt
    F("status").is_in(3)  # refused: no list
    not F("status").exists()  # refused by pyright: ~ is meant
    if F("status") == "FAILED":  # refused by pyright: nothing is known yet
        pass
