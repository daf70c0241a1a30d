"""Items become views: who belongs to whom, what is left over, and that it takes linear time."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from singletable.model.entity import Entity
from singletable.model.table import Table
from singletable.model.views import View

table = Table("surveys")


class Owned(Entity, table=table, pk="TENANT#{tenant_id}"):
    """What every item of a tenant has."""

    tenant_id: str = "t"


class Survey(Owned, sk="SURVEY#{survey_id}"):
    """A survey."""

    survey_id: str


class Cover(Owned, sk="SURVEY#{survey_id}#COVER"):
    """The cover of a survey."""

    survey_id: str
    title: str = ""


class Section(Owned, sk="SURVEY#{survey_id}#SECTION#{section_id}"):
    """A section of a survey."""

    survey_id: str
    section_id: str
    order: int = 0


class Element(Owned, sk="SURVEY#{survey_id}#ELEMENT#{element_id}"):
    """An element in a section: its key does not name the section, a field does."""

    survey_id: str
    section_id: str
    element_id: str


class Component(Owned, sk="SURVEY#{survey_id}#COMPONENT#{component_id}"):
    """A component of an element."""

    survey_id: str
    element_id: str
    component_id: str


class Note(Owned, sk="SURVEY#{survey_id}#NOTE#{note_id}"):
    """A note on a section, or on the survey as a whole."""

    survey_id: str
    section_id: str | None = None
    note_id: str


@dataclass
class ElementView:
    """An element with its components."""

    element: Element
    components: list[Component]


@dataclass
class SectionView:
    """A section with its elements."""

    section: Section
    elements: list[ElementView]


@dataclass
class SurveyView:
    """A whole survey."""

    survey: Survey
    sections: list[SectionView]

    def __post_init__(self) -> None:
        self.sections.sort(key=lambda view: view.section.order)


@dataclass
class Front:
    """A survey's first page, with a field of its own."""

    survey: Survey
    cover: Cover | None
    notes: list[Note]
    language: str = "en"


def view_of(**annotations: Any) -> type[Any]:
    """Make a dataclass with these annotations."""
    return dataclass(type("Page", (), {"__annotations__": annotations}))


def survey(survey_id: str) -> Survey:
    return Survey(survey_id=survey_id)


def section(survey_id: str, section_id: str, order: int = 0) -> Section:
    return Section(survey_id=survey_id, section_id=section_id, order=order)


def element(survey_id: str, section_id: str, element_id: str) -> Element:
    return Element(survey_id=survey_id, section_id=section_id, element_id=element_id)


def component(survey_id: str, element_id: str, component_id: str) -> Component:
    return Component(survey_id=survey_id, element_id=element_id, component_id=component_id)


def note(survey_id: str, note_id: str, section_id: str | None = None) -> Note:
    return Note(survey_id=survey_id, note_id=note_id, section_id=section_id)


def test_each_item_goes_to_the_root_that_its_fields_name() -> None:
    one, other, cover = survey("1"), survey("2"), Cover(survey_id="2")
    notes = [note("2", "c"), note("1", "b"), note("2", "a")]
    assembly = View.of(Front).assemble([other, one, cover, *notes])
    assert assembly.views == [
        Front(other, cover, [notes[0], notes[2]]),
        Front(one, None, [notes[1]]),
    ]
    assert assembly.strays == []


def test_no_items_give_no_views() -> None:
    assembly = View.of(Front).assemble([])
    assert (assembly.views, assembly.strays) == ([], [])


def test_items_without_their_root_are_strays_in_the_order_they_came() -> None:
    orphans = [note("1", "b"), Cover(survey_id="1"), note("1", "a")]
    assembly = View.of(Front).assemble(orphans)
    assert (assembly.views, assembly.strays) == ([], orphans)


def test_items_of_another_tenant_are_strays() -> None:
    foreign = Note(tenant_id="other", survey_id="1", note_id="a")
    assembly = View.of(Front).assemble([survey("1"), foreign])
    assert assembly.strays == [foreign]


def test_items_of_an_entity_that_is_not_in_the_view_are_strays() -> None:
    unasked = section("1", "s")
    assert View.of(Front).assemble([survey("1"), unasked]).strays == [unasked]


