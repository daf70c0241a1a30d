"""BatchGetItem: up to 100 items from several tables in one request."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, invalid, item, refusal, unique


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S", "sk:N")
    fill(client, name, [item(pk="p", sk=n, x=n) for n in range(60)])
    return name


@pytest.fixture(scope="module")
def other(client: Client) -> str:
    name = create(client, "id:S")
    fill(client, name, [item(id="only", y=1)])
    return name


def numbers(found: list[dict[str, Any]]) -> list[int]:
    return sorted(int(each["sk"]["N"]) for each in found)


def test_reads_what_is_there(client: Client, table: str) -> None:
    wanted = [item(pk="p", sk=n) for n in (5, 3, 99)]
    answer = client.batch_get_item(RequestItems={table: {"Keys": wanted}})
    assert numbers(answer["Responses"][table]) == [3, 5]
    assert answer["UnprocessedKeys"] == {}


def test_reads_several_tables(client: Client, table: str, other: str) -> None:
    answer = client.batch_get_item(
        RequestItems={
            table: {"Keys": [item(pk="p", sk=1)], "ConsistentRead": True},
            other: {"Keys": [item(id="only")]},
        }
    )
    assert answer["Responses"] == {
        table: [item(pk="p", sk=1, x=1)],
        other: [item(id="only", y=1)],
    }


def test_nothing_found_is_an_empty_list(client: Client, table: str) -> None:
    answer = client.batch_get_item(RequestItems={table: {"Keys": [item(pk="z", sk=1)]}})
    assert answer["Responses"] == {table: []}


def test_legacy_projection(client: Client, table: str) -> None:
    keyed = {"Keys": [item(pk="p", sk=1)], "AttributesToGet": ["x"]}
    assert client.batch_get_item(RequestItems={table: keyed})["Responses"][table] == [item(x=1)]


def test_legacy_projections_do_not_mix_with_expressions(
    client: Client, table: str, other: str
) -> None:
    wanted = {
        table: {"Keys": [item(pk="p", sk=1)], "AttributesToGet": ["x"]},
        other: {"Keys": [item(id="only")], "ProjectionExpression": "y"},
    }
    assert refusal(client.batch_get_item, RequestItems=wanted) == invalid(
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: "
        "{ProjectionExpression}"
    )


def test_100_keys_are_the_most(client: Client, table: str) -> None:
    wanted = [item(pk="p", sk=n) for n in range(101)]
    answer = client.batch_get_item(RequestItems={table: {"Keys": wanted[:100]}})
    assert numbers(answer["Responses"][table]) == list(range(60))
    code, message = refusal(client.batch_get_item, RequestItems={table: {"Keys": wanted}})
    assert code == "ValidationException"
    assert message.endswith(
        f" at 'requestItems.{table}.member.keys' failed to satisfy constraint: "
        "Member must have length less than or equal to 100"
    )


def test_100_keys_are_the_most_over_all_tables(client: Client, table: str, other: str) -> None:
    request = {
        table: {"Keys": [item(pk="p", sk=n) for n in range(60)]},
        other: {"Keys": [item(id=f"{n}") for n in range(41)]},
    }
    assert refusal(client.batch_get_item, RequestItems=request) == invalid(
        "Too many items requested for the BatchGetItem call"
    )


def test_16_mb_are_the_most_and_the_rest_is_handed_back(client: Client) -> None:
    """The answer holds no more than 16 MB; what did not fit is asked for again."""
    name = create(client, "pk:N")
    body = "x" * 399_000
    for n in range(43):
        client.put_item(TableName=name, Item=item(pk=n, body=body))
    wanted = [item(pk=n) for n in range(43)]
    first = client.batch_get_item(
        RequestItems={name: {"Keys": wanted, "ProjectionExpression": "pk"}}
    )
    rest = first["UnprocessedKeys"][name]
    assert rest["ProjectionExpression"] == "pk"
    second = client.batch_get_item(RequestItems={name: rest})
    got = first["Responses"][name] + second["Responses"][name]
    assert sorted(int(each["pk"]["N"]) for each in got) == list(range(43))
    assert len(first["Responses"][name]) in (42, 43)
    client.delete_table(TableName=name)


@pytest.mark.parametrize(
    ("keyed", "message"),
    [
        pytest.param(
            {"Keys": [item(pk="a", sk=1), item(pk="a", sk=1)]},
            "Provided list of item keys contains duplicates",
            id="duplicates",
        ),
        pytest.param(
            {"Keys": [item(pk="a", sk=1), {"pk": {"S": "a"}, "sk": {"N": "1.0"}}]},
            "Provided list of item keys contains duplicates",
            id="duplicates-by-value",
        ),
        pytest.param(
            {"Keys": [item(pk="a")]},
            "The provided key element does not match the schema",
            id="half-a-key",
        ),
        pytest.param(
            {"Keys": [item(pk="a", sk="1")]},
            "The provided key element does not match the schema",
            id="key-type",
        ),
        pytest.param(
            {"Keys": [item(pk="a", sk=1)], "ProjectionExpression": ""},
            "Invalid ProjectionExpression: The expression can not be empty;",
            id="empty-projection",
        ),
        pytest.param(
            {
                "Keys": [item(pk="a", sk=1)],
                "ProjectionExpression": "x",
                "AttributesToGet": ["x"],
            },
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} Expression parameters: "
            "{ProjectionExpression}",
            id="expression-and-legacy",
        ),
        pytest.param(
            {"Keys": [item(pk="", sk=1)]},
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-key",
        ),
    ],
)
def test_refused(client: Client, table: str, keyed: dict[str, Any], message: str) -> None:
    assert refusal(client.batch_get_item, RequestItems={table: keyed}) == invalid(message)


def test_an_unknown_table_refuses_the_whole_batch(client: Client, table: str) -> None:
    """Whatever is wrong with keys of the others."""
    refused = refusal(
        client.batch_get_item,
        RequestItems={
            table: {"Keys": [item(pk="p", sk=1), item(pk="p")]},
            unique(): {"Keys": [item(pk="p")]},
        },
    )
    assert refused == ("ResourceNotFoundException", "Requested resource not found")
