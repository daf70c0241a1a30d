"""Campaigns of three users, whose ids begin alike, and what each access pattern gives of them."""

from datetime import date, datetime
from typing import Literal

from apps.campaigns.design import Campaign, Campaigns, Request, Session, Summary, Transcript, User
from singletable import Entity, Large
from tests.apps.worlds import Case, World, at

TEXT = "You stand before a gate. " * 400

Status = Literal["UPLOADED", "COMPLETED", "FAILED"]


def _campaign(user: str, campaign: str, name: str) -> Campaign:
    return Campaign(user_id=user, campaign_id=campaign, name=name, updated_at=at(3, 1))


def _session(
    path: str,
    name: str,
    recorded: datetime,
    status: Status = "UPLOADED",
    changed: datetime | None = None,
    **more: str,
) -> Session:
    user, campaign, session = path.split("/")
    return Session(
        user_id=user,
        campaign_id=campaign,
        session_id=session,
        name=name,
        description=more.get("description", ""),
        status=status,
        share_token=more.get("share_token"),
        created_at=recorded,
        updated_at=changed or recorded,
    )


def _transcript(path: str, job: str, text: str | None = None) -> Transcript:
    user, campaign, session = path.split("/")
    return Transcript(
        user_id=user,
        campaign_id=campaign,
        session_id=session,
        transcription_job_id=job,
        text=Large(text) if text else None,
        updated_at=at(3, 2),
    )


def _summary(path: str, audience: Literal["GM", "PLAYER"]) -> Summary:
    user, campaign, session = path.split("/")
    return Summary(
        user_id=user,
        campaign_id=campaign,
        session_id=session,
        audience=audience,
        content=f"What the {audience} should know.",
        updated_at=at(3, 3),
    )


ITEMS: list[Entity] = [
    User(user_id="u1", email="ann@example.com", name="Ann", updated_at=at(3, 1)),
    User(user_id="u10", email="ben@example.com", name="Ben", updated_at=at(3, 1)),
    _campaign("u1", "c1", "Dragon's Lair"),
    _campaign("u1", "c10", "Low Tide"),
    _campaign("u1", "c2", "The Long Road"),
    _campaign("u10", "c1", "Elsewhere"),
    _session("u1/c1/s1", "The gate", at(3, 1, 20)),
    _session(
        "u1/c1/s10",
        "The bridge",
        at(3, 2, 20),
        "COMPLETED",
        at(3, 7),
        description="Nobody reaches the gate.",
    ),
    _session("u1/c1/s2", "The hoard", at(3, 3, 20), "COMPLETED", at(3, 5), share_token="t-hoard"),
    _session("u1/c1/s3", "Escape", at(3, 4, 23, 59), "FAILED", at(3, 6)),
    _session(
        "u1/c10/s4", "The gate at sea", at(3, 3), "COMPLETED", at(3, 6), share_token="t-hoard-2"
    ),
    _session("u10/c1/s1", "The gate of others", at(3, 3), "COMPLETED", at(3, 6)),
    _transcript("u1/c1/s1", "j1", TEXT),
    _transcript("u1/c1/s10", "j10"),
    _summary("u1/c1/s1", "PLAYER"),
    _summary("u1/c1/s1", "GM"),
    _summary("u1/c1/s10", "GM"),
    _summary("u10/c1/s1", "GM"),
    Request(user_id="u1", request_id="r1", fingerprint="f", made={}, expires_at=at(12, 31, 13)),
]

CASES: list[Case[Campaigns]] = [
    Case("a user has a profile", lambda store: store.profile("u1"), ["User u1"]),
    Case("a stranger has none", lambda store: store.profile("u2"), []),
    Case(
        "campaigns come newest first",
        lambda store: store.campaigns("u1"),
        ["Campaign c2", "Campaign c10", "Campaign c1"],
    ),
    Case("a stranger has no campaigns", lambda store: store.campaigns("u2"), []),
    Case("a campaign is one item", lambda store: store.campaign("u1", "c1"), ["Campaign c1"]),
    Case(
        "sessions come newest first, of one campaign",
        lambda store: store.sessions("u1", "c1"),
        ["Session s3", "Session s2", "Session s10", "Session s1"],
    ),
    Case(
        "sessions between moments, both included",
        lambda store: store.sessions_between("u1", "c1", at(3, 1, 20), at(3, 3, 20)),
        ["Session s1", "Session s10", "Session s2"],
    ),
    Case(
        "sessions between dates, the whole last day included",
        lambda store: store.sessions_between("u1", "c1", date(2026, 3, 2), date(2026, 3, 4)),
        ["Session s10", "Session s2", "Session s3"],
    ),
    Case(
        "sessions of one day",
        lambda store: store.sessions_between("u1", "c1", date(2026, 3, 3), date(2026, 3, 3)),
        ["Session s2"],
    ),
    Case(
        "a session comes with its own transcript and summaries alone",
        lambda store: store.session("u1", "c1", "s1"),
        [
            {
                "session": "Session s1",
                "transcript": "Transcript s1",
                "summaries": ["Summary GM", "Summary PLAYER"],
            }
        ],
    ),
    Case(
        "a session may have no transcript and no summaries",
        lambda store: store.session("u1", "c1", "s2"),
        [{"session": "Session s2", "transcript": None, "summaries": []}],
    ),
    Case("there may be no session", lambda store: store.session("u1", "c1", "s"), []),
    Case(
        "summaries are of one session",
        lambda store: store.summaries("u1", "c1", "s1"),
        ["Summary GM", "Summary PLAYER"],
    ),
    Case(
        "players read their summary",
        lambda store: store.summary_for_players("u1", "c1", "s1"),
        ["Summary PLAYER"],
    ),
    Case(
        "players do not read the game master's",
        lambda store: store.summary_for_players("u1", "c1", "s10"),
        [],
    ),
    Case(
        "words are looked for in name and description",
        lambda store: store.sessions_about("u1", "c1", "gate"),
        ["Session s1", "Session s10"],
    ),
    Case(
        "what is done comes in the order of its completion, of all campaigns",
        lambda store: store.recently_done("u1", since=at(3, 5)),
        ["Session s2", "Session s4", "Session s10"],
    ),
    Case(
        "what was done before the visit is left out",
        lambda store: store.recently_done("u1", since=at(3, 5, 12, 1)),
        ["Session s4", "Session s10"],
    ),
    Case("a link leads to a session", lambda store: store.shared("t-hoard"), ["Session s2"]),
    Case("half a link leads nowhere", lambda store: store.shared("t-"), []),
    Case(
        "a job leads to its transcript",
        lambda store: store.transcript_of_job("j1"),
        ["Transcript s1"],
    ),
    Case("a request is known for a day", lambda store: store.receipt("u1", "r1"), ["Request r1"]),
    Case("only of who sent it", lambda store: store.receipt("u10", "r1"), []),
]


def world() -> World[Campaigns]:
    """Write the items into a store."""
    return World(Campaigns, ITEMS, CASES)
