"""Who loads the services: what a user of each does, and what has to be there in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from apps.campaigns.design import Campaign, Campaigns, Session
from apps.stories.after import consumers
from apps.stories.design import Chapter, Stories, User
from apps.surveys.design import Survey, Surveys, SurveySection
from bench.services_client import Choice, Client, Json, differences
from singletable.streams import Worker
from singletable.streams.aggregates import verify


@dataclass
class GameMaster(Client):
    """Has a campaign; begins sessions, changes and reads them."""

    app = "campaigns"
    store = Campaigns

    begun: dict[str, int] = field(default_factory=dict)
    """Sessions, with how often each was changed."""

    def prepare(self) -> None:
        """Begin a campaign."""
        self.campaign = self.send("POST", "/campaigns", {"name": "Load"})["campaign_id"]
        self._here = f"/campaigns/{self.campaign}/sessions"
        self._begin()

    def choices(self) -> Sequence[Choice]:
        """Begin, change, read one, read all."""
        session = self.random.choice(list(self.begun))
        return (
            (0.2, self._begin),
            (0.4, lambda: self._change(session)),
            (0.7, lambda: self.send("GET", f"{self._here}/{session}")),
            (1.0, lambda: self.send("GET", self._here)),
        )

    @property
    def effects(self) -> int:
        """Count sessions and their changes."""
        return len(self.begun) + sum(self.begun.values())

    def _begin(self) -> None:
        made = self.make(self._here, {"name": f"Session {len(self.begun)}"}, "session_id")
        assert made not in self.begun
        self.begun[made] = 0

    def _change(self, session: str) -> None:
        version = {"If-Match": f'"{self.begun[session] + 1}"'}
        self.send("PATCH", f"{self._here}/{session}", {"description": "changed"}, version)
        self.begun[session] += 1

    @classmethod
    def audit(cls, store: Any, clients: Sequence[Self]) -> Iterator[str]:
        """Compare the sessions, their versions, and how many the campaign counts."""
        for one in clients:
            ids = {"user_id": one.user, "campaign_id": one.campaign}
            found = {each.session_id: each.version - 1 for each in store.bind(Session.query(**ids))}
            yield from differences(f"changes of sessions of {one.user}", one.begun, found)
            counted = store.bind(Campaign.get(**ids)).one().session_count
            yield from differences(f"sessions of {one.user}", len(one.begun), counted)


@dataclass
class Reader(Client):
    """Has a story; goes on with those of all, votes, reads."""

    app = "stories"
    store = Stories

    everybody: ClassVar[list[tuple[str, str]]] = []
    """Where all may go on: the first chapter of each story."""
    written: Counter[str] = field(default_factory=Counter)
    """How many chapters were written, by story."""
    votes: dict[tuple[str, str], str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Publish a story with one chapter."""
        self.send("PUT", "/me", {"display_name": self.user})
        cover = {"title": "Load", "synopsis": "", "genre": "test", "age_rating": "all"}
        story = self.send("POST", "/stories", cover)["story_id"]
        first = self._write(story, None)
        tag, status = {"If-Match": '"2"'}, {"status": "PUBLISHED"}
        self.send("PUT", f"/stories/{story}/status", status, tag)
        if not self.number:
            self.everybody.clear()
        self.everybody.append((story, first))
        self._vote(story, first)

    def choices(self) -> Sequence[Choice]:
        """Go on, vote, say that one has read; read a chapter, its branches, what is new."""
        story, node = self.random.choice(self.everybody)
        chapter = f"/stories/{story}/chapters/{node}"
        return (
            (0.15, lambda: self._write(story, node)),
            (0.35, lambda: self._vote(story, node)),
            (0.4, lambda: self.send("PUT", f"{chapter}/reading")),
            (0.7, lambda: self.send("GET", chapter)),
            (0.9, lambda: self.send("GET", f"{chapter}/branches")),
            (1.0, lambda: self.send("GET", "/stories")),
        )

    @property
    def effects(self) -> int:
        """Count chapters, and chapters that were voted on."""
        return self.written.total() + len(self.votes)

    def _write(self, story: str, parent: str | None) -> str:
        body = {"title": "On", "text": "It goes on.", "parent_node_id": parent}
        made: str = self.make(f"/stories/{story}/chapters", body, "node_id")
        self.written[story] += 1
        return made

    def _vote(self, story: str, node: str) -> None:
        way = self.random.choice(("UPVOTE", "DOWNVOTE"))
        self.send("PUT", f"/stories/{story}/chapters/{node}/vote", {"vote_type": way})
        self.votes[story, node] = way

    @classmethod
    def audit(cls, store: Any, clients: Sequence[Self]) -> Iterator[str]:
        """Compare chapters and votes, and all counts that follow from them."""
        Worker(store, *consumers(store)).drain()
        for drift in verify(store, settled=True):
            yield str(drift)
        for story, node in cls.everybody:
            found = Counter(one.author_id for one in store.bind(Chapter.query(story_id=story)))
            written = Counter({one.user: one.written[story] for one in clients})
            yield from differences(f"chapters of {story}", +written, +found)
            ways = Counter(one.votes.get((story, node)) for one in clients)
            chapter = store.chapter(story, node).one()
            counted = (chapter.upvote_count, chapter.downvote_count)
            expected = (ways["UPVOTE"], ways["DOWNVOTE"])
            yield from differences(f"votes on {node}", expected, counted)
        for one in clients:
            counted = store.bind(User.get(user_id=one.user)).one().branches_contributed
            yield from differences(f"chapters of {one.user}", one.written.total(), counted)


