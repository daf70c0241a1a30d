"""What writers do: jobs of one or several actions, as values that can be drawn and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from singletable import Large
from singletable.errors import (
    IdempotentParameterMismatchException,
    InternalServerError,
    NotFound,
    SingletableError,
    Unreachable,
    UsageError,
)
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.store.writing.actions import Action
from singletable.store.writing.committing import commit, write
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.ensuring import Ensuring
from singletable.store.writing.stored import read_as
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting

from .design import Banner, Lease, Member, Note, Report, Stamped, Team, Ticket

T = TypeVar("T")
Pick = Callable[[Sequence[Any]], Any]
"""Chooses one of several."""

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

KEYS: dict[type[Stamped], dict[str, Sequence[Any]]] = {
    Team: {"team_id": ["red", "blue"]},
    Member: {"member_id": ["a", "b", "c"]},
    Ticket: {"team_id": ["red", "blue"], "number": [1, 2, 3]},
    Report: {"report_id": ["1", "2", "3", "4", "5"]},
    Lease: {"name": ["p", "q"]},
    Banner: {"name": ["p", "q"]},
    Note: {"note_id": ["1", "2"]},
}
"""The values of key fields."""

VALUES: dict[type[Stamped], dict[str, Sequence[Any]]] = {
    Team: {"motto": [None, "m", "n"], "code": [None, "1", "2"]},
    Member: {
        "team_id": ["red", "blue", None],
        "role": ["lead", "other"],
        "email": [None, "x", "y#z"],
        "nick": [None, "n", "o"],
    },
    Ticket: {"text": ["", "t"]},
    Report: {"title": [None, None, "t", "u"]},
    Lease: {
        "holder": ["h", "i"],
        "until": [NOW + timedelta(minutes=minutes) for minutes in (10, 40, 100)],
    },
    Banner: {"slogan": [None, "s"]},
    Note: {"title": ["", "t"], "text": [None, "short", "a long text", "another long text"]},
}
"""The values of other fields."""

Kinds = Sequence[type[Stamped]]
EVERY: Kinds = [*[Member] * 3, *[Team] * 2, Ticket, *[Report] * 3, Lease, Banner, *[Note] * 2]
FEW: Sequence[Kinds] = [EVERY, EVERY, [Member, Team], [Ticket, Report, Team], [Lease], [Note]]
"""What the writers of one run write: the fewer kinds, the more they meet."""

WHOLE = {"create": Creating, "put": Putting, "upsert": Upserting}
BY_KEY = ["update", "update", "ensure", "edit", "edit", "delete"]
AS_READ = ["put read", "update read", "delete read"]
VERBS = [*WHOLE, *BY_KEY, *AS_READ]
"""What ends in "read" is done to an entity as it was read some time before."""

FIRST: list[Stamped] = [
    Team(team_id="red"),
    Team(team_id="blue", code="1"),
    Member(member_id="a", team_id="red", role="lead", email="x", nick="n"),
    Member(member_id="b", team_id="blue"),
    Ticket(team_id="red"),
    Report(report_id="1", title="t"),
    Lease(name="p", holder="h", until=NOW + timedelta(minutes=10)),
    Banner(name="p", slogan="s"),
    Note(note_id="1", text=Large("a text that is long")),
]
"""What is there before anybody writes."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One action on one item."""

    verb: str
    kind: type[Stamped]
    key: Mapping[str, Any]
    values: Mapping[str, Any]

    @property
    def stamps(self) -> int:
        """Tell how many items carry the stamp of its job when it is done."""
        return 0 if self.verb.startswith("delete") else self.kind.__schema__.copies or 1

    def action(self, context: Context, stamp: str) -> Program[Action[Any]]:
        """Make the action; reads the item where the verb says so."""
        values = {**self.values, "by": stamp}
        if isinstance(text := values.get("text"), str) and self.kind is Note:
            values["text"] = Large(text)
        if self.verb in WHOLE:
            fields = {**self.key, **values}
            if self.kind is Ticket:
                del fields["number"]
            return WHOLE[self.verb](self.kind(**fields))
        target: Any = self.kind.key(**self.key)
        if self.verb.endswith("read"):
            target = yield from self._read(context)
        return _action(self.verb.removesuffix(" read"), target, values)

    def _read(self, context: Context) -> Program[Any]:
        key = self.kind.key(**self.key).item_key
        request = {"TableName": context.table_name, "Key": key, "ConsistentRead": True}
        answer = yield from context.send("GetItem", request)
        if "Item" not in answer:
            raise NotFound(f"{self.kind.__name__} {self.key}")
        return read_as(self.kind.__schema__, answer["Item"])


def _action(verb: str, target: Any, values: Mapping[str, Any]) -> Action[Any]:
    match verb:
        case "update":
            return Updating(target, changes=values)
        case "ensure":
            return Ensuring(target, changes=values)
        case "edit":
            return Editing(target, change=lambda entity: entity.model_copy(update=values))
        case "put":
            return Putting(target.model_copy(update=values))
    return Deleting(target)


Job = tuple[Ask, ...]
"""What is done in one write, or, if it is several actions, in one transaction."""


def work(context: Context, job: Job, stamp: str) -> Program[Any]:
    """Do a job."""
    actions: list[Action[Any]] = []
    for ask in job:
        actions += [(yield from ask.action(context, stamp))]
    if len(actions) == 1:
        return (yield from write(context, actions[0]))
    return (yield from _insist(context, actions, stamp))


def _insist(context: Context, actions: Sequence[Action[Any]], token: str) -> Program[None]:
    """Ask for a transaction, and unless it was refused once more, which the token makes one."""
    unknown: SingletableError | None = None
    try:
        yield from _once(context, actions, token)
    except (Unreachable, InternalServerError) as error:
        if isinstance(error, Unreachable) and not error.perhaps_done:
            raise
        unknown = error
    try:
        yield from _once(context, actions, token)
    except SingletableError:  # which does not say what became of the first
        if unknown:
            raise unknown from None


def _once(context: Context, actions: Sequence[Action[Any]], token: str) -> Program[None]:
    """Carry out a transaction, or hear that it was done already."""
    try:
        yield from commit(context, actions, token)
    except UsageError as error:
        if not isinstance(error.__cause__, IdempotentParameterMismatchException):
            raise


def any_job(pick: Pick, kinds: Kinds = EVERY) -> Job:
    """Choose a job."""
    return tuple(any_ask(pick, kinds) for _ in range(pick([1, 1, 1, 2, 3])))


def any_ask(pick: Pick, kinds: Kinds = EVERY) -> Ask:
    """Choose an action, on whole items with all values, else on all or on one alone."""
    verb, kind = pick(VERBS), pick(kinds)
    if (verb, kind) == ("ensure", Ticket):
        verb = "update"  # for whoever makes a ticket by its key has chosen its number
    key = {name: pick(options) for name, options in KEYS[kind].items()}
    if verb.startswith("delete"):
        return Ask(verb, kind, key, {})
    names = list(VALUES[kind])
    if verb not in WHOLE:
        names = pick([names, *([name] for name in names)])
    return Ask(verb, kind, key, {name: pick(VALUES[kind][name]) for name in names})
