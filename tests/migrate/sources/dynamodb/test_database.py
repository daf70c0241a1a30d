"""Tables are read whole, in parts and by ids, as Python values that lose nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import UsageError
from singletable.backends import Backend
from singletable.engine import Engine
from singletable.errors import InvalidAddress
from singletable.migrate.sources.dynamodb import UNTYPED, DynamoSource, item_of
from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Broken, Followed, Kind, Row, Source, Span, Writable
from singletable.model.codec import decode
from singletable.values import normalize

from .support import create, ids, put, read_all


def test_it_is_a_source_that_can_be_followed_and_written_to(memory: Backend) -> None:
    source = DynamoSource(memory)
    assert isinstance(source, Source)
    assert isinstance(source, Followed)
    assert isinstance(source, Writable)


def test_kinds_are_the_tables_with_their_keys(backend: Backend) -> None:
    create(backend, "users", "id")
    create(backend, "orders", "customer", "n:N")
    source = DynamoSource(backend)
    assert source.kinds() == {
        "orders": Kind("orders", ("customer", "n"), ()),
        "users": Kind("users", ("id",), ()),
    }
    assert list(DynamoSource(backend, ["users"]).kinds()) == ["users"]


@pytest.mark.parametrize("parts", [1, 3])
def test_segments_together_are_the_table(backend: Backend, parts: int) -> None:
    create(backend, "orders", "customer", "n:N")
    source = DynamoSource(backend)
    source.put("orders", [{"customer": f"c{n % 7}", "n": n, "x": b"\xff"} for n in range(60)])
    assert source.count("orders") == 60
    rows = read_all(source, "orders", parts, limit=7)
    assert ids(rows) == sorted((f"c{n % 7}", n) for n in range(60))
    assert all(row["x"] == b"\xff" for row in rows)


@pytest.mark.parametrize("key", [("id:N",), ("id:B",), ("id", "n:N"), ("id:N", "n:B")])
def test_what_is_left_of_a_span_survives_json(backend: Backend, key: tuple[str, ...]) -> None:
    create(backend, "things", *key)
    source = DynamoSource(backend)
    values: dict[str, list[Any]] = {
        "S": [f"t{n}" for n in range(12)],
        "N": [*range(9), 10**37, Decimal("0.1"), Decimal("-1E+30")],
        "B": [bytes([n, 255 - n]) for n in range(12)],
    }
    pairs = [(name, values[kind or "S"]) for name, _, kind in (part.partition(":") for part in key)]
    source.put("things", [{name: of[n] for name, of in pairs} for n in range(12)])
    (left,) = source.split("things", 1)
    found: list[Row] = []
    span: Span | None = left
    while span is not None:
        rows, rest = source.read("things", span, 5)
        found += rows
        span = rest and Span(*json.loads(json.dumps([rest.after, rest.upto])))
    assert len({row.id for row in found}) == len(found) == 12
    again = source.fetch("things", json.loads(json.dumps([row.id for row in found])))
    assert again == found


SCALARS = st.one_of(
    st.text(),
    st.integers(-(10**30), 10**30),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1e6, max_value=1e6),
    st.binary(),
    st.booleans(),
    st.none(),
    st.sets(st.text(), min_size=1),
    st.sets(st.integers(-(10**30), 10**30), min_size=1),
    st.sets(st.binary(), min_size=1),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(min_size=1), inner)),
    max_leaves=8,
)


@given(DATA)
def test_a_row_gives_back_the_item_that_it_was_made_of(value: Any) -> None:
    item = item_of({"a": value})["a"]
    again = item_of({"a": decode(normalize(item))})["a"]
    assert normalize(again) == normalize(item)


def test_values_come_as_the_model_decodes_them(backend: Backend) -> None:
    create(backend, "things", "id")
    data = {
        "id": "1",
        "none": None,
        "int": 3,
        "fraction": Decimal("0.25"),
        "set": {"a", "b"},
        "numbers": {1, 2},
        "deep": {"list": [1, None, {"b": b"\x00"}]},
        "true": True,
    }
    put(backend, "things", **data)
    [row] = DynamoSource(backend).fetch("things", [("1",)])
    assert row is not None
    assert row.data == data
    assert "other" not in row


def test_rows_are_fetched_in_the_order_of_their_ids(backend: Backend) -> None:
    create(backend, "things", "id:N")
    source = DynamoSource(backend)
    source.put("things", [{"id": n} for n in range(230)])
    wanted: list[tuple[Any, ...]] = [(n,) for n in (*range(229, -1, -1), 500, 3, "3", Decimal(3))]
    rows = source.fetch("things", wanted)
    assert [row and row["id"] for row in rows] == [*range(229, -1, -1), None, 3, 3, 3]
    assert source.fetch("things", []) == []


def test_rows_are_put_in_the_place_of_others_and_deleted(backend: Backend) -> None:
    create(backend, "things", "id")
    source = DynamoSource(backend)
    source.put("things", [{"id": str(n), "old": True} for n in range(40)])
    source.put("things", [{"id": "1", "new": True}])
    source.delete("things", [(str(n),) for n in range(2, 45)])
    assert sorted((row.id, dict(row)) for row in read_all(source, "things", 1, 100)) == [
        (("0",), {"id": "0", "old": True}),
        (("1",), {"id": "1", "new": True}),
    ]


def test_a_batch_that_the_service_left_undone_is_sent_again(memory: Backend) -> None:
    create(memory, "things", "id")
    source = DynamoSource(Reluctant(memory))
    source.put("things", [{"id": str(n)} for n in range(30)])
    assert all(source.fetch("things", [(str(n),) for n in range(30)]))
    source.delete("things", [(str(n),) for n in range(30)])
    assert read_all(source, "things", 2, 10) == []


class Reluctant:
    """A backend that does only the first half of a batch."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation == "BatchWriteItem":
            ((name, writes),) = request["RequestItems"].items()
            some, rest = _halves(writes)
            self._backend.call(operation, {"RequestItems": {name: some}})
            return {"UnprocessedItems": {name: rest} if rest else {}}
        if operation == "BatchGetItem":
            ((name, how),) = request["RequestItems"].items()
            some, rest = _halves(how["Keys"])
            assert how["ConsistentRead"]
            answer = self._backend.call(operation, {"RequestItems": {name: how | {"Keys": some}}})
            left = {name: how | {"Keys": rest}} if rest else {}
            return answer | {"UnprocessedKeys": left}
        return self._backend.call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self.call(operation, request)

    def close(self) -> None:
        self._backend.close()

    async def aclose(self) -> None:
        self.close()