@dataclass
class Surveyor(Client):
    """Has a survey; adds sections, changes them, one by one and many at once."""

    app = "surveys"
    store = Surveys
    group: ClassVar[Json] = {"tenant_id": "acme"}

    added: dict[str, int] = field(default_factory=dict)
    """Sections, with how often each was changed."""

    def prepare(self) -> None:
        """Begin a survey."""
        self.survey = self.send("POST", "/surveys", {"title": "Load"})["survey_id"]
        self._here = f"/surveys/{self.survey}"
        self._add()

    def choices(self) -> Sequence[Choice]:
        """Add a section, change one, change several; read the survey, its sections, the list."""
        section = self.random.choice(list(self.added))
        return (
            (0.1, self._add),
            (0.25, lambda: self._change(section)),
            (0.35, self._change_many),
            (0.55, lambda: self.send("GET", self._here)),
            (0.8, lambda: self.send("GET", f"{self._here}/sections")),
            (1.0, lambda: self.send("GET", "/surveys")),
        )

    @property
    def effects(self) -> int:
        """Count sections and their changes."""
        return len(self.added) + sum(self.added.values())

    def _add(self) -> None:
        made = self.make(f"{self._here}/sections", {"name": "Roof"}, "section_id")
        assert made not in self.added
        self.added[made] = 0

    def _change(self, section: str) -> None:
        version = {"If-Match": f'"{self.added[section] + 1}"'}
        self.send("PATCH", f"{self._here}/sections/{section}", {"notes": "seen"}, version)
        self.added[section] += 1

    def _change_many(self) -> None:
        some = self.random.sample(list(self.added), min(5, len(self.added)))
        changes = [
            {
                "kind": "section",
                "id": one,
                "version": self.added[one] + 1,
                "fields": {"notes": "seen"},
            }
            for one in some
        ]
        assert self.make(f"{self._here}/batch", {"changes": changes}, "changed") == len(some)
        for one in some:
            self.added[one] += 1

    @classmethod
    def audit(cls, store: Any, clients: Sequence[Self]) -> Iterator[str]:
        """Compare the sections, their versions, and how many the survey counts."""
        for one in clients:
            ids = {"tenant_id": "acme", "survey_id": one.survey}
            sections = store.bind(SurveySection.query(**ids))
            found = {each.section_id: each.version - 1 for each in sections}
            yield from differences(f"changes of sections of {one.user}", one.added, found)
            counted = store.bind(Survey.get(**ids)).one().section_count
            yield from differences(f"sections of {one.user}", len(one.added), counted)


KINDS: tuple[type[Client], ...] = (GameMaster, Reader, Surveyor)
