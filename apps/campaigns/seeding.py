"""Realistic data, the same whenever it is made: users, what they played, what was said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final, Literal

from singletable import Entity, Large

from .design import Campaign, Campaigns, Session, Summary, Transcript, User

Size = Literal["small", "medium", "large"]

USERS: Final[dict[Size, int]] = {"small": 3, "medium": 60, "large": 1000}
DONE = 0.8
"""So many sessions have been transcribed."""
BEGIN = datetime(2026, 1, 5, 19, tzinfo=UTC)

PLACES = ("Tavern", "Gate", "Crypt", "Harbour", "Tower", "Marsh", "Market", "Mine", "Bridge")
MOODS = ("Sunken", "Burning", "Silent", "Crooked", "Golden", "Forgotten", "Frozen", "Haunted")
FOES = ("goblins", "a lich", "the smugglers", "an owlbear", "the baron's men", "a young dragon")
FIRST = ("Ann", "Bela", "Chidi", "Dora", "Emil", "Farah", "Goran", "Hana", "Ines", "Jun")


def seed(store: Campaigns, size: Size = "small") -> int:
    """Fill a store; count the items."""
    count = 0
    for number in range(USERS[size]):
        items = list(_items(number, Random(number)))  # noqa: S311 - the same every time
        # Users and campaigns first: sessions are counted on their campaign.
        for item in items:
            if isinstance(item, (User, Campaign)):
                store.put(item)
        store.put_many(item for item in items if not isinstance(item, (User, Campaign)))
        count += len(items)
    return count


def _items(number: int, random: Random) -> Iterator[Entity]:
    user_id = f"user-{number:04d}"
    name = FIRST[number % len(FIRST)]
    joined = BEGIN + timedelta(hours=number)
    times: dict[str, Any] = {"created_at": joined, "updated_at": joined}
    yield User(user_id=user_id, email=f"{user_id}@example.com", name=name, **times)
    for place in random.sample(PLACES, random.randint(1, 3)):
        campaign_id = f"{place.lower()}-{number:04d}"
        title = f"The {random.choice(MOODS)} {place}"
        yield Campaign(user_id=user_id, campaign_id=campaign_id, name=title, **times)
        for evening in range(random.randint(2, 8)):
            yield from _session(user_id, campaign_id, evening, random)


def _session(user_id: str, campaign_id: str, evening: int, random: Random) -> Iterator[Entity]:
    ids: dict[str, Any] = {
        "user_id": user_id,
        "campaign_id": campaign_id,
        "session_id": f"{campaign_id}-s{evening:02d}",
    }
    played = BEGIN + timedelta(days=7 * evening, minutes=random.randint(0, 50))
    times: dict[str, Any] = {"created_at": played, "updated_at": played + timedelta(hours=3)}
    foe, place = random.choice(FOES), random.choice(PLACES).lower()
    is_done = random.random() < DONE
    yield Session(
        **ids,
        **times,
        name=f"Evening {evening + 1}: the {place}",
        description=f"The party met {foe}.",
        status="COMPLETED" if is_done else "UPLOADED",
        transcription_job_id=f"job-{ids['session_id']}" if is_done else None,
        share_token=f"share-{ids['session_id']}" if is_done else None,
    )
    if is_done:
        job, text = f"job-{ids['session_id']}", Large(_talk(foe, place, random))
        yield Transcript(**ids, **times, transcription_job_id=job, text=text)
        for audience in ("GM", "PLAYER"):
            content = f"At the {place} the party met {foe}, and lived to tell of it."
            yield Summary(**ids, **times, audience=audience, content=content)


def _talk(foe: str, place: str, random: Random) -> str:
    """Make what was said in an evening: some pages of it."""
    lines = (
        f"You reach the {place}, and it is dark.",
        f"I look for {foe}.",
        "Roll for it.",
        f"That is a {random.randint(2, 20)}.",
        "You hear something behind the door.",
        "We wait, and say nothing.",
    )
    return "\n".join(random.choice(lines) for _ in range(random.randint(80, 400)))
