"""Rows written back, exactly as they were read."""

from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Interface
from typing import Any

import pytest

from singletable.migrate.sources.errors import SourceRefused
from singletable.migrate.sources.source import Span
from singletable.migrate.sources.sql import PostgresSource
from tests.migrate import postgres
from tests.migrate.sources.sql.databases import Prepare, empty_sqlite, read_all, run

VALUES: dict[str, list[str]] = {
    "json": [
        """'{"b": 1, "a": [1.5, null, "x"]}'""",
        "'1'",
        "'\"text\"'",
        "'[]'",
        "'{\"a\": 1E+400}'",
    ],
    "jsonb": ["""'{"b": {"c": 12345678901234567890.123456789}}'""", "'[1, 2]'", "'true'"],
    "json NOT NULL": ["'null'"],
    "jsonb[]": ["""ARRAY['{"a": 1}', '[2]', NULL]::jsonb[]"""],
    "uuid": ["gen_random_uuid()"],
    "uuid[]": ["ARRAY[gen_random_uuid(), NULL]"],
    "numeric": ["1.50", "'NaN'", "'Infinity'", "123456789012345678901234567890.123456789"],
    "numeric(10, 2)": ["-1.5"],
    "smallint": ["-32768"],
    "bigint": ["9223372036854775807"],
    "real": ["0.1", "'NaN'", "3.4e38"],
    "double precision": ["0.1", "1e-300", "'-Infinity'"],
    "money": ["12.34"],
    "timestamptz": ["'2024-02-29 12:34:56.789012+05:30'", "'infinity'", "'0044-03-15 BC'"],
    "timestamp": ["'2024-02-29 12:34:56.789012'", "'-infinity'", "'20240-01-01'"],
    "timestamp(0)": ["'2024-02-29 12:34:56'"],
    "date": ["'2024-02-29'", "'infinity'"],
    "time": ["'23:59:59.999999'", "'24:00'"],
    "timetz": ["'23:59:59+02'"],
    "interval": [
        "'1 mon 3 days 04:05:06'",
        "'-1 year'",
        "'3 days 04:05:06.5'",
        "'infinity'",
    ],
    "text": ["'äöü €  '", "''", "'%s %% :x \\'", "'null'"],
    "text[]": ["ARRAY['a', NULL, 'b,\"c']", "'{}'", "'{{a,b},{c,d}}'"],
    "int[]": ["ARRAY[1, NULL, 3]"],
    "timestamptz[]": ["ARRAY['infinity', '2024-01-01']::timestamptz[]"],
    "varchar(5)": ["'abc'"],
    "char(5)": ["'abc'"],
    '"char"': ["'x'"],
    "bytea": ["'\\x00ff27'", "''"],
    "boolean": ["true", "false"],
    "bit(3)": ["B'101'"],
    "bit varying": ["B'1'"],
    "inet": ["'10.0.0.1'", "'10.0.0.1/8'", "'::1'"],
    "cidr": ["'10.0.0.0/8'"],
    "macaddr": ["'08:00:2b:01:02:03'"],
    "mood": ["'happy'", "'so-so'"],
    "mood[]": ["ARRAY['happy', 'so-so']::mood[]"],
    "email": ["'a@b'"],
    "profile": ["""'{"a": [1]}'"""],
    "place": ["ROW(1, 'x y')"],
    "int4range": ["'[1,5)'", "'empty'", "'(,5]'"],
    "tstzrange": ["'[2024-01-01, 2024-02-01)'"],
    "int4multirange": ["'{[1,3), [5,9)}'"],
    "point": ["'(1.5,2)'"],
    "tsvector": ["'a fat cat'"],
    "oid": ["42"],
    "pg_lsn": ["'16/B374D848'"],
}
TYPES = """
    CREATE TYPE mood AS ENUM ('happy', 'so-so');
    CREATE DOMAIN email AS text CHECK (VALUE LIKE '%@%');
    CREATE DOMAIN profile AS jsonb;
    CREATE TYPE place AS (x int, name text)
"""


@pytest.mark.parametrize("type_", VALUES)
def test_what_is_read_is_written_back_as_it_was(source: PostgresSource, type_: str) -> None:
    run(source, TYPES)
    run(source, f"CREATE TABLE t (id int PRIMARY KEY, value {type_})")
    for number, value in enumerate(VALUES[type_]):
        run(source, f"INSERT INTO t VALUES ({number}, {value})")
    if "NOT NULL" not in type_:
        run(source, "INSERT INTO t VALUES (99, NULL)")
    before = _texts(source)
    rows = read_all(source, "t", Span())
    source.delete("t", [row.id for row in rows])
    assert source.count("t") == 0
    source.put("t", rows)
    inserted = _texts(source)
    source.put("t", rows)
    assert before == inserted == _texts(source)