def test_a_second_item_for_a_single_field_is_a_stray() -> None:
    first, second = Cover(survey_id="1", title="A"), Cover(survey_id="1", title="B")
    assembly = View.of(Front).assemble([survey("1"), first, second])
    assert assembly.views == [Front(survey("1"), first, [])]
    assert assembly.strays == [second]


def test_the_levels_of_a_survey_are_put_together_and_its_own_code_runs() -> None:
    late, early = section("1", "late", order=2), section("1", "early", order=1)
    walls, roof = element("1", "late", "walls"), element("1", "early", "roof")
    tiles, slates = component("1", "roof", "tiles"), component("1", "roof", "slates")
    assembly = View.of(SurveyView).assemble([tiles, walls, roof, slates, late, early, survey("1")])
    assert assembly.views == [
        SurveyView(
            survey("1"),
            [
                SectionView(early, [ElementView(roof, [tiles, slates])]),
                SectionView(late, [ElementView(walls, [])]),
            ],
        )
    ]
    assert assembly.strays == []


def test_all_below_a_missing_section_is_stray() -> None:
    lost = [component("1", "roof", "tiles"), element("1", "gone", "roof")]
    assembly = View.of(SurveyView).assemble([*lost, survey("1")])
    assert assembly.views == [SurveyView(survey("1"), [])]
    assert assembly.strays == lost


def test_view_classes_run_no_code_for_strays() -> None:
    made: list[str] = []

    class Watched(BaseModel):
        section: Section

        def model_post_init(self, context: object, /) -> None:
            made.append(self.section.section_id)

    shape = view_of(survey=Survey, sections=list[Watched])
    View.of(shape).assemble([survey("1"), section("1", "in"), section("2", "out")])
    assert made == ["in"]


def test_a_view_without_a_root_is_one_object_that_holds_all() -> None:
    shape = view_of(cover=Cover | None, notes=list[Note])
    notes = [note("2", "a"), note("1", "b")]
    assert View.of(shape).assemble(notes).views == [shape(None, notes)]
    assert View.of(shape).assemble([]).views == [shape(None, [])]


def test_a_list_of_several_entities_keeps_the_order_of_the_items() -> None:
    shape = view_of(survey=Survey, papers=list[Cover | Note])
    papers: list[Entity] = [note("1", "a"), Cover(survey_id="1"), note("1", "b")]
    assert View.of(shape).assemble([survey("1"), *papers]).views == [shape(survey("1"), papers)]


def test_a_shared_base_takes_what_no_other_field_does() -> None:
    shape = view_of(survey=Survey, notes=tuple[Note, ...], rest=list[Owned])
    remark, cover, part = note("1", "a"), Cover(survey_id="1"), section("1", "s")
    [view] = View.of(shape).assemble([cover, survey("1"), remark, part]).views
    assert view == shape(survey("1"), (remark,), [cover, part])


def test_a_root_may_be_any_of_several_entities() -> None:
    shape = view_of(top=Section | Cover, notes=list[Note])
    top, cover, mine = section("1", "s"), Cover(survey_id="2"), note("1", "a", "s")
    assembly = View.of(shape).assemble([top, cover, mine, note("2", "b")])
    assert assembly.views == [shape(top, [mine]), shape(cover, [note("2", "b")])]


def test_a_required_nested_view_is_the_root() -> None:
    shape = view_of(part=SectionView, notes=list[Note])
    part, mine, roof = section("1", "s"), note("1", "a", "s"), element("1", "s", "roof")
    [view] = View.of(shape).assemble([mine, part, roof]).views
    assert view == shape(SectionView(part, [ElementView(roof, [])]), [mine])


def test_an_optional_nested_view_is_none_where_its_root_is_missing() -> None:
    shape = view_of(survey=Survey, part=SectionView | None)
    assert View.of(shape).assemble([survey("1")]).views == [shape(survey("1"), None)]
    first, second = section("1", "s"), section("1", "t")
    extra = element("1", "t", "roof")
    assembly = View.of(shape).assemble([survey("1"), first, second, extra])
    assert assembly.views == [shape(survey("1"), SectionView(first, []))]
    assert assembly.strays == [second, extra]


