"""Rows in spans, by their keys, and with those that belong to them."""

import json
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select

from singletable.errors import UsageError
from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Span
from singletable.migrate.sources.sql import PostgresSource, SqlSource
from singletable.migrate.sources.sql.keys import within
from singletable.migrate.sources.sql.reflecting import key_of
from tests.migrate import postgres
from tests.migrate.sources.sql.databases import PARTITIONED, Prepare, empty_sqlite, read_all, run

KEYS = {
    "int": "n",
    "bigint": "n::bigint * 1000000007",
    "uuid": "md5(n::text)::uuid",
    "text": "md5(n::text)",
    'text COLLATE "C"': "chr(192 + n) || n",
    "varchar(40)": "substr('aAbBäÄ -_zZß', 1 + n % 12, 1) || n",
    "char(8)": "to_hex(n)",
    "numeric": "(n - 50) / 7.0",
    "date": "date '2024-01-01' + n",
    "timestamptz": "timestamptz '2024-01-01' + n * interval '0.123457 s'",
    "timestamp": "timestamp '2024-01-01' + n * interval '1 min'",
    "bytea": "decode(md5(n::text), 'hex')",
    "double precision": "sqrt(n)",
    "inet": "inet '10.0.0.0' + n",
}


@pytest.mark.parametrize("type_", KEYS)
def test_spans_hold_every_row_once_in_the_order_of_its_key(
    source: PostgresSource, type_: str
) -> None:
    run(source, f"CREATE TABLE t (k {type_} PRIMARY KEY, n int)")
    run(source, f"INSERT INTO t SELECT {KEYS[type_]}, n FROM generate_series(1, 100) n")
    spans = [
        Span(*json.loads(json.dumps([span.after, span.upto]))) for span in source.split("t", 6)
    ]
    parts = [read_all(source, "t", span) for span in spans]
    assert [len(part) for part in parts] == [17, 17, 17, 17, 17, 15]
    with source._engine.connect() as connection:
        ordered = connection.exec_driver_sql("SELECT n FROM t ORDER BY k").scalars().all()
    assert [row["n"] for part in parts for row in part] == ordered
    ids = [tuple(json.loads(json.dumps(row.id))) for part in parts for row in part]
    assert [row and row["n"] for row in source.fetch("t", ids)] == ordered


def test_a_key_of_several_columns_orders_by_all(either: Prepare) -> None:
    source = either("CREATE TABLE t (a int, b text, c int, PRIMARY KEY (b, a, c))")
    rows = [{"a": n % 3, "b": "xyz"[n % 2], "c": n} for n in range(50)]
    source.put("t", rows)
    parts = [read_all(source, "t", span, limit=4) for span in source.split("t", 3)]
    found = [row.id for part in parts for row in part]
    assert found == sorted((row["b"], row["a"], row["c"]) for row in rows)
    assert [len(part) for part in parts] == [17, 17, 16]
    assert [row and row.id for row in source.fetch("t", found[::-1])] == found[::-1]


