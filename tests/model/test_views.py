"""View classes: what they may hold, what is refused and how that is said, what collect checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, assert_type

import pytest
from pydantic import BaseModel

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity
from singletable.model.indexes import Index
from singletable.model.reads import Collection
from singletable.model.table import Table
from singletable.model.views import View, collect

if TYPE_CHECKING:
    from decimal import Decimal as Unimported

table = Table("games", indexes=["GSI1", "GSI2"])


class Owned(Entity, table=table, pk="USER#{user_id}"):
    """What every item of a user has."""

    recent = Index("GSI1", pk="USER#{user_id}", sk="{user_id}")

    user_id: str


class Session(Owned, sk="SESSION#{session_id}"):
    """A session."""

    by_name = Index("GSI2", pk="NAME#{name}", sk="SESSION")

    session_id: str
    name: str = ""


class Transcript(Owned, sk="SESSION#{session_id}#TRANSCRIPT"):
    """What was said in a session."""

    by_name = Index("GSI2", pk="NAME#{name}", sk="TRANSCRIPT")

    session_id: str
    name: str = ""


class Summary(Owned, sk="SESSION#{session_id}#SUMMARY#{kind}"):
    """A summary of a session."""

    by_name = Index("GSI1", pk="NAME#{kind}", sk="SUMMARY")
    recent = Index("GSI2", pk="USER#{user_id}", sk="{user_id}")

    session_id: str
    kind: str


class Line(Owned, sk="SESSION#{session_id}#LINE#{number:04d}"):
    """A line of a session's transcript; nothing in it names a summary."""

    session_id: str
    number: int


class Unused(Entity, table=table, pk="UNUSED#{user_id}"):
    """A base from which nothing is derived."""

    user_id: str


class Elsewhere(Entity, table=Table("other"), pk="USER#{user_id}", sk="ELSEWHERE"):
    """An entity of another table."""

    user_id: str


@dataclass
class SessionView:
    """A session as its page shows it."""

    session: Session
    transcript: Transcript | None
    summaries: list[Summary]


@dataclass
class Later:
    """Names a view that is declared below it."""

    session: Session
    summaries: list[SummaryView]


class SummaryView(NamedTuple):
    """A summary and nothing else."""

    summary: Annotated[Summary, "by audience"]


class Model(BaseModel):
    """A view that is a pydantic model."""

    session: Session
    transcript: Transcript | None = None


@dataclass
class Options:
    """What a page shows: no view."""

    wide: bool = False


@dataclass
class Extras:
    """A view with fields that have nothing to do with entities."""

    session: Session
    title: str = "A session"
    options: Options = field(default_factory=Options)
    shown: int = field(init=False, default=0)
    pages: ClassVar[int] = 1


def view_of(**annotations: Any) -> type[Any]:
    """Make a dataclass with these annotations."""
    return dataclass(type("Page", (), {"__annotations__": annotations}))


def names(view: View[Any]) -> list[str]:
    return [schema.name for schema in view.entities]


def test_a_view_knows_its_class_its_table_and_its_entities() -> None:
    view = View.of(SessionView)
    assert (view.shape, view.table, view.via) == (SessionView, table, None)
    assert names(view) == ["Session", "Transcript", "Summary"]


def test_a_view_is_compiled_once_for_each_index() -> None:
    assert View.of(SessionView) is View.of(SessionView)
    assert View.of(Model, "by_name") is not View.of(Model)


@pytest.mark.parametrize(
    ("shape", "entities"),
    [
        (Later, ["Session", "Summary"]),
        (SummaryView, ["Summary"]),
        (Model, ["Session", "Transcript"]),
        (Extras, ["Session"]),
    ],
)
def test_dataclasses_models_and_named_tuples_are_views(
    shape: type[Any], entities: list[str]
) -> None:
    assert names(View.of(shape)) == entities


def test_unions_tuples_and_shared_bases_are_taken() -> None:
    shape = view_of(texts=list[Summary | Transcript], rest=tuple[Owned, ...])
    assert names(View.of(shape)) == ["Summary", "Transcript", "Owned"]


def test_entities_are_found_by_their_primary_keys() -> None:
    assert View.of(SessionView).keys(Session.__schema__) is Session.__schema__.keys


def test_entities_are_found_by_the_index_that_they_share() -> None:
    keys = View.of(Model, "by_name").keys(Transcript.__schema__)
    assert keys is Transcript.__schema__.index("by_name")
    assert keys.index.name == "GSI2"