def test_values_have_the_types_that_python_has_for_them(source: PostgresSource) -> None:
    run(
        source,
        """
        CREATE TABLE t (id int PRIMARY KEY, doc jsonb, price numeric, length interval, ip inet,
            tags text[], long interval, until timestamptz);
        INSERT INTO t VALUES (1, '{"a": [1, 2.5]}', 1.50, '3 hours', '10.0.0.1/8',
            '{a,b}', '2 months', 'infinity')
        """,
    )
    ((row,), _) = source.read("t", Span(), 1)
    assert dict(row) == {
        "id": 1,
        "doc": {"a": [1, 2.5]},
        "price": Decimal("1.50"),
        "length": timedelta(hours=3),
        "ip": IPv4Interface("10.0.0.1/8"),
        "tags": ["a", "b"],
        "long": "2 mons",
        "until": "infinity",
    }


def test_an_interval_of_days_and_hours_is_as_long_as_before(source: PostgresSource) -> None:
    run(source, "CREATE TABLE t (id int PRIMARY KEY, value interval, same interval)")
    run(source, "INSERT INTO t VALUES (1, '-04:00', '-04:00'), (2, '36:00:00', '36:00:00')")
    run(source, "INSERT INTO t VALUES (3, '-1 day +01:00', '-1 day +01:00')")
    rows = read_all(source, "t", Span())
    source.put("t", [{"id": row["id"], "value": row["value"]} for row in rows])
    with source._engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT bool_and(value = same) FROM t").scalar()


def test_times_are_in_utc_whatever_the_server_says(postgres_server: str) -> None:
    with postgres.database(postgres_server) as address:
        source = PostgresSource(address)
        run(source, "CREATE TABLE t (at timestamptz PRIMARY KEY); INSERT INTO t VALUES (now())")
        run(source, f"ALTER DATABASE {source._engine.url.database} SET TimeZone = 'Asia/Kolkata'")
        source.close()
        ((row,), _) = source.read("t", Span(), 1)
        assert row["at"].utcoffset() == timedelta(0)
        assert source.fetch("t", [row.id]) == [row]
        source.close()


def test_an_enum_that_grew_is_read(source: PostgresSource) -> None:
    run(source, f"{TYPES}; CREATE TABLE t (id mood PRIMARY KEY)")
    assert list(source.kinds()) == ["t"]
    run(source, "ALTER TYPE mood ADD VALUE 'new'")
    run(source, "INSERT INTO t VALUES ('new')")
    source.put("t", read_all(source, "t", Span()))
    assert source.fetch("t", [("new",)]) == read_all(source, "t", Span())


def test_text_in_the_wrong_encoding_comes_as_bytes(postgres_server: str) -> None:
    options = "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    with postgres.database(postgres_server, options) as address:
        source = PostgresSource(address)
        run(source, "CREATE TABLE t (id int PRIMARY KEY, name text)")
        run(source, r"INSERT INTO t VALUES (1, E'Zo\xc3\xab'), (2, E'\xff')")
        rows = read_all(source, "t", Span())
        assert [row["name"] for row in rows] == ["Zoë", b"\xff"]
        source.put("t", [{"id": 3, "name": "Zoë"}])
        with pytest.raises(SourceRefused, match="bytes cannot be written to a column of the type"):
            source.put("t", rows)
        source.close()


def test_rows_take_the_place_of_those_with_their_keys(either: Prepare) -> None:
    source = either("CREATE TABLE t (a int, b int, name text, size int, PRIMARY KEY (a, b))")
    source.put("t", [{"a": 1, "b": 1, "name": "x", "size": 1}, {"a": 1, "b": 2, "name": "y"}])
    source.put("t", [{"b": 1, "a": 1, "name": "z"}, {"a": 2, "b": 1}, {"a": 1, "b": 2}])
    assert [tuple(row.values()) for row in read_all(source, "t", Span())] == [
        (1, 1, "z", 1),
        (1, 2, "y", None),
        (2, 1, None, None),
    ]