def test_a_database_without_row_values_compares_part_by_part(tmp_path: Path) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(source, "CREATE TABLE t (a int, b int, c int, PRIMARY KEY (a, b, c))")
    source.put("t", [{"a": n // 9, "b": n // 3 % 3, "c": n % 3} for n in range(27)])
    table = source.tables.get("t")
    key = key_of(table)
    bounds = [None, *((row.id) for row in read_all(source, "t", Span()))]
    with source._engine.connect() as connection:
        for after in bounds[::2]:
            for upto in bounds[::3]:
                query = [
                    select(table).where(within(key, Span(after, upto), dialect))
                    for dialect in ("sqlite", "mysql")
                ]
                assert connection.execute(query[0]).all() == connection.execute(query[1]).all()
    source.close()


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), unique=True),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_any_text_can_be_a_key(texts: list[str], parts: int, limit: int) -> None:
    source = SqlSource("sqlite://")
    run(source, "CREATE TABLE t (k text PRIMARY KEY)")
    source.put("t", [{"k": text} for text in texts])
    found = [
        row["k"] for span in source.split("t", parts) for row in read_all(source, "t", span, limit)
    ]
    assert found == sorted(texts, key=lambda text: text.encode())
    source.close()


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 99, 100, 101])
@pytest.mark.parametrize("parts", [0, 1, 2, 3, 100, 1000])
def test_there_are_at_most_as_many_spans_as_asked_for(
    tmp_path: Path, rows: int, parts: int
) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(source, "CREATE TABLE t (id INTEGER PRIMARY KEY)")
    source.put("t", [{"id": n} for n in range(rows)])
    spans = source.split("t", parts)
    assert 1 <= len(spans) <= max(parts, 1)
    assert (spans[0].after, spans[-1].upto) == (None, None)
    assert [one.upto for one in spans[:-1]] == [one.after for one in spans[1:]]
    sizes = [len(read_all(source, "t", span, 50)) for span in spans]
    assert sum(sizes) == rows
    assert max(sizes) <= -(-rows // max(parts, 1))
    source.close()


def test_what_is_left_of_a_span_is_told(either: Prepare) -> None:
    source = either("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    source.put("t", [{"id": n} for n in range(1, 6)])
    rows, rest = source.read("t", Span((1,), (4,)), 2)
    assert ([row.id for row in rows], rest) == ([(2,), (3,)], Span((3,), (4,)))
    assert source.read("t", Span((3,), (4,)), 1)[1] is None
    assert source.read("t", Span((3,), (4,)), 2)[1] is None
    assert source.read("t", Span((9,), None), 2) == ([], None)


def test_a_nocase_column_keeps_its_own_order(tmp_path: Path) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(source, "CREATE TABLE t (k text COLLATE NOCASE PRIMARY KEY)")
    source.put("t", [{"k": text} for text in ["b", "A", "C", "a1", "B1"]])
    found = [row["k"] for span in source.split("t", 3) for row in read_all(source, "t", span, 1)]
    assert found == ["A", "a1", "b", "B1", "C"]
    rows = source.fetch("t", [("B",), ("a",), ("x",), ("C",)])
    assert [row and row["k"] for row in rows] == ["b", "A", None, "C"]
    source.close()


def test_null_in_a_key_is_refused(tmp_path: Path) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(source, "CREATE TABLE t (k text PRIMARY KEY); INSERT INTO t VALUES (NULL), (NULL), ('a')")
    with pytest.raises(SourceUnusable, match=r"2 rows of the table 't' have NULL in their key \(k"):
        source.split("t", 2)
    source.close()


@pytest.mark.parametrize("key", ["k", "n, k"])
def test_keys_in_the_wrong_encoding_end_no_span_early(tmp_path: Path, key: str) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(
        source,
        f"""
        CREATE TABLE t (k text, n int DEFAULT 1, PRIMARY KEY ({key}));
        INSERT INTO t (k) VALUES ('Maier'), (CAST(x'4dfc6c6c6572' AS text)), ('Schulz'),
            (CAST(x'ff' AS text)), (x'fe')
        """,
    )
    rows = [row for span in source.split("t", 2) for row in read_all(source, "t", span, 1)]
    assert [row["k"] for row in rows] == ["Maier", b"M\xfcller", "Schulz", b"\xff", b"\xfe"]
    ids = [tuple(json.loads(json.dumps(row.id))) for row in rows]
    assert source.fetch("t", ids) == rows
    source.delete("t", ids[3:4])
    assert read_all(source, "t", Span()) == [*rows[:3], rows[4]]
    source.close()


def test_keys_in_the_wrong_encoding_are_found_in_postgresql(postgres_server: str) -> None:
    options = "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    with postgres.database(postgres_server, options) as address:
        source = PostgresSource(address)
        run(source, "CREATE TABLE t (k varchar(9) PRIMARY KEY, n int)")
        run(source, r"INSERT INTO t VALUES ('Maier', 1), (E'M\xfcller', 2), (E'\xff', 3)")
        position = source.begin()
        rows = [row for span in source.split("t", 2) for row in read_all(source, "t", span, 1)]
        assert [row["k"] for row in rows] == ["Maier", b"M\xfcller", b"\xff"]
        ids = [tuple(json.loads(json.dumps(row.id))) for row in rows]
        assert source.fetch("t", ids) == rows
        run(source, "DELETE FROM t WHERE n = 2")
        assert [one.id for one in source.changes(position, 9)[0]] == ids[1:2]
        source.delete("t", ids[1:])
        assert read_all(source, "t", Span()) == rows[:1]
        source.close()


def test_an_id_that_is_none_of_the_key_is_refused(source: PostgresSource) -> None:
    run(source, "CREATE TABLE t (id uuid PRIMARY KEY)")
    with pytest.raises(UsageError, match=r"\('a', 'b'\) is no id of a row: its key is id"):
        source.fetch("t", [("a", "b")])
    with pytest.raises(UsageError, match="'a' is no uuid, as the column 'id' of a key wants"):
        source.fetch("t", [("a",)])


def test_a_value_that_is_not_what_its_column_says_comes_as_it_stands(tmp_path: Path) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(
        source,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at datetime, day date, price decimal(9, 2),
            doc json, name text, size int);
        INSERT INTO t VALUES
            (1, 'soon', '2024-13-01', 'free', '{"a":', CAST(x'ff41' AS text), 'big'),
            (2, '2024-01-02 03:04:05', '2024-01-02', 0.1, '{"a": 1.5}', 'Ada', 3)
        """,
    )
    broken, whole = read_all(source, "t", Span())
    assert [*broken.values()][1:] == ["soon", "2024-13-01", "free", '{"a":', b"\xffA", "big"]
    shown = " ".join(map(repr, whole.values()))
    assert shown == (
        "2 datetime.datetime(2024, 1, 2, 3, 4, 5) datetime.date(2024, 1, 2) Decimal('0.1') "
        "{'a': 1.5} 'Ada' 3"
    )
    source.close()


FAMILY = """
    CREATE TABLE parents (id text PRIMARY KEY);
    CREATE TABLE children (id INTEGER PRIMARY KEY, parent text, name text);
    CREATE TABLE pets (id INTEGER PRIMARY KEY, owner text);
    INSERT INTO parents VALUES ('a'), ('b'), ('c');
    INSERT INTO children VALUES (3, 'b', 'x'), (1, 'b', 'y'), (2, 'a', 'z'), (4, NULL, 'w');
    INSERT INTO pets VALUES (7, 'c')
"""


def test_rows_that_belong_to_a_row_come_along_in_their_order(either: Prepare) -> None:
    source = either(FAMILY)
    related = {"children": "parent", "pets": "owner"}
    rows, _ = source.read("parents", Span(), 10, related)
    assert [
        (
            row.id,
            [one.id for one in row.related["children"]],
            [dict(one) for one in row.related["pets"]],
        )
        for row in rows
    ] == [
        (("a",), [(2,)], []),
        (("b",), [(1,), (3,)], []),
        (("c",), [], [{"id": 7, "owner": "c"}]),
    ]
    assert source.fetch("parents", [("b",), ("-",)], related) == [rows[1], None]


def test_rows_that_no_parent_has_are_found(either: Prepare) -> None:
    source = either(FAMILY)
    source.put("children", [{"id": n, "parent": "none", "name": ""} for n in range(5, 10)])
    parents = {"parents": "parent"}
    found, rest = source.read_orphans("children", parents, Span(), 4)
    assert [(row.id, row["parent"]) for row in found] == [
        ((4,), None), ((5,), "none"), ((6,), "none"), ((7,), "none"),
    ]  # fmt: skip
    assert rest == Span(after=(7,))
    found, rest = source.read_orphans("children", parents, Span((7,), (8,)), 4)
    assert ([row.id for row in found], rest) == ([(8,)], None)
    assert source.read_orphans("pets", {"parents": "owner"}, Span(), 4) == ([], None)
    fetched = source.fetch_orphans("children", parents, [(1,), (5,), (99,), (4,)])
    assert [row and row.id for row in fetched] == [None, (5,), None, (4,)]


def test_a_row_that_one_of_its_parents_has_is_not_alone(either: Prepare) -> None:
    source = either(FAMILY)
    source.put("children", [{"id": 5, "parent": "none", "name": "a"}])
    parents = {"parents": "parent", "pets": "id"}
    found, _ = source.read_orphans("children", parents, Span(), 9)
    assert [row.id for row in found] == [(4,), (5,)]
    source.put("pets", [{"id": 5, "owner": "c"}])
    found, _ = source.read_orphans("children", parents, Span(), 9)
    assert [row.id for row in found] == [(4,)]


def test_rows_of_the_same_table_can_come_along(either: Prepare) -> None:
    source = either("CREATE TABLE t (id INTEGER PRIMARY KEY, up int)")
    source.put("t", [{"id": 1, "up": None}, {"id": 2, "up": 1}, {"id": 3, "up": 1}])
    rows, _ = source.read("t", Span(), 10, {"t": "up"})
    assert [[one.id for one in row.related["t"]] for row in rows] == [[(2,), (3,)], [], []]


def test_more_rows_than_one_query_takes_come_with_what_belongs_to_them(either: Prepare) -> None:
    source = either(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE u (id INTEGER PRIMARY KEY, t_id int)"
    )
    with source._engine.begin() as connection:
        connection.execute(insert(source.tables.get("t")), [{"id": n} for n in range(1200)])
        connection.execute(
            insert(source.tables.get("u")), [{"id": n, "t_id": n} for n in range(1200)]
        )
    rows, rest = source.read("t", Span(), 1300, {"u": "t_id"})
    assert rest is None
    assert [[one.id for one in row.related["u"]] for row in rows] == [[(n,)] for n in range(1200)]
    again = source.fetch("t", [row.id for row in rows], {"u": "t_id"})
    assert again == rows
    source.delete("t", [row.id for row in rows[5:]])
    assert source.count("t") == 5


def test_who_belongs_to_whom_is_left_to_the_database(tmp_path: Path) -> None:
    source = SqlSource(empty_sqlite(tmp_path))
    run(source, "CREATE TABLE t (k text COLLATE NOCASE PRIMARY KEY)")
    run(source, "CREATE TABLE u (id INTEGER PRIMARY KEY, t_k text COLLATE NOCASE)")
    run(source, "INSERT INTO t VALUES ('Ada'); INSERT INTO u VALUES (1, 'ADA'), (2, 'ada')")
    (row,) = read_all(source, "t", Span(), related={"u": "t_k"})
    assert [one.id for one in row.related["u"]] == [(1,), (2,)]
    source.close()


def test_a_wrong_relation_is_refused(either: Prepare) -> None:
    source = either(f"{FAMILY}; CREATE TABLE t (a int, b int, PRIMARY KEY (a, b))")
    source.put("t", [{"a": 1, "b": 2}])
    with pytest.raises(SourceUnusable, match="'pets' has no column 'parent'; it has: id, owner"):
        source.read("parents", Span(), 1, {"pets": "parent"})
    with pytest.raises(SourceUnusable, match=r"the key of 't' has several \(a, b\)"):
        source.read("t", Span(), 1, {"pets": "owner"})


def test_the_same_id_asked_for_twice_is_answered_twice(either: Prepare) -> None:
    source = either("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    source.put("t", [{"id": 1}])
    assert [row and row.id for row in source.fetch("t", [(1,), (2,), (1,)])] == [(1,), None, (1,)]
    assert source.fetch("t", []) == []


def test_a_uuid_can_be_asked_for_by_its_text(source: PostgresSource) -> None:
    run(source, "CREATE TABLE t (id uuid PRIMARY KEY); INSERT INTO t VALUES (gen_random_uuid())")
    ((row,), _) = source.read("t", Span(), 1)
    assert source.fetch("t", [(row["id"],), (str(row["id"]),), row.id]) == [row] * 3


def test_a_page_is_found_by_the_index(source: PostgresSource) -> None:
    """A page deep in a table reads no more than one at its beginning."""
    run(source, "CREATE TABLE t (a text, b int, PRIMARY KEY (a, b))")
    run(source, "INSERT INTO t SELECT md5(n::text), n FROM generate_series(1, 20000) n")
    run(source, "ANALYZE t")
    table = source.tables.get("t")
    key = key_of(table)
    query = select(table).where(within(key, Span(("f", 1), ("f5", 9)), "postgresql"))
    with source._engine.connect() as connection:
        page = query.order_by(*key).limit(10).compile(connection)
        plan = connection.exec_driver_sql(f"EXPLAIN {page}", dict(page.params)).scalars().all()
    assert "Index Only Scan" in "".join(plan)
    assert "Sort" not in "".join(plan)


def test_partitions_are_read_in_one_order(source: PostgresSource) -> None:
    run(source, PARTITIONED)
    rows = [row for span in source.split("events", 3) for row in read_all(source, "events", span)]
    assert [row["id"] for row in rows] == list(range(1, 21))


def test_rows_that_stay_are_read_once_while_others_come_and_go(database: str) -> None:
    """Four readers share the spans; two writers delete and insert all around."""
    source = PostgresSource(database)
    run(source, "CREATE TABLE t (id uuid PRIMARY KEY, stays bool)")
    run(source, "INSERT INTO t SELECT gen_random_uuid(), n % 2 = 0 FROM generate_series(1, 4000) n")
    with source._engine.connect() as connection:
        query = "SELECT id FROM t WHERE stays"
        staying = set(connection.exec_driver_sql(query).scalars())
    done = threading.Event()

    def write(seed: int) -> int:
        writer, chance = PostgresSource(database), random.Random(seed)  # noqa: S311 - not for secrets
        for written in count():
            if done.is_set():
                writer.close()
                return written
            run(writer, "INSERT INTO t SELECT gen_random_uuid(), false FROM generate_series(1, 20)")
            run(writer, f"DELETE FROM t WHERE NOT stays AND id::text LIKE '{chance.choice(HEX)}%'")
        raise AssertionError

    def read(span: Span) -> Counter[object]:
        reader = PostgresSource(database)
        rows = read_all(reader, "t", span, limit=25)
        reader.close()
        return Counter(row["id"] for row in rows)

    with ThreadPoolExecutor(6) as pool:
        writers = [pool.submit(write, seed) for seed in range(2)]
        found = sum(pool.map(read, source.split("t", 8)), Counter())
        done.set()
        assert all(writer.result() > 0 for writer in writers)
    assert {id_: found[id_] for id_ in staying} == dict.fromkeys(staying, 1)
    assert max(found.values()) == 1
    source.close()


HEX = "0123456789abcdef"