class Loop(NamedTuple):
    """A view that is in itself."""

    session: Session
    others: list[Loop]


@dataclass
class Untold:
    """A view whose annotation means nothing at run time."""

    session: Session
    price: Unimported | None = None


class Rootless(NamedTuple):
    """A view of what belongs to no one item."""

    summaries: list[Summary]


class Unclear(NamedTuple):
    """Lines that do not say which summary is theirs."""

    summary: Summary
    lines: list[Line]


class Grabbing(NamedTuple):
    """A nested view that takes what is the root outside."""

    summary: Summary
    session: Session | None


REFUSED: list[tuple[type[Any], str]] = [
    (view_of(session=Session, title=str), r"Page\.title is no entity"),
    (view_of(session=Session, names=list[str]), r"Page\.names is no entity"),
    (view_of(session=Session, found=dict[str, Summary]), r"Page\.found is no entity"),
    (view_of(session=Session, found=list[Summary | None]), r"Page\.found is no entity"),
    (view_of(session=Session, found=list[Summary] | None), r"Page\.found is no entity"),
    (view_of(session=Session, nothing=None), r"Page\.nothing is no entity"),
    (view_of(session=Session, options=Options), r"Page\.options is no entity"),
    (view_of(found=list[Summary | int]), "Page holds no entity"),
    (view_of(anything=list[Entity]), "Page holds no entity"),
    (view_of(), "Page holds no entity"),
    (Options, "Options holds no entity"),
    (int, "int holds no entity"),
    (Session, "Session holds no entity"),
    (Untold, "annotations of Untold cannot be resolved .*Unimported"),
    (
        view_of(one=Session, other=Elsewhere | None),
        r"Table\('games'\), Elsewhere in Table\('other'",
    ),
    (view_of(session=Session, all=list[Session]), r"Page\.session and Page\.all both take Session"),
    (view_of(a=list[Summary], b=Summary | None), r"Page\.a and Page\.b both take Summary"),
    (view_of(a=list[SummaryView], b=list[Summary]), r"SummaryView\.summary and Page\.b both take"),
    (view_of(session=Session, a=list[Grabbing]), r"Page\.session and Grabbing\.session both take"),
    (view_of(session=Session, transcript=Transcript), "Page: session and transcript are each one"),
    (view_of(found=list[Unused]), "Unused lacks a part of its key and no entity is derived"),
    (view_of(session=Session, more=Rootless), r"Page\.more: Rootless has no field that is one"),
    (view_of(session=Session, parts=list[Unclear]), "Unclear: Line has no field kind, so nothing"),
    (Loop, "Loop holds itself"),
]


@pytest.mark.parametrize(("shape", "complaint"), REFUSED)
def test_a_class_that_cannot_be_a_view_is_refused(shape: type[Any], complaint: str) -> None:
    with pytest.raises(DesignError, match=complaint):
        View.of(shape)


def test_an_index_that_an_entity_lacks_is_refused_by_name() -> None:
    with pytest.raises(DesignError, match=r"'by_name', but Line declares no index .* recent$"):
        View.of(view_of(session=Session, lines=list[Line]), "by_name")


def test_one_name_for_two_indexes_is_refused() -> None:
    with pytest.raises(DesignError, match="'GSI2' for Session, but 'GSI1' for Summary"):
        View.of(SessionView, "by_name")


def test_collect_describes_a_read_and_its_type_is_the_views() -> None:
    read = collect(SessionView, user_id="u1", session_id="s1")
    assert_type(read, Collection[SessionView])
    assert read.view is View.of(SessionView)
    assert read.known == {"user_id": "u1", "session_id": "s1"}


def test_collect_reads_an_index() -> None:
    assert collect(Model, via="by_name", name="n").view.via == "by_name"


def test_collect_refuses_what_no_entity_has_and_says_what_can_be_known() -> None:
    with pytest.raises(UsageError, match=r"'sesion_id'.* user_id, session_id, kind$"):
        collect(SessionView, user_id="u1", sesion_id="s1")


def test_what_a_derived_entity_has_can_be_known_of_a_shared_base() -> None:
    shape = view_of(everything=list[Owned])
    assert collect(shape, user_id="u1", session_id="s1").known["session_id"] == "s1"
    with pytest.raises(UsageError, match="'colour'"):
        collect(shape, colour="red")