def _halves(some: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    middle = (len(some) + 1) // 2
    return some[:middle], some[middle:]


def test_rows_of_other_tables_come_along(backend: Backend) -> None:
    create(backend, "users", "id:N")
    create(backend, "orders", "user:N", "n:N")
    create(backend, "notes", "id", indexes={"by_user": "user:N"})
    source = DynamoSource(backend)
    source.put("users", [{"id": n} for n in range(3)])
    source.put("orders", [{"user": n % 2, "n": n} for n in range(6)])
    source.put("notes", [{"id": f"x{n}", "user": 1, "text": "whole"} for n in range(3)])
    source.put("notes", [{"id": "of nobody"}])
    related = {"orders": "user", "notes": "user"}
    rows = {row["id"]: row for row in read_all(source, "users", 2, 2, related)}
    assert [[one["n"] for one in rows[n].related["orders"]] for n in range(3)] == [
        [0, 2, 4],
        [1, 3, 5],
        [],
    ]
    assert sorted(one["id"] for one in rows[1].related["notes"]) == ["x0", "x1", "x2"]
    assert {one["text"] for one in rows[1].related["notes"]} == {"whole"}
    assert rows[0].related["notes"] == []
    [fetched] = source.fetch("users", [(1,)], related)
    assert fetched == rows[1]


def test_rows_that_no_parent_has_are_found(backend: Backend) -> None:
    create(backend, "users", "id:N")
    create(backend, "groups", "name", "at:N")
    create(backend, "notes", "id", indexes={"by_user": "user:N", "by_group": "group"})
    source = DynamoSource(backend)
    source.put("users", [{"id": n} for n in range(3)])
    source.put("groups", [{"name": "g", "at": n} for n in range(3)])
    source.put("notes", [{"id": f"x{n}", "user": n} for n in range(5)])
    source.put("notes", [{"id": "of nobody"}, {"id": "of g", "group": "g"}])
    parents = {"users": "user", "groups": "group"}
    found = [
        row
        for span in source.split("notes", 2)
        for row in source.read_orphans("notes", parents, span, 100)[0]
    ]
    assert sorted(row.id for row in found) == [("of nobody",), ("x3",), ("x4",)]
    assert source.read_orphans("notes", parents, Span(), 2)[1] is not None
    asked = [("x0",), ("x3",), ("of nobody",), ("gone",)]
    fetched = source.fetch_orphans("notes", parents, asked)
    assert [row and row["id"] for row in fetched] == [None, "x3", "of nobody", None]


def test_rows_that_the_index_of_their_relation_leaves_out_are_told(backend: Backend) -> None:
    create(backend, "users", "id")
    create(backend, "notes", "id", indexes={"by_user": "user at:N"})
    source = DynamoSource(backend)
    source.put("users", [{"id": "u"}])
    source.put("notes", [{"id": "found", "user": "u", "at": 1}, {"id": "left out", "user": "u"}])
    [user], _ = source.read("users", Span(), 9, {"notes": "user"})
    assert [row.id for row in user.related["notes"]] == [("found",)]
    [left_out], _ = source.read_orphans("notes", {"users": "user"}, Span(), 9)
    assert isinstance(left_out, Broken)
    assert left_out.id == ("left out",)
    assert left_out.reason == (
        "users/u cannot find it by user: it has no 'at', the sort key of that index"
    )
    fetched = source.fetch_orphans("notes", {"users": "user"}, [("found",), ("left out",)])
    assert [row and row["id"] for row in fetched] == [None, "left out"]


def test_a_relation_without_an_index_names_the_index_to_add(memory: Backend) -> None:
    create(memory, "users", "id")
    create(memory, "orders", "id")
    source = DynamoSource(memory)
    source.put("users", [{"id": "1"}])
    with pytest.raises(UsageError, match="add a global index with the partition key 'user'"):
        source.read("users", Span(), 10, {"orders": "user"})


def test_a_relation_between_types_is_refused_by_name(memory: Backend) -> None:
    create(memory, "users", "id:N")
    create(memory, "orders", "user")
    source = DynamoSource(memory)
    source.put("users", [{"id": 1}])
    with pytest.raises(UsageError, match=r"'orders\.user' is of type S and wants a text, not 1"):
        source.read("users", Span(), 10, {"orders": "user"})


@pytest.fixture
def one_table(backend: Backend) -> Backend:
    """Give one table with users, their orders, and an item without a type."""
    create(backend, "app", "PK", "SK")
    for user in range(3):
        put(backend, "app", PK=f"USER#{user}", SK="USER", Type="User", name=f"n{user}")
        for order in range(user):
            put(backend, "app", PK=f"USER#{user}", SK=f"ORDER#{order}", Type="Order")
    put(backend, "app", PK="COUNTER", SK="COUNTER", Type=7)
    return backend


def test_the_types_of_one_table_are_kinds(one_table: Backend) -> None:
    source = DynamoSource(one_table, table="app", type_attribute="Type")
    key = ("PK", "SK")
    assert source.kinds() == {kind: Kind(kind, key, ()) for kind in ("User", "Order", UNTYPED)}
    assert [source.count(kind) for kind in ("User", "Order", UNTYPED, "None")] == [3, 3, 1, 0]
    assert ids(read_all(source, "User", 2, 2)) == [(f"USER#{n}", "USER") for n in range(3)]
    assert ids(read_all(source, UNTYPED, 2, 2)) == [("COUNTER", "COUNTER")]
    named = DynamoSource(one_table, table="app", type_attribute="Type", types=["User"])
    assert list(named.kinds()) == ["User"]


def test_rows_of_a_type_come_along_by_their_partition(one_table: Backend) -> None:
    source = DynamoSource(one_table, table="app", type_attribute="Type")
    rows = {row["name"]: row for row in read_all(source, "User", 2, 2, {"Order": "PK"})}
    found = {name: [one["SK"] for one in row.related["Order"]] for name, row in rows.items()}
    assert found == {"n0": [], "n1": ["ORDER#0"], "n2": ["ORDER#0", "ORDER#1"]}


def test_rows_of_a_type_without_a_parent_in_their_partition_are_found(one_table: Backend) -> None:
    put(one_table, "app", PK="USER#9", SK="ORDER#0", Type="Order")
    put(one_table, "app", PK="USER#9", SK="NOTE", Type="Note")
    source = DynamoSource(one_table, table="app", type_attribute="Type")
    found, rest = source.read_orphans("Order", {"User": "PK"}, Span(), 100)
    assert ([row.id for row in found], rest) == ([("USER#9", "ORDER#0")], None)


def test_a_row_is_found_by_its_partition_where_it_is_the_only_one(one_table: Backend) -> None:
    source = DynamoSource(one_table, table="app", type_attribute="Type")
    rows = source.fetch("User", [("USER#2",), ("USER#9",), ("USER#1", "USER")], {"Order": "PK"})
    assert [row and row.id for row in rows] == [("USER#2", "USER"), None, ("USER#1", "USER")]
    with pytest.raises(UsageError, match=r"2 rows of 'Order' have the partition key 'USER#2'"):
        source.fetch("Order", [("USER#2",)])


def test_an_item_of_another_type_is_not_there(one_table: Backend) -> None:
    source = DynamoSource(one_table, table="app", type_attribute="Type")
    assert source.fetch("Order", [("USER#1", "USER")]) == [None]
    source.put("Order", [{"PK": "USER#1", "SK": "USER"}])
    [row] = source.fetch("Order", [("USER#1", "USER")])
    assert row is not None
    assert row["Type"] == "Order"


def test_a_type_may_be_told_by_the_key(one_table: Backend) -> None:
    source = DynamoSource(one_table, table="app", type_attribute="SK")
    assert source.count("USER") == 3
    assert len(read_all(source, "USER", 2, 2)) == 3
    [row] = source.fetch("USER", [("USER#2",)], {"ORDER#1": "PK"})
    assert row is not None
    assert [one["SK"] for one in row.related["ORDER#1"]] == ["ORDER#1"]


def test_of_two_indexes_the_one_that_has_every_item_is_read(memory: Backend) -> None:
    indexes = [
        {
            "IndexName": name,
            "KeySchema": [
                {"AttributeName": "user", "KeyType": "HASH"},
                *({"AttributeName": "at", "KeyType": "RANGE"} for _ in range(sorts)),
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
        for name, sorts in (("a_sorted", 1), ("plain", 0), ("z_sorted", 1))
    ]
    create(memory, "users", "user")
    create(
        memory,
        "notes",
        "id",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("id", "user", "at")
        ],
        GlobalSecondaryIndexes=indexes,
    )
    source = DynamoSource(memory)
    source.put("users", [{"user": "1"}])
    source.put("notes", [{"id": "1", "user": "1", "at": "now"}, {"id": "2", "user": "1"}])
    [row] = source.fetch("users", [("1",)], {"notes": "user"})
    assert row is not None
    assert sorted(one["id"] for one in row.related["notes"]) == ["1", "2"]


def test_a_few_rows_among_many_are_read_in_few_batches(memory: Backend) -> None:
    create(memory, "app", "id:N")
    DynamoSource(memory).put(
        "app", [{"id": n, "T": "no" if n % 50 else "yes"} for n in range(2000)]
    )
    source = DynamoSource(memory, table="app", type_attribute="T")
    batches = 0
    span: Span | None = Span()
    found: list[Row] = []
    while span is not None:
        rows, span = source.read("yes", span, 20)
        found += rows
        batches += 1
        assert len(rows) <= 20
    assert ids(found) == [(n,) for n in range(0, 2000, 50)]
    assert batches <= 5


def test_what_is_not_there_is_refused_by_name(memory: Backend, tmp_path: Path) -> None:
    create(memory, "users", "id")
    with pytest.raises(UsageError, match="no table 'nobody' to read; there are: users"):
        DynamoSource(memory, ["nobody"]).kinds()
    with pytest.raises(UsageError, match="has no table 'nobody'; it has users"):
        DynamoSource(memory).read("nobody", Span(), 1)
    with pytest.raises(SourceUnusable, match="There is no file"):
        DynamoSource(tmp_path / "missing.db")
    assert not list(tmp_path.iterdir())
    with pytest.raises(UsageError, match="Kinds are tables"):
        DynamoSource(memory, table="app")
    with pytest.raises(UsageError, match="Kinds are tables"):
        DynamoSource(memory, types=["User"])  # which attribute tells?


def test_an_address_opens_the_same_again(tmp_path: Path) -> None:
    file = str(tmp_path / "old.db")
    with Engine(file) as engine:
        assert DynamoSource(engine).address == ""
    source = DynamoSource(file, table="app", type_attribute="Type", types=["a,b", "c&d"])
    assert source.address == (f"dynamodb:{file}?types=a%2Cb,c%26d&table=app&type_attribute=Type")
    source.close()
    plain = DynamoSource(file)
    create(plain._backend, "users", "id")
    assert list(plain.kinds()) == ["users"]
    assert plain.address == f"dynamodb:{file}"
    plain.close()


def test_a_password_is_never_shown() -> None:
    with pytest.raises(InvalidAddress) as refused:
        DynamoSource("http://me:secret@localhost:8000")
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert "http://me:***@localhost:8000" in str(refused.value)