def test_a_database_without_upsert_is_written_row_by_row(
    either: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.sources.sql.writing._INSERTS", {})
    source = either(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name text); "
        "CREATE TABLE u (id INTEGER PRIMARY KEY, t_id int REFERENCES t (id) ON DELETE CASCADE)"
    )
    source.put("t", [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
    source.put("u", [{"id": 1, "t_id": 1}])
    source.put("t", [{"id": 1, "name": "c"}, {"id": 3}, {"id": 2}])
    rows = [tuple(row.values()) for row in read_all(source, "t", Span())]
    assert rows == [(1, "c"), (2, "b"), (3, None)]
    assert source.count("u") == 1


def test_what_refers_to_a_row_stays_when_it_is_written(source: PostgresSource) -> None:
    run(source, "CREATE TABLE t (id int PRIMARY KEY, name text)")
    run(source, "CREATE TABLE u (id int PRIMARY KEY, t_id int REFERENCES t ON DELETE CASCADE)")
    source.put("t", [{"id": 1, "name": "a"}])
    source.put("u", [{"id": 1, "t_id": 1}])
    source.put("t", [{"id": 1, "name": "b"}])
    assert source.count("u") == 1


def test_deleting_what_is_not_there_is_no_error(either: Prepare) -> None:
    source = either("CREATE TABLE t (id text PRIMARY KEY)")
    source.put("t", [{"id": "a"}, {"id": "b"}])
    source.delete("t", [("a",), ("x",)])
    source.delete("t", [])
    source.put("t", [])
    assert [row.id for row in read_all(source, "t", Span())] == [("b",)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": 1, "nam": "a"}, "The table 't' has no column 'nam': the row to write is"),
        ({"name": "a"}, "The table 't' needs a value of 'id'"),
        ({"id": None}, "The table 't' needs a value of 'id'"),
        ({"id": 3, "name": "b"}, "refused a write: .*[uU][nN][iI][qQ][uU][eE]"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_all_others(
    either: Prepare, row: dict[str, Any], reason: str
) -> None:
    source = either("CREATE TABLE t (id INTEGER PRIMARY KEY, name text UNIQUE)")
    source.put("t", [{"id": 1, "name": "b"}])
    with pytest.raises(SourceRefused, match=reason):
        source.put("t", [{"id": 2, "name": "c"}, row])
    assert source.count("t") == 1


def test_a_value_that_is_too_long_is_refused_not_cut(source: PostgresSource) -> None:
    run(source, "CREATE TABLE t (id int PRIMARY KEY, name varchar(3))")
    with pytest.raises(SourceRefused, match=r"too long for type character varying\(3\)"):
        source.put("t", [{"id": 1, "name": "abcd"}])


def test_numbers_that_the_database_makes_are_not_made_again(source: PostgresSource) -> None:
    run(
        source,
        """
        CREATE TABLE a (id serial PRIMARY KEY, n int);
        CREATE TABLE b (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int);
        CREATE TABLE "C c" ("Id" int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int)
        """,
    )
    for kind, key in [("a", "id"), ("b", "id"), ("C c", "Id")]:
        source.put(kind, [{key: 7, "n": 1}, {key: 5, "n": 1}])
        source.put(kind, [{key: 3, "n": 1}])
        run(source, f'INSERT INTO "{kind}" (n) VALUES (2)')
        assert [row.id for row in read_all(source, kind, Span())] == [(3,), (5,), (7,), (8,)]


def test_computed_columns_are_read_and_not_written(source: PostgresSource) -> None:
    run(
        source,
        "CREATE TABLE t (id int PRIMARY KEY, n int, twice int GENERATED ALWAYS AS (n * 2) STORED)",
    )
    source.put("t", [{"id": 1, "n": 2}])
    rows = read_all(source, "t", Span())
    assert rows[0]["twice"] == 4
    source.put("t", rows)
    assert read_all(source, "t", Span()) == rows


def test_sqlite_gives_back_what_was_written(tmp_path: Any) -> None:
    from singletable.migrate.sources.sql import SqlSource

    source = SqlSource(empty_sqlite(tmp_path))
    run(
        source,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at datetime, day date, price decimal(9, 2),
            doc json, name text, data blob, ok boolean, must json NOT NULL);
        INSERT INTO t VALUES (1, '2024-01-02 03:04:05.000006', '2024-01-02', 19.99, '{"a":[1.5]}',
            'Ada', x'ff00', 1, 'null'),
            (2, NULL, NULL, 3, NULL, NULL, NULL, NULL, '1')
        """,
    )
    before, rows = _texts(source), read_all(source, "t", Span())
    source.delete("t", [row.id for row in rows])
    source.put("t", rows)
    assert _texts(source) == before
    assert rows[0]["price"] == Decimal("19.99")
    source.close()


def test_sqlite_keeps_the_zone_of_a_time(tmp_path: Any) -> None:
    from singletable.migrate.sources.sql import SqlSource

    source = SqlSource(empty_sqlite(tmp_path))
    run(source, "CREATE TABLE t (id INTEGER PRIMARY KEY, at datetime, hour time)")
    run(source, "INSERT INTO t VALUES (1, '2024-01-02 03:04Z', '03:04Z')")
    run(source, "INSERT INTO t VALUES (2, '2024-01-02 03:04+02:00', '03:04+02:00')")
    rows = read_all(source, "t", Span())
    source.put("t", rows)
    again = read_all(source, "t", Span())
    zones = [(row["at"].utcoffset(), row["hour"].utcoffset()) for row in again]
    assert zones == [(timedelta(),) * 2, (timedelta(hours=2),) * 2]
    assert again == rows
    source.close()


def _texts(source: Any) -> list[Any]:
    with source._engine.connect() as connection:
        if source._engine.dialect.name == "postgresql":
            query = "SELECT t::text FROM t ORDER BY id"
            texts = connection.exec_driver_sql(query).scalars()
            return [text.replace('"": ', '"":').replace(", ", ",") for text in texts]
        columns = "id, at, day, price, typeof(price), doc, name, data, ok, must"
        return [tuple(row) for row in connection.exec_driver_sql(f"SELECT {columns} FROM t")]
