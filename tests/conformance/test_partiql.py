"""PartiQL: single statements, batches and transactions."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from .support import TOKEN_USED, Client, create, fill, index, invalid, item, plains, refusal, unique

ROWS = [
    {"pk": "a", "sk": n, "g": f"g{n % 2}", "s": f"text{n}", "m": {"x": n, "l": [n, n + 1]}}
    for n in range(5)
] + [{"pk": "b", "sk": 0, "s": "other", "ss": {"p", "q"}}]


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(
        client, "pk:S", "sk:N", indexed="g:S", GlobalSecondaryIndexes=[index("by-g", "g", "sk")]
    )
    fill(client, name, [item(**row) for row in ROWS])
    return name


def run(client: Client, statement: str, *parameters: Any, **more: Any) -> dict[str, Any]:
    """Run one statement with Python values for its question marks."""
    if parameters:
        more["Parameters"] = [item(v=each)["v"] for each in parameters]
    answer: dict[str, Any] = client.execute_statement(Statement=statement, **more)
    return answer


def rows(client: Client, statement: str, *parameters: Any, **more: Any) -> list[dict[str, Any]]:
    return plains(run(client, statement, *parameters, **more)["Items"])


def numbers(found: list[dict[str, Any]]) -> list[int]:
    return sorted(int(each["sk"]) for each in found)


@pytest.mark.parametrize(
    ("where", "parameters", "expected"),
    [
        pytest.param("pk = 'a'", [], [0, 1, 2, 3, 4], id="partition"),
        pytest.param("pk = ?", ["a"], [0, 1, 2, 3, 4], id="parameter"),
        pytest.param("pk = 'a' AND sk = 2", [], [2], id="whole-key"),
        pytest.param("pk = 'a' AND sk > 2", [], [3, 4], id="greater"),
        pytest.param("pk = 'a' AND sk BETWEEN 1 AND 3", [], [1, 2, 3], id="between"),
        pytest.param("pk = 'a' AND s = 'text3'", [], [3], id="other-attribute"),
        pytest.param("pk = 'a' AND (sk = 1 OR sk = 3)", [], [1, 3], id="or"),
        pytest.param("pk = 'a' AND NOT sk = 1", [], [0, 2, 3, 4], id="not"),
        pytest.param("pk = 'a' AND sk IN [1, 4]", [], [1, 4], id="in-list"),
        pytest.param("pk = 'a' AND m.x >= 3", [], [3, 4], id="nested"),
        pytest.param("pk = 'a' AND m['x'] >= 3", [], [3, 4], id="nested-by-text"),
        pytest.param("pk = 'a' AND m[\"x\"] >= 3", [], [3, 4], id="nested-by-name"),
        pytest.param("pk = 'a' AND m.l[1] = 3", [], [2], id="list-element"),
        pytest.param("pk = 'a' AND begins_with(s, 'text')", [], [0, 1, 2, 3, 4], id="begins-with"),
        pytest.param("pk = 'a' AND contains(s, '4')", [], [4], id="contains"),
        pytest.param("pk = 'b' AND contains(ss, 'p')", [], [0], id="contains-in-a-set"),
        pytest.param("pk = 'a' AND g IS MISSING", [], [], id="is-missing"),
        pytest.param("pk = 'a' AND g IS NOT MISSING", [], [0, 1, 2, 3, 4], id="is-not-missing"),
        pytest.param("pk = 'a' AND attribute_type(s, 'S')", [], [0, 1, 2, 3, 4], id="type"),
        pytest.param("pk = 'a' AND sk <> 0", [], [1, 2, 3, 4], id="not-equal"),
        pytest.param("pk = 'a' AND contains(s, '4') = true", [], [4], id="function-is-true"),
        pytest.param("pk = 'a' AND false = begins_with(g, ?)", ["g1"], [0, 2, 4], id="is-false"),
        pytest.param("pk = 'a' AND (sk > 1 AND g = 'g0') = true", [], [2, 4], id="all-is-true"),
        pytest.param("pk = 'a' AND (sk = 1) IN [true]", [], [1], id="truth-in-list"),
        pytest.param("pk = 'a' AND sk BETWEEN 1AND 1.OR sk=4e0OR g=NULL", [], [1, 4], id="close"),
        pytest.param("pk = 'zzz'", [], [], id="nothing"),
    ],
)
def test_select(
    client: Client, table: str, where: str, parameters: list[Any], expected: list[int]
) -> None:
    found = rows(client, f'SELECT * FROM "{table}" WHERE {where}', *parameters)
    assert numbers(found) == expected


@pytest.mark.parametrize(
    ("condition", "operator"),
    [
        pytest.param("attribute_exists(s) > 1", ">", id="compared"),
        pytest.param("sk BETWEEN begins_with(s, 't') AND 3", "BETWEEN", id="bound"),
        pytest.param("size((sk = 1)) = 1", "size", id="measured"),
        pytest.param("begins_with(contains(s, 't'), 't')", "begins_with", id="operand"),
        pytest.param("attribute_type(s, s = 'S')", "attribute_type", id="type"),
    ],
)
def test_a_truth_is_a_boolean(client: Client, table: str, condition: str, operator: str) -> None:
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'a' AND {condition}"
    assert refusal(client.execute_statement, Statement=statement) == invalid(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: BOOL"
    )


@pytest.mark.parametrize(("attribute", "most"), [("pk", 50), ("s", 100)])
def test_values_in_a_list(client: Client, table: str, attribute: str, most: int) -> None:
    def statement(count: int) -> str:
        listed = ", ".join(f"'{n}'" for n in range(count))
        return f'SELECT * FROM "{table}" WHERE {attribute} IN [{listed}]'

    assert rows(client, statement(most)) == []
    refused = refusal(client.execute_statement, Statement=statement(most + 1))
    assert refused == invalid(
        f"The IN operator is provided with too many operands; number of operands: {most + 1}"
    )


def test_select_everything(client: Client, table: str) -> None:
    mine = [each for each in rows(client, f'SELECT * FROM "{table}"') if each["pk"] in "ab"]
    assert sorted(mine, key=lambda each: (each["pk"], each["sk"])) == ROWS


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param("s", {"s": "text1"}, id="one"),
        pytest.param("pk, s", {"pk": "a", "s": "text1"}, id="two"),
        pytest.param('"s", "zzz"', {"s": "text1"}, id="quoted-and-missing"),
        pytest.param("m.x", {"x": 1}, id="nested"),
        pytest.param("m.l[0]", {"l[0]": 1}, id="element"),
    ],
)
def test_select_columns(client: Client, table: str, columns: str, expected: dict[str, Any]) -> None:
    found = rows(client, f"SELECT {columns} FROM \"{table}\" WHERE pk = 'a' AND sk = 1")
    assert found == [expected]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param("m.x, s", {"m": {"x": 1}, "s": "text1"}, id="nested"),
        pytest.param("m.l[1], m.l[0]", {"m": {"l": [1, 2]}}, id="elements-in-order"),
        pytest.param("m.l[1], zzz", {"m": {"l": [2]}}, id="element-and-missing"),
        pytest.param("zzz", {}, id="missing"),
    ],
)
def test_together_columns_are_parts(
    client: Client, table: str, columns: str, expected: dict[str, Any]
) -> None:
    """Unlike ExecuteStatement, batches and transactions leave parts where they are in the item."""
    select = {"Statement": f"SELECT {columns} FROM \"{table}\" WHERE pk = 'a' AND sk = 1"}
    batch = client.batch_execute_statement(Statements=[select])
    transaction = client.execute_transaction(TransactStatements=[select])
    for answer in batch, transaction:
        assert answer["Responses"][0]["Item"] == item(**expected)


@pytest.mark.parametrize(
    ("columns", "place"),
    [
        pytest.param("COUNT(*)", "1:8:5", id="count"),
        pytest.param("s, size(s)", "1:11:4", id="function"),
        pytest.param("sk + 1", "1:11:1", id="arithmetic"),
        pytest.param("(s = 'a')", "1:11:1", id="comparison"),
        pytest.param("NOT s", "1:8:3", id="not"),
        pytest.param("'s'", "1:8:3", id="literal"),
    ],
)
def test_a_column_is_a_path(client: Client, table: str, columns: str, place: str) -> None:
    statement = f"SELECT {columns} FROM \"{table}\" WHERE pk = 'a'"
    refused = refusal(client.execute_statement, Statement=statement)
    assert refused == invalid(f"Unexpected path component at {place}")


def test_select_in_order(client: Client, table: str) -> None:
    found = rows(client, f"SELECT sk FROM \"{table}\" WHERE pk = 'a' ORDER BY sk DESC")
    assert [each["sk"] for each in found] == [4, 3, 2, 1, 0]


def test_select_from_an_index(client: Client, table: str) -> None:
    found = rows(client, f'SELECT sk FROM "{table}"."by-g" WHERE g = \'g1\'')
    assert [each["sk"] for each in found] == [1, 3]


def test_select_by_pages(client: Client, table: str) -> None:
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'a'"
    first = run(client, statement, Limit=2)
    assert numbers(plains(first["Items"])) == [0, 1]
    second = run(client, statement, Limit=2, NextToken=first["NextToken"])
    assert numbers(plains(second["Items"])) == [2, 3]


def test_a_token_is_one_that_was_given(client: Client, table: str) -> None:
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'a'"
    refused = refusal(client.execute_statement, Statement=statement, NextToken="mine")
    assert refused == invalid("Invalid NextToken")


def test_exists_is_for_transactions(client: Client, table: str) -> None:
    code, _ = refusal(
        client.execute_statement,
        Statement=f"EXISTS(SELECT * FROM \"{table}\" WHERE pk = 'a' AND sk = 0)",
    )
    assert code == "ValidationException"


def test_insert_with_literals(client: Client, table: str) -> None:
    pk = unique()
    statement = (
        f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 1, 't': true, 'n': null, "
        "'d': -1.5, 'l': [1, 'x'], 'm': {'k': 'it''s'}, 'ss': <<'a', 'b'>>, 'ns': <<1, 2>>}"
    )
    assert run(client, statement)["Items"] == []
    stored = client.get_item(TableName=table, Key=item(pk=pk, sk=1))["Item"]
    assert plains([stored]) == [
        {
            "pk": pk,
            "sk": 1,
            "t": True,
            "n": None,
            "d": Decimal("-1.5"),
            "l": [1, "x"],
            "m": {"k": "it's"},
            "ss": {"a", "b"},
            "ns": {1, 2},
        }
    ]


@pytest.mark.parametrize("sign", ["", "+", "-", "-+-", "+-"])
def test_a_number_keeps_38_digits_and_its_sign(client: Client, table: str, sign: str) -> None:
    key, digits = item(pk=unique(), sk=1), "1.2345678901234567890123456789012345678"
    client.put_item(TableName=table, Item=key)
    where = f"pk = '{key['pk']['S']}' AND sk = 1"
    run(client, f'UPDATE "{table}" SET n = {sign}{digits} WHERE {where}')
    stored = client.get_item(TableName=table, Key=key)["Item"]["n"]
    assert stored == {"N": f"-{digits}" if sign.count("-") == 1 else digits}
    assert len(rows(client, f'SELECT * FROM "{table}" WHERE {where} AND n = {sign}{digits}')) == 1


@pytest.mark.parametrize("zero", ["-0", "+0.0", "0e7"])
def test_a_zero_has_no_sign(client: Client, table: str, zero: str) -> None:
    pk = unique()
    run(client, f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': {zero}}}")
    assert rows(client, f"SELECT sk FROM \"{table}\" WHERE pk = '{pk}' AND sk = {zero}")


@pytest.mark.parametrize(
    ("zero", "key", "place"),
    [
        pytest.param("-0.0", "root", "2:3", id="decimal"),
        pytest.param("- 0.", "root", "3:2", id="point"),
        pytest.param("-0e7", "root", "2:3", id="exponent"),
        pytest.param("+- -0.0", "root", "5:3", id="signs"),
        pytest.param("-(.0)", "root", "3:2", id="parentheses"),
        pytest.param("[1, -0.0]", "root.1", "6:3", id="list"),
        pytest.param("{'a': +-0.0}", "root.a", "9:3", id="tuple"),
        pytest.param("<<-0.0, 1>>", "root", "4:3", id="bag"),
    ],
)
def test_a_negative_zero_is_an_integer(
    client: Client, table: str, zero: str, key: str, place: str
) -> None:
    statement = f"UPDATE \"{table}\" SET n =\n{zero} WHERE pk = 'a' AND sk = 0"
    assert refusal(client.execute_statement, Statement=statement) == invalid(
        f"Negative zero decimal is not supported under key {key} at 2:{place}"
    )


@pytest.mark.parametrize("source", ["my-notes", "notes-2024", "-notes", "size(notes)", "'notes'"])
def test_a_source_is_a_table(client: Client, source: str) -> None:
    """A name with a hyphen needs quotation marks; without them it is a subtraction."""
    assert refusal(client.execute_statement, Statement=f"SELECT * FROM {source}") == invalid(
        "Unexpected from source"
    )


def test_a_source_may_stand_in_parentheses(client: Client, table: str) -> None:
    found = rows(client, f"SELECT sk FROM (\"{table}\") WHERE pk = 'a'")
    assert [each["sk"] for each in found] == [0, 1, 2, 3, 4]


def test_an_update_of_a_name_with_a_hyphen_lacks_its_action(client: Client) -> None:
    statement = "UPDATE my-notes SET a = 1 WHERE pk = 'a'"
    assert refusal(client.execute_statement, Statement=statement) == invalid(
        "Statement wasn't well formed, can't be processed: Expected data manipulation"
    )


def test_insert_of_an_existing_key_is_refused(client: Client, table: str) -> None:
    statement = f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': ?}}"
    pk = unique()
    run(client, statement, pk, 1)
    refused = refusal(
        client.execute_statement, Statement=statement, Parameters=[{"S": pk}, {"N": "1"}]
    )
    assert refused == ("DuplicateItemException", "Duplicate primary key exists in table")


@pytest.mark.parametrize(
    ("change", "parameters", "expected"),
    [
        pytest.param("SET n = 5", [], {"n": 5, "s": "old"}, id="set"),
        pytest.param("SET n = ?", ["x"], {"n": "x", "s": "old"}, id="set-parameter"),
        pytest.param("SET n = n + 1", [], {"n": 2, "s": "old"}, id="plus"),
        pytest.param("SET n = 7 SET s = 'new'", [], {"n": 7, "s": "new"}, id="set-two"),
        pytest.param("REMOVE s", [], {"n": 1}, id="remove"),
        pytest.param("SET x = 1 REMOVE s", [], {"n": 1, "x": 1}, id="set-and-remove"),
        pytest.param(
            "SET l = list_append(?, ?)", [[1], [2]], {"n": 1, "s": "old", "l": [1, 2]}, id="append"
        ),
    ],
)
def test_update(
    client: Client, table: str, change: str, parameters: list[Any], expected: dict[str, Any]
) -> None:
    pk = unique()
    client.put_item(TableName=table, Item=item(pk=pk, sk=1, n=1, s="old"))
    run(client, f"UPDATE \"{table}\" {change} WHERE pk = '{pk}' AND sk = 1", *parameters)
    stored = plains([client.get_item(TableName=table, Key=item(pk=pk, sk=1))["Item"]])
    assert stored == [{"pk": pk, "sk": 1} | expected]


@pytest.mark.parametrize(
    ("returning", "expected"),
    [
        pytest.param("ALL OLD *", {"n": 1, "s": "old"}, id="all-old"),
        pytest.param("ALL NEW *", {"n": 2, "s": "old"}, id="all-new"),
        pytest.param("MODIFIED OLD *", {"n": 1}, id="modified-old"),
        pytest.param("MODIFIED NEW *", {"n": 2}, id="modified-new"),
    ],
)
def test_update_returning(
    client: Client, table: str, returning: str, expected: dict[str, Any]
) -> None:
    pk = unique()
    client.put_item(TableName=table, Item=item(pk=pk, sk=1, n=1, s="old"))
    if returning.startswith("ALL"):
        expected = {"pk": pk, "sk": 1} | expected
    found = rows(
        client,
        f"UPDATE \"{table}\" SET n = 2 WHERE pk = '{pk}' AND sk = 1 RETURNING {returning}",
    )
    assert found == [expected]


@pytest.mark.parametrize("returning", ["MODIFIED OLD *", "MODIFIED NEW *"])
def test_an_update_that_returns_nothing(client: Client, table: str, returning: str) -> None:
    key = item(pk=unique(), sk=1)
    client.put_item(TableName=table, Item=key)
    where = f"pk = '{key['pk']['S']}' AND sk = 1"
    statement = f'UPDATE "{table}" REMOVE zzz WHERE {where} RETURNING {returning}'
    assert rows(client, statement) == []
    answer = client.batch_execute_statement(Statements=[{"Statement": statement}])
    assert answer["Responses"] == [{"TableName": table}]


def test_an_update_of_nothing_is_refused(client: Client, table: str) -> None:
    refused = refusal(
        client.execute_statement,
        Statement=f"UPDATE \"{table}\" SET n = 1 WHERE pk = '{unique()}' AND sk = 1",
    )
    assert refused == ("ConditionalCheckFailedException", "The conditional request failed")


def test_an_update_may_have_a_condition(client: Client, table: str) -> None:
    pk = unique()
    client.put_item(TableName=table, Item=item(pk=pk, sk=1, n=1))
    statement = f"UPDATE \"{table}\" SET n = 2 WHERE pk = '{pk}' AND sk = 1 AND n = ?"
    refused = refusal(client.execute_statement, Statement=statement, Parameters=[{"N": "5"}])
    assert refused == ("ConditionalCheckFailedException", "The conditional request failed")
    run(client, statement, 1)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        pytest.param(
            'UPDATE "{}" SET m.x = 1 REMOVE m',
            "Incorrect operand type for operator or function; "
            "operator or function: <, operand type: BOOL",
            id="actions-after",
        ),
        pytest.param(
            'SELECT m.x, m FROM "{}"',
            "Two document paths overlap with each other; must remove or rewrite one of these "
            "paths; path one: [m], path two: [m, x]",
            id="columns-before",
        ),
    ],
)
def test_a_condition_is_judged_in_its_turn(
    client: Client, table: str, start: str, message: str
) -> None:
    statement = f"{start.format(table)} WHERE pk = 'a' AND sk = 1 AND s < true"
    assert refusal(client.execute_statement, Statement=statement) == invalid(message)


def test_delete(client: Client, table: str) -> None:
    pk = unique()
    client.put_item(TableName=table, Item=item(pk=pk, sk=1, n=1))
    statement = f"DELETE FROM \"{table}\" WHERE pk = '{pk}' AND sk = 1"
    assert rows(client, statement + " RETURNING ALL OLD *") == [{"pk": pk, "sk": 1, "n": 1}]
    assert run(client, statement)["Items"] == []
    assert "Item" not in client.get_item(TableName=table, Key=item(pk=pk, sk=1))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        pytest.param(
            "pk = 'a' AND pk = 'b'",
            "Multiple conditions on same key pk. Only single item Update/Insert/Delete are "
            "supported",
            id="two-values",
        ),
        pytest.param(
            "pk = 'a' AND sk = NULL",
            "Key value must be of type S, N, or B. Key name: sk, Key type: NULL",
            id="no-key",
        ),
        pytest.param(
            "pk = 'a' AND sk = '1'",
            "Key attribute's data type should match its data type in table's schema: Key sk",
            id="another-type",
        ),
        pytest.param(
            "pk = 'a' AND COUNT(s) = 1",
            "Unsupported token in expression: count at 1:{}:5",
            id="count",
        ),
    ],
)
def test_refused_keys(client: Client, table: str, where: str, message: str) -> None:
    for start in (f'DELETE FROM "{table}" WHERE ', f'UPDATE "{table}" SET n = 1 WHERE '):
        refused = refusal(client.execute_statement, Statement=start + where)
        assert refused == invalid(message.format(len(start + "pk = 'a' AND ") + 1))


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("SELEC * FROM {}", id="misspelt"),
        pytest.param("SELECT * FROM {} WHERE", id="cut-off"),
        pytest.param("SELECT * FROM {} WHERE pk = ?", id="parameter-missing"),
        pytest.param("SELECT * FROM {} WHERE pk = 'a' AND sk = 1e", id="half-a-number"),
        pytest.param("SELECT * FROM {} WHERE pk = 'a' AND NOTHING = 1", id="keyword"),
        pytest.param("INSERT INTO {} VALUE {{'pk': 'x'}}", id="insert-without-sort-key"),
        pytest.param("UPDATE {} SET n = 1 WHERE pk = 'x'", id="update-half-a-key"),
        pytest.param("DELETE FROM {} WHERE pk = 'x'", id="delete-half-a-key"),
        pytest.param("DELETE FROM {} WHERE s = 'x'", id="delete-without-key"),
        pytest.param("UPDATE {} SET pk = 'y' WHERE pk = 'a' AND sk = 0", id="update-of-key"),
    ],
)
def test_refused(client: Client, table: str, statement: str) -> None:
    quoted = statement.format(f'"{table}"')
    code, _ = refusal(client.execute_statement, Statement=quoted)
    assert code == "ValidationException"


@pytest.mark.parametrize(
    ("bag", "told"),
    [
        pytest.param("<<[1], 'x'>>", "[", id="neither-text-nor-number"),
        pytest.param("<<'x', [1], 2>>", "[", id="a-list-among-texts"),
        pytest.param("<<'x', 1, [2]>>", "1", id="a-number-among-texts"),
        pytest.param("<<1, 'x', [2]>>", "", id="a-text-among-numbers"),
        pytest.param("<<TRUE, ?>>", "TRUE", id="the-first-of-two"),
    ],
)
def test_a_bag_has_texts_or_numbers(client: Client, table: str, bag: str, told: str) -> None:
    start = f"INSERT INTO \"{table}\" VALUE {{'pk': 'b', 'sk': 1, 'v': "
    message = (
        "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
    )
    place = f" at 1:{len(start) + bag.index(told) + 1}:{len(told)}" if told else ""
    refused = refusal(client.execute_statement, Statement=f"{start}{bag}}}")
    assert refused == invalid(message + place)


def test_an_unknown_table(client: Client) -> None:
    refused = refusal(client.execute_statement, Statement=f'SELECT * FROM "{unique()}"')
    assert refused == ("ResourceNotFoundException", "Requested resource not found")


def test_a_batch_answers_each_statement(client: Client, table: str) -> None:
    pk = unique()
    answer = client.batch_execute_statement(
        Statements=[
            {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 1}}"},
            {
                "Statement": f'UPDATE "{table}" SET n = 1 WHERE pk = ? AND sk = 9',
                "Parameters": [{"S": pk}],
            },
        ]
    )
    first, second = answer["Responses"]
    assert first == {"TableName": table}
    assert second["Error"]["Code"] == "ConditionalCheckFailed"
    assert client.get_item(TableName=table, Key=item(pk=pk, sk=1))["Item"] == item(pk=pk, sk=1)


def test_a_batch_of_reads(client: Client, table: str) -> None:
    statement = f"SELECT s FROM \"{table}\" WHERE pk = 'a' AND sk = ?"
    answer = client.batch_execute_statement(
        Statements=[{"Statement": statement, "Parameters": [{"N": n}]} for n in ("3", "99", "1")]
    )
    assert answer["Responses"] == [
        {"TableName": table, "Item": item(s="text3")},
        {"TableName": table},
        {"TableName": table, "Item": item(s="text1")},
    ]


def test_reads_and_writes_do_not_mix_in_a_batch(client: Client, table: str) -> None:
    pk = unique()
    refused = refusal(
        client.batch_execute_statement,
        Statements=[
            {"Statement": f'SELECT s FROM "{table}" WHERE pk = ? AND sk = ?'},
            {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 1}}"},
        ],
    )
    assert refused == invalid(
        "Read and write requests together in the same batch is not supported."
    )
    assert "Item" not in client.get_item(TableName=table, Key=item(pk=pk, sk=1))


@pytest.mark.parametrize(
    "where", ["pk = 'a'", "pk = 'a' AND pk = 'b' AND sk = 1", "pk = NULL AND sk = 1"]
)
def test_a_batch_reads_by_whole_keys(client: Client, table: str, where: str) -> None:
    statement = f'SELECT s FROM "{table}" WHERE {where}'
    answer = client.batch_execute_statement(Statements=[{"Statement": statement}])
    assert answer["Responses"] == [
        {"Error": {"Code": "ValidationError", "Message": "Only single item select is supported"}}
    ]


@pytest.mark.parametrize("also", ["pk = 'a' AND sk = 2", "pk = 1", "pk = 'a' AND sk = ? AND n = ?"])
def test_a_parameter_that_is_no_value_refuses_all_statements(
    client: Client, table: str, also: str
) -> None:
    statements = [
        {"Statement": f'SELECT s FROM "{table}" WHERE {also}'},
        {"Statement": f'SELECT s FROM "{table}" WHERE pk = ? AND sk = 1', "Parameters": [{}]},
    ]
    refused = invalid(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    )
    assert refusal(client.batch_execute_statement, Statements=statements) == refused
    assert refusal(client.execute_transaction, TransactStatements=statements) == refused


def test_parameters_are_judged_before_they_are_counted(client: Client, table: str) -> None:
    refused = refusal(
        client.execute_statement,
        Statement=f'SELECT s FROM "{table}" WHERE pk = ? AND sk = ?',
        Parameters=[{"SS": []}],
    )
    assert refused == invalid(
        "One or more parameter values were invalid: An string set  may not be empty"
    )


def test_a_batch_has_at_most_25_statements(client: Client, table: str) -> None:
    statement = {"Statement": f"SELECT s FROM \"{table}\" WHERE pk = 'a' AND sk = 1"}
    code, _ = refusal(client.batch_execute_statement, Statements=[statement] * 26)
    assert code == "ValidationException"


def test_a_transaction_writes_all(client: Client, table: str) -> None:
    pk = unique()
    client.put_item(TableName=table, Item=item(pk=pk, sk=2, n=1))
    client.execute_transaction(
        TransactStatements=[
            {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 1}}"},
            {"Statement": f"UPDATE \"{table}\" SET n = n + 1 WHERE pk = '{pk}' AND sk = 2"},
        ]
    )
    found = rows(client, f"SELECT * FROM \"{table}\" WHERE pk = '{pk}'")
    assert found == [{"pk": pk, "sk": 1}, {"pk": pk, "sk": 2, "n": 2}]


def test_a_transaction_writes_nothing_if_one_fails(client: Client, table: str) -> None:
    pk = unique()
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.execute_transaction(
            TransactStatements=[
                {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 1}}"},
                {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': 1}}"},
            ]
        )
    reasons = caught.value.response["CancellationReasons"]
    assert [each["Code"] for each in reasons] == ["None", "DuplicateItem"]
    assert "Item" not in client.get_item(TableName=table, Key=item(pk=pk, sk=1))


def test_a_token_with_another_transaction_is_refused(client: Client, table: str) -> None:
    def insert() -> list[dict[str, str]]:
        return [{"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{unique()}', 'sk': 1}}"}]

    token = unique()
    client.execute_transaction(TransactStatements=insert(), ClientRequestToken=token)
    assert (
        refusal(client.execute_transaction, TransactStatements=insert(), ClientRequestToken=token)
        == TOKEN_USED
    )


def test_a_transaction_reads(client: Client, table: str) -> None:
    statement = f"SELECT s FROM \"{table}\" WHERE pk = 'a' AND sk = ?"
    answer = client.execute_transaction(
        TransactStatements=[{"Statement": statement, "Parameters": [{"N": n}]} for n in ("3", "99")]
    )
    assert answer["Responses"] == [{"Item": item(s="text3")}, {}]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        pytest.param(
            "pk = 1 AND sk = 1",
            "Key attribute's data type should match its data type in table's schema: Key pk",
            id="type",
        ),
        pytest.param(
            "pk = '' AND sk = 1",
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty",
        ),
    ],
)
def test_a_bad_key_cancels_a_transaction_that_reads(
    client: Client, table: str, key: str, message: str
) -> None:
    statements = [f'SELECT s FROM "{table}" WHERE {each}' for each in ("pk = 'a' AND sk = 1", key)]
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.execute_transaction(
            TransactStatements=[{"Statement": statement} for statement in statements]
        )
    assert caught.value.response["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": message},
    ]


def test_a_transaction_checks_no_index(client: Client, table: str) -> None:
    check = f"EXISTS(SELECT * FROM \"{table}\".\"by-g\" WHERE g = 'g1' AND sk = 1 AND s = 'x')"
    refused = refusal(client.execute_transaction, TransactStatements=[{"Statement": check}])
    assert refused == invalid(
        "Validation failed in TransactStatements[0]: "
        "Operations on indices are not supported in transactions"
    )


def test_a_transaction_checks(client: Client, table: str) -> None:
    pk = unique()
    insert = {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 1}}"}
    check = f"EXISTS(SELECT * FROM \"{table}\" WHERE pk = 'a' AND sk = 0 AND s = ?)"
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.execute_transaction(
            TransactStatements=[insert, {"Statement": check, "Parameters": [{"S": "zzz"}]}]
        )
    reasons = caught.value.response["CancellationReasons"]
    assert [each["Code"] for each in reasons] == ["None", "ConditionalCheckFailed"]
    client.execute_transaction(
        TransactStatements=[insert, {"Statement": check, "Parameters": [{"S": "text0"}]}]
    )


def test_reads_and_writes_do_not_mix_in_a_transaction(client: Client, table: str) -> None:
    code, _ = refusal(
        client.execute_transaction,
        TransactStatements=[
            {"Statement": f"SELECT s FROM \"{table}\" WHERE pk = 'a' AND sk = 1"},
            {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': '{unique()}', 'sk': 1}}"},
        ],
    )
    assert code == "ValidationException"


def test_consumed_capacity(client: Client, table: str) -> None:
    answer = run(
        client,
        f"SELECT * FROM \"{table}\" WHERE pk = 'a' AND sk = 1",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": 0.5}
