"""ExecuteStatement, run."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from tests.engine.partiql.running import items, numbers, refused, run

FAILED = "ConditionalCheckFailedException: The conditional request failed"
ONE = "owner = 'ann' AND \"number\" = 1"


def test_a_select_of_everything_gives_whole_items(notes: Engine) -> None:
    found = items(notes, "SELECT * FROM notes")
    assert len(found) == 8
    assert found[0].keys() == {"owner", "number", "kind", "text", "score", "tags", "body"}


def test_a_column_is_named_after_the_end_of_its_path(notes: Engine) -> None:
    text = f'SELECT "number", body.lines[0], body[\'lines\'], absent FROM "notes" WHERE {ONE}'
    assert refused(notes, text).endswith(
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [body, lines], path two: [body, lines, [0]]"
    )
    text = f'SELECT "number", body.lines[0], absent FROM "notes" WHERE {ONE}'
    assert items(notes, text) == [{"number": 1, "lines[0]": "first"}]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('"number" > 1', [2, 3]),
        ("score <> 10", [0, 2, 3]),
        ("score BETWEEN 10 AND 20", [1, 2]),
        ("score NOT IN [10, 20]", [0, 3]),
        ("absent IS MISSING AND score = 0", [0]),
        ("contains(tags, 'p') AND NOT size(text) > 6 AND begins_with(text, 'note')", [0, 1, 2, 3]),
        ("attribute_type(body, 'M') AND body.lines[1] = 2 AND score < 10", [0]),
        ("tags = <<'q', 'p'>> AND score = 30", [3]),
    ],
)
def test_a_condition_selects(notes: Engine, condition: str, expected: list[int]) -> None:
    assert numbers(notes, f"owner = 'ann' AND {condition}") == expected


def test_parameters_stand_for_values(notes: Engine) -> None:
    assert numbers(
        notes, 'owner = ? AND "number" IN (?, ?)', {"S": "bob"}, {"N": "2.0"}, {"N": "0"}
    ) == [0, 2]
    assert refused(notes, "SELECT * FROM notes WHERE owner = ?") == (
        "ValidationException: Number of parameters in request and statement don't match."
    )


def test_order_by_turns_the_order_of_sort_and_partition_keys(notes: Engine) -> None:
    both = "owner IN ['bob', 'ann'] AND \"number\" < 2 ORDER BY "
    text = f'SELECT owner, "number" FROM notes WHERE {both}'
    listed = [list(item.values()) for item in items(notes, f'{text} "number" DESC')]
    assert listed == [["ann", 1], ["ann", 0], ["bob", 1], ["bob", 0]]
    listed = [list(item.values()) for item in items(notes, f"{text} owner DESC")]
    assert listed == [["bob", 0], ["bob", 1], ["ann", 0], ["ann", 1]]


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("ORDER BY owner", "Must have WHERE clause in the statement when using ORDER BY clause."),
        (
            "WHERE score = 1 ORDER BY owner",
            (
                "Must have at least one non-optional hash key condition in WHERE clause when "
                "using ORDER BY clause."
            ),
        ),
        (
            "WHERE owner = 'ann' ORDER BY score",
            "Variable reference score in ORDER BY clause must be part of the primary key",
        ),
    ],
)
def test_order_by_needs_a_pinned_partition_and_a_key(
    notes: Engine, rest: str, message: str
) -> None:
    assert refused(notes, f"SELECT * FROM notes {rest}") == f"ValidationException: {message}"


def test_an_index_is_searched_by_its_own_key(notes: Engine) -> None:
    text = 'SELECT * FROM "notes"."by_kind" WHERE kind = \'odd\' AND "number" = 3'
    found = sorted(items(notes, text), key=lambda item: item["owner"])
    assert found == [{"owner": owner, "number": 3, "kind": "odd"} for owner in ("ann", "bob")]
    assert refused(notes, "SELECT text FROM notes.by_kind WHERE kind = 'odd'").endswith(
        "Global secondary index by_kind does not project [text]"
    )
    assert refused(notes, "SELECT * FROM notes.by_kind WHERE kind = 'odd' AND score = 30").endswith(
        "Secondary index by_kind does not project one or more filter attributes: [score]"
    )
    assert refused(notes, "SELECT * FROM notes.by_name").endswith(
        "The table does not have the specified index: by_name"
    )


@pytest.mark.parametrize("limit", [1, 3, 4, 5, 8, 9])
@pytest.mark.parametrize(
    "rest",
    [
        "",
        "WHERE score >= 10",
        "WHERE owner = 'ann'",
        "WHERE owner IN ['ann', 'bob'] AND \"number\" > 0",
        "WHERE owner IN ['ann', 'bob'] ORDER BY owner DESC, \"number\" DESC",
    ],
)
def test_pages_put_together_are_the_whole(notes: Engine, rest: str, limit: int) -> None:
    text = f'SELECT owner, "number" FROM notes {rest}'
    paged, members = [], {"Limit": limit}
    while True:
        answer = run(notes, text, **members)
        assert len(answer["Items"]) <= limit
        paged += answer["Items"]
        if "NextToken" not in answer:
            break
        members["NextToken"] = answer["NextToken"]
    assert paged == run(notes, text)["Items"]


def test_a_page_ends_at_a_megabyte_over_all_partitions(notes: Engine) -> None:
    for owner in ("big1", "big2", "big3"):
        run(
            notes,
            "INSERT INTO notes VALUE {'owner': ?, 'number': 0, 'text': ?}",
            {"S": owner},
            {"S": "x" * 390_000},
        )
        run(
            notes,
            "INSERT INTO notes VALUE {'owner': ?, 'number': 1, 'text': ?}",
            {"S": owner},
            {"S": "x" * 10_000},
        )
    text = "SELECT owner FROM notes WHERE owner IN ['big1', 'big2', 'big3']"
    first = run(notes, text, ReturnConsumedCapacity="TOTAL")
    assert len(first["Items"]) == 5
    assert first["LastEvaluatedKey"] == {"owner": {"S": "big3"}, "number": {"N": "0"}}
    rest = run(notes, text, NextToken=first["NextToken"])
    assert len(rest["Items"]) == 1


def test_a_token_is_good_for_its_statement_alone(notes: Engine) -> None:
    text = "SELECT * FROM notes WHERE owner = ?"
    token = run(notes, text, {"S": "ann"}, Limit=1)["NextToken"]
    message = "ValidationException: Invalid NextToken"
    assert refused(notes, text, {"S": "bob"}, NextToken=token) == message
    assert refused(notes, "SELECT * FROM notes", NextToken=token) == message
    assert refused(notes, text, {"S": "ann"}, NextToken="*") == message
    assert refused(notes, text, {"S": "ann"}, NextToken=token[:-8]) == message


def test_an_insert_makes_an_item_once(notes: Engine) -> None:
    text = "INSERT INTO notes VALUE {'owner': 'cy', 'number': ?, 'tags': <<1, 2>>, 'end': NULL}"
    assert run(notes, text, {"N": "7"}) == {"Items": []}
    [item] = items(notes, "SELECT * FROM notes WHERE owner = 'cy'")
    assert item == {"owner": "cy", "number": 7, "tags": {1, 2}, "end": None}
    assert refused(notes, text, {"N": "7"}) == (
        "DuplicateItemException: Duplicate primary key exists in table"
    )


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("{'owner': 'x'}", "Key attribute should be present in the item: Key number"),
        (
            "{'owner': 'x', 'number': 'y'}",
            "Key attribute's data type should match its data type in table's schema: Key number",
        ),
    ],
)
def test_an_insert_needs_the_key(notes: Engine, item: str, message: str) -> None:
    assert refused(notes, f"INSERT INTO notes VALUE {item}") == f"ValidationException: {message}"


@pytest.mark.parametrize(
    ("returning", "expected"),
    [
        ("", []),
        ("MODIFIED OLD", [{"score": 10, "tags": {"p", "q"}}]),
        ("MODIFIED NEW", [{"score": 11, "tags": {"p", "q", "r"}}]),
    ],
)
def test_an_update_returns_what_it_is_asked_for(
    notes: Engine, returning: str, expected: list[object]
) -> None:
    clause = f"RETURNING {returning} *" if returning else ""
    text = f"UPDATE notes SET score = score + 1 SET tags = set_add(tags, <<'r'>>) WHERE {ONE} "
    assert items(notes, text + clause) == expected


def test_of_a_modified_attribute_the_parts_are_returned_that_the_update_names(
    notes: Engine,
) -> None:
    text = f"UPDATE notes SET body.lines[0] = 1 SET body.tail = 2 WHERE {ONE} RETURNING MODIFIED "
    assert items(notes, f"{text} OLD *") == [{"body": {"lines": ["first"]}}]
    assert items(notes, f"{text} NEW *") == [{"body": {"lines": [1], "tail": 2}}]


def test_an_answer_may_be_changed_without_changing_the_statement(notes: Engine) -> None:
    text = f"UPDATE notes SET body = [1] WHERE {ONE} RETURNING MODIFIED NEW *"
    run(notes, text)["Items"][0]["body"]["L"].append({"N": "2"})
    assert items(notes, text) == [{"body": [1]}]


def test_an_update_changes_what_its_actions_name(notes: Engine) -> None:
    text = (
        "UPDATE notes SET body.lines = list_append(body.lines, [3]), score = 5 - 1 "
        f"SET tags = set_delete(tags, ?) REMOVE text WHERE {ONE} RETURNING ALL NEW *"
    )
    [item] = items(notes, text, {"SS": ["p", "z"]})
    assert item["body"] == {"lines": ["first", 2, 3]}
    assert (item["score"], item["tags"]) == (4, {"q"})
    assert "text" not in item


def test_an_update_makes_no_item(notes: Engine) -> None:
    text = "UPDATE notes SET score = 1 WHERE owner = 'nobody' AND \"number\" = 1"
    assert refused(notes, text) == FAILED
    assert items(notes, "SELECT * FROM notes WHERE owner = 'nobody'") == []


def test_further_conditions_decide_on_a_write(notes: Engine) -> None:
    update = f"UPDATE notes SET score = 0 WHERE {ONE} AND"
    assert refused(notes, f"{update} score = 11") == FAILED
    assert run(notes, f"{update} (score = 11 OR kind = 'odd')") == {"Items": []}
    assert refused(notes, f"DELETE FROM notes WHERE {ONE} AND score = 1") == FAILED


def test_a_failed_condition_shows_the_item_when_asked(notes: Engine) -> None:
    with pytest.raises(notes.exceptions.ConditionalCheckFailedException) as caught:
        run(
            notes,
            f"DELETE FROM notes WHERE {ONE} AND score = 1",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.fields["Item"]["score"] == {"N": "10"}


def test_a_delete_of_nothing_succeeds_whatever_its_condition(notes: Engine) -> None:
    text = "DELETE FROM notes WHERE owner = 'ann' AND \"number\" = 99 AND score = 1"
    assert run(notes, text) == {"Items": []}


def test_a_delete_returns_the_item_when_asked(notes: Engine) -> None:
    [item] = items(notes, f"DELETE FROM notes WHERE {ONE} RETURNING ALL OLD *")
    assert item["text"] == "note 1"
    assert items(notes, f"SELECT * FROM notes WHERE {ONE}") == []


@pytest.mark.parametrize(
    "condition", ["", "WHERE owner = 'ann'", "WHERE owner = 'ann' OR score = 1"]
)
@pytest.mark.parametrize("verb", ["DELETE FROM notes", "UPDATE notes SET score = 1"])
def test_a_write_needs_the_whole_key(notes: Engine, verb: str, condition: str) -> None:
    assert refused(notes, f"{verb} {condition}") == (
        "ValidationException: Where clause does not contain a mandatory equality on all key "
        "attributes"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * FROM nowhere", "ResourceNotFoundException: Requested resource not found"),
        (
            "EXISTS(SELECT * FROM notes WHERE score = 1)",
            "ValidationException: EXISTS can only be used in ExecuteTransaction write requests.",
        ),
        (
            f"UPDATE notes SET score = set_add(score, 1) WHERE {ONE}",
            ("ValidationException: The second argument to SET_ADD must be a value with type SET"),
        ),
        (
            "SELECT * FROM notes WHERE score BETWEEN 2 AND 1",
            (
                "ValidationException: The BETWEEN operator requires upper bound to be greater "
                "than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper "
                "bound operand: AttributeValue: {N:1}"
            ),
        ),
        (
            "SELECT owner.x FROM notes",
            (
                "ValidationException: Key attributes must be scalars; list random access '[]' "
                "and map lookup '.' are not allowed: Key: owner"
            ),
        ),
        (
            "SELECT * FROM notes WHERE " + " AND ".join(["score = 1"] * 301),
            (
                "ValidationException: The expression contains too many operators; operator "
                "count: 301"
            ),
        ),
    ],
)
def test_errors_are_said_in_the_services_words(notes: Engine, text: str, message: str) -> None:
    assert refused(notes, text) == message


@pytest.mark.parametrize(
    ("text", "members", "units"),
    [
        (f"SELECT * FROM notes WHERE {ONE}", {}, 0.5),
        (f"SELECT * FROM notes WHERE {ONE}", {"ConsistentRead": True}, 1.0),
        ("SELECT * FROM notes WHERE owner IN ['ann', 'bob']", {}, 1.0),
        (f"UPDATE notes SET score = 0 WHERE {ONE}", {}, 1.0),
        (f"DELETE FROM notes WHERE {ONE}", {}, 2.0),
    ],
)
def test_capacity_is_that_of_the_operations_behind_a_statement(
    notes: Engine, text: str, members: dict[str, bool], units: float
) -> None:
    answer = run(notes, text, ReturnConsumedCapacity="TOTAL", **members)
    assert answer["ConsumedCapacity"] == {"TableName": "notes", "CapacityUnits": units}