def test_an_entity_on_two_levels_goes_to_the_inner_one_that_it_names() -> None:
    inner = view_of(section=Section, notes=list[Note])
    outer = view_of(survey=Survey, sections=list[inner], notes=list[Note])  # type: ignore[valid-type] # made at run time
    mine, general = note("1", "a", "s"), note("1", "b")
    [view] = View.of(outer).assemble([general, mine, section("1", "s"), survey("1")]).views
    assert view == outer(survey("1"), [inner(section("1", "s"), [mine])], [general])


def test_an_item_that_fits_several_roots_is_a_stray() -> None:
    shape = view_of(section=Section, components=list[Component])
    part, tiles = section("1", "s"), component("1", "roof", "tiles")
    assert View.of(shape).assemble([part, tiles]).views == [shape(part, [tiles])]
    assembly = View.of(shape).assemble([part, tiles, section("1", "t")])
    assert assembly.strays == [tiles]


IDS = st.sampled_from("abc")
TREES = st.dictionaries(  # surveys of sections of elements of components, by their ids
    IDS,
    st.dictionaries(IDS, st.dictionaries(IDS, st.sets(IDS), max_size=3), max_size=3),
    max_size=3,
)
Tree = dict[str, dict[str, dict[str, set[str]]]]


def flat(tree: Tree) -> list[Entity]:
    """Give the items of a tree; an element's id has its section's in it, as ids are unique."""
    items: list[Entity] = []
    for one, sections in tree.items():
        items.append(survey(one))
        for part, elements in sections.items():
            items.append(section(one, part))
            for each, components in elements.items():
                items.append(element(one, part, part + each))
                items += [component(one, part + each, part + each + leaf) for leaf in components]
    return items


def tree_of(views: list[SurveyView]) -> Tree:
    return {
        view.survey.survey_id: {
            part.section.section_id: {
                each.element.element_id[1:]: {leaf.component_id[2:] for leaf in each.components}
                for each in part.elements
            }
            for part in view.sections
        }
        for view in views
    }


@given(TREES, st.randoms(use_true_random=False))
def test_a_tree_in_any_order_is_the_same_tree(tree: Tree, random: Any) -> None:
    items = flat(tree)
    random.shuffle(items)
    assembly = View.of(SurveyView).assemble(items)
    assert tree_of(assembly.views) == tree
    assert assembly.strays == []


@given(TREES, st.data())
def test_strays_are_exactly_what_has_lost_something_above_it(
    tree: Tree, data: st.DataObject
) -> None:
    items = data.draw(st.permutations(flat(tree)))
    kept = [item for item in items if data.draw(st.booleans())]
    surveys = {one.survey_id for one in kept if isinstance(one, Survey)}
    sections = {
        (one.survey_id, one.section_id)
        for one in kept
        if isinstance(one, Section) and one.survey_id in surveys
    }
    elements = {
        (one.survey_id, one.element_id)
        for one in kept
        if isinstance(one, Element) and (one.survey_id, one.section_id) in sections
    }

    def has_place(item: Entity) -> bool:
        match item:
            case Section():
                return item.survey_id in surveys
            case Element():
                return (item.survey_id, item.section_id) in sections
            case Component():
                return (item.survey_id, item.element_id) in elements
        return True

    strays = View.of(SurveyView).assemble(kept).strays
    assert strays == [item for item in kept if not has_place(item)]


def calls_to_assemble(sections: int) -> int:
    """Count the calls, into Python and C, that the items of a survey take."""
    ids = [f"{number:06d}" for number in range(sections)]
    items: list[Entity] = [survey("1"), *(section("1", one) for one in ids)]
    items += [element("1", one, one) for one in ids]
    items += [component("1", one, one) for one in ids]
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    view = View.of(SurveyView)
    sys.setprofile(count)
    try:
        assembly = view.assemble(items)
    finally:
        sys.setprofile(None)
    assert len(assembly.views[0].sections) == sections
    return calls


def test_ten_times_as_many_items_take_ten_times_the_work() -> None:
    assert calls_to_assemble(1000) < 11 * calls_to_assemble(100)
