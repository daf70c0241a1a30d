"""A pattern that no key serves is told what is missing, and the smallest change that serves it."""

from datetime import datetime
from typing import Any

import pytest

from singletable import Entity, Index, KeyValueError, Query, Store, Table, created, pattern
from singletable.cli._target import load
from singletable.cost import rendering
from singletable.cost.explaining import Explanation, explain
from singletable.cost.figures import Figures
from singletable.cost.proposals import Wish, proposals
from tests.check.cases import FOLDER
from tests.cost.designs import Faulty, Task


def _explained(name: str, store: Any = Faulty) -> Explanation:
    [made] = explain(Figures(store), name)
    return made


@pytest.mark.parametrize(
    ("name", "missing", "changes"),
    [
        (
            "tasks_of_list",
            ["The partition key of the table, 'USER#{user_id}', needs user_id."],
            ["Ask Task.by_list.query(list_id=…): its key serves it as it is."],
        ),
        (
            "task",
            [],
            [
                "Let the caller know list_id too: then the key of the table serves it.",
                (
                    "Add \"GSI2\" to the indexes of Table('faulty'), and declare on Task: "
                    'by_user_id_and_task_id = Index("GSI2", pk="USER#{user_id}#TASK#{task_id}", '
                    'sk="{created_at}#{list_id}"); then ask '
                    "Task.by_user_id_and_task_id.query(user_id=…, task_id=…)."
                ),
            ],
        ),
        (
            "tasks_in_state",
            [
                "No key of Task holds state.",
                "The partition key of the table, 'USER#{user_id}', needs user_id.",
            ],
            [
                (
                    "Add \"GSI2\" to the indexes of Table('faulty'), and declare on Task: "
                    'by_state = Index("GSI2", pk="STATE#{state}", sk="{created_at}#{task_id}"); '
                    "then ask Task.by_state.query(state=…).ge(…)."
                )
            ],
        ),
        (
            "everything",
            ["The partition key of the table, 'USER#{user_id}', needs user_id."],
            ["Give the pattern a parameter that names a partition, or say scan() if it means all."],
        ),
        (
            "ordered",
            [],
            [
                "Read a part of each item with only(), or the items themselves with fetch(Task).",
                'Or have KEYS hold whole items: projection="ALL".',
            ],
        ),
        ("broken", [], []),
    ],
)
def test_what_is_missing_and_what_would_serve(
    name: str, missing: list[str], changes: list[str]
) -> None:
    made = _explained(name)
    assert made.fault
    assert (list(made.missing), list(made.changes)) == (missing, changes)


def test_a_part_of_a_key_names_no_item() -> None:
    made = _explained("one_task")
    assert made.changes[0].startswith("Let the caller know user_id, list_id too")
    assert 'pk="TASK#{task_id}"' in made.changes[1]


def test_an_index_that_the_entity_does_not_use_is_taken_first() -> None:
    table = Table("free", indexes=["GSI1", "GSI2"])

    class Note(Entity, table=table, pk="USER#{user_id}", sk="NOTE#{note_id}"):
        by_tag = Index("GSI1", pk="TAG#{tag}", sk="{note_id}")
        user_id: str
        note_id: str
        tag: str
        colour: str
        rank: int = 0
        made_at: datetime = created()

    class Notes(Store, table=table):
        @pattern()
        def of_colour(self, colour: str) -> Query[Note]:
            """Knows what no key holds."""
            return Note.query(colour=colour)

        @pattern()
        def ranked(self, colour: str, least: int) -> Query[Note]:
            """Compares a number."""
            return Note.query(colour=colour).ge(least)

        @pattern()
        def misspelt(self, color: str) -> Query[Note]:
            """Knows what is no field."""
            return Note.query(color=color)

    assert (
        _explained("of_colour", Notes)
        .changes[-1]
        .startswith('Declare on Note: by_colour = Index("GSI2", pk="COLOUR#{colour}", ')
    )
    assert 'sk="{rank:010d}#{note_id}"' in _explained("ranked", Notes).changes[-1]
    assert _explained("misspelt", Notes).missing[0].startswith("Note has no field color: it has ")


def test_a_fault_is_shown_in_every_form() -> None:
    made = _explained("tasks_of_list")
    assert "  cannot run  Task.pk" in rendering.text(made)
    assert "  instead     Ask Task.by_list" in rendering.text(made)
    assert "- **instead:** Ask Task.by_list" in rendering.markdown(made)
    assert rendering.data(made)["changes"] == list(made.changes)


def test_a_sample_that_a_field_does_not_take_is_no_fault_of_the_keys() -> None:
    schema = Task.__schema__
    refused = KeyValueError("Task.pk: state='‹state›' is refused: it is none of 'NEW', 'DONE'")
    wish = Wish(schema, {"state": "‹state›"}, keys=schema.keys, fault=refused)
    assert [change[:38] for change in proposals(wish)] == ["Annotate the parameter as the field is"]


def test_a_filter_by_keys_is_told_what_to_do_in_its_place() -> None:
    made = explain(Figures(load(str(FOLDER / "R110/bad.py"))))[0]
    assert made.changes == (
        "Compare placed_at by .ge(), .between() or .begins_with(), and not by the filter.",
        "Leave status out of the filter: the query knows it, of every item.",
    )
