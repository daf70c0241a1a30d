"""Changes, noted by triggers: all that are committed, none that are not, however late."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest

from singletable.errors import UsageError
from singletable.migrate.sources.errors import (
    ChangesLost,
    SourceBusy,
    SourceRefused,
    SourceUnusable,
)
from singletable.migrate.sources.source import Changed
from singletable.migrate.sources.sql import PostgresSource
from tests.migrate.sources.sql.databases import PARTITIONED, run

TABLE = "CREATE TABLE t (id int PRIMARY KEY, name text)"


@contextmanager
def connected(source: PostgresSource) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    address = source.address.replace("postgresql+psycopg", "postgresql")
    with psycopg.connect(address) as connection:
        yield connection


def told(source: PostgresSource, position: str, limit: int = 1000) -> list[tuple[Any, ...]]:
    changes, _ = source.changes(position, limit)
    return [(one.kind, one.id, None if one.old is None else dict(one.old)) for one in changes]


def test_each_change_is_told_with_the_row_as_it_was(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    run(source, "INSERT INTO t VALUES (1, 'a'); UPDATE t SET name = 'b'; DELETE FROM t")
    assert told(source, position) == [
        ("t", (1,), None),
        ("t", (1,), {"id": 1, "name": "a"}),
        ("t", (1,), {"id": 1, "name": "b"}),
    ]
    assert source.backlog(position) == 3


def test_a_change_of_the_key_is_two_changes(source: PostgresSource) -> None:
    run(source, f"{TABLE}; INSERT INTO t VALUES (1, 'a')")
    position = source.begin()
    run(source, "UPDATE t SET id = 2")
    assert told(source, position) == [("t", (1,), {"id": 1, "name": "a"}), ("t", (2,), None)]


def test_changes_are_given_page_by_page(source: PostgresSource) -> None:
    run(source, f"{TABLE}; CREATE TABLE u (a text, b uuid, PRIMARY KEY (b, a))")
    position = source.begin()
    for number in range(5):
        run(
            source,
            f"INSERT INTO t VALUES ({number}); INSERT INTO u VALUES ('{number}', md5('')::uuid)",
        )
    found: list[Changed] = []
    while True:
        page, after = source.changes(position, 3)
        assert (after == position) == (not page)
        if not page:
            break
        found, position = [*found, *page], after
    key = "@uuid:d41d8cd9-8f00-b204-e980-0998ecf8427e"
    assert [(one.kind, one.id) for one in found] == [
        change for n in range(5) for change in [("t", (n,)), ("u", (key, str(n)))]
    ]
    assert source.backlog(position) == 0


def test_an_old_row_has_the_values_that_reading_gives(source: PostgresSource) -> None:
    run(
        source,
        """
        CREATE TYPE mood AS ENUM ('happy');
        CREATE DOMAIN name AS text NOT NULL;
        CREATE TABLE t (id numeric, at timestamptz, code char(4), raw bytea, doc json, docb jsonb,
            tags text[], mood mood, day date, took interval, big double precision, named name,
            twice int GENERATED ALWAYS AS (2) STORED, gone int,
            PRIMARY KEY (id, at, code, raw));
        ALTER TABLE t DROP COLUMN gone;
        INSERT INTO t VALUES (1.50, '2024-01-02 03:04:05.000006+05', 'ab', '\\xff00',
            '{"z": 1, "a": "\\\\u0000"}', '{"n": 1.10}', '{a,NULL}', 'happy', 'infinity',
            '1 mon', 0.1, 'x')
        """,
    )
    rows, _ = source.read("t", source.split("t", 1)[0], 1)
    position = source.begin()
    run(source, "SET TimeZone = 'Asia/Tokyo'; SET IntervalStyle = 'sql_standard'; DELETE FROM t")
    ((kind, id_, old),) = told(source, position)
    assert (kind, id_, old) == ("t", rows[0].id, dict(rows[0]))
    assert old["at"] == datetime(2024, 1, 1, 22, 4, 5, 6, tzinfo=UTC)
    assert (old["id"], list(old["doc"])) == (Decimal("1.50"), ["z", "a"])


def test_a_document_that_no_value_can_be_made_of_holds_nothing_up(source: PostgresSource) -> None:
    run(source, "CREATE TABLE t (id int PRIMARY KEY, doc json)")
    position = source.begin()
    run(source, r"""INSERT INTO t VALUES (1, '{"a": "\u0000 \\u0000 \\\u0000"}'); DELETE FROM t""")
    assert told(source, position)[1] == (
        ("t", (1,), {"id": 1, "doc": {"a": "\ufffd \\u0000 \\\ufffd"}})
    )


def test_names_may_be_strange(source: PostgresSource) -> None:
    run(source, """CREATE SCHEMA "S'1"; CREATE TABLE "S'1"."t ""%x" ("k 'y:a" int PRIMARY KEY)""")
    (kind,) = source.kinds()
    position = source.begin()
    source.put(kind, [{"k 'y:a": 1}])
    source.delete(kind, [(1,)])
    assert told(source, position) == [(kind, (1,), None), (kind, (1,), {"k 'y:a": 1})]
    run(source, """INSERT INTO "S'1"."t ""%x" VALUES (2); TRUNCATE "S'1"."t ""%x" """)
    assert told(source, position)[-1] == (kind, (2,), {"k 'y:a": 2})
    source.end()


def test_what_is_rolled_back_is_not_told(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    with connected(source) as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        connection.execute("SAVEPOINT s")
        connection.execute("INSERT INTO t VALUES (2)")
        connection.execute("ROLLBACK TO s")
        connection.commit()
        connection.execute("INSERT INTO t VALUES (3)")
        connection.rollback()
    assert told(source, position) == [("t", (1,), None)]


def test_a_transaction_that_ends_late_delays_and_loses_nothing(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    with connected(source) as slow:
        slow.execute("INSERT INTO t VALUES (1)")
        run(source, "INSERT INTO t VALUES (2)")
        assert source.changes(position, 10) == ([], position)
        assert source.backlog(position) == 1
        slow.commit()
    assert told(source, position) == [("t", (1,), None), ("t", (2,), None)]


def test_once_begun_it_gives_the_same_position(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    run(source, "INSERT INTO t VALUES (1)")
    assert source.begin() == source.begin(["t"]) == position
    assert told(source, position) == [("t", (1,), None)]


def test_many_can_begin_at_once(source: PostgresSource) -> None:
    run(source, TABLE)
    sources = [PostgresSource(source.address) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(PostgresSource.begin, sources))) == 1
    for one in sources:
        one.close()


def test_only_the_tables_named_are_followed(source: PostgresSource) -> None:
    run(source, f"{TABLE}; CREATE TABLE u (id int PRIMARY KEY); CREATE TABLE v (x int)")
    position = source.begin(["t"])
    run(source, "INSERT INTO u VALUES (1); INSERT INTO t VALUES (1); INSERT INTO v VALUES (1)")
    assert told(source, position) == [("t", (1,), None)]
    with pytest.raises(ChangesLost, match="'u' was not followed from the beginning"):
        source.begin(["t", "u"])


def test_a_table_without_a_key_cannot_be_followed(source: PostgresSource) -> None:
    run(source, "CREATE TABLE v (x int)")
    with pytest.raises(SourceUnusable, match="'v' has no primary key"):
        source.begin(["v"])
    assert source.begin()  # all that can be


def test_the_end_leaves_no_trace(source: PostgresSource) -> None:
    run(source, f"{TABLE}; {PARTITIONED}")
    before = _catalog(source)
    source.begin()
    assert _catalog(source) != before
    source.end()
    assert _catalog(source) == before
    source.end()
    run(source, "INSERT INTO t VALUES (1)")


def test_a_position_of_an_outbox_that_is_gone_is_refused(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    source.end()
    with pytest.raises(ChangesLost, match="The outbox was removed"):
        source.changes(position, 1)
    source.begin()
    with pytest.raises(ChangesLost, match="The outbox is another than the one"):
        source.backlog(position)


def test_a_position_beyond_all_transactions_is_refused(source: PostgresSource) -> None:
    """As when the database was restored from a backup."""
    run(source, TABLE)
    generation = source.begin().split("/")[0]
    with pytest.raises(ChangesLost, match="another than the one"):
        source.changes(f"{generation}/99999999/1", 1)


@pytest.mark.parametrize("position", ["", "x", "a/b/c", "1/2"])
def test_what_is_no_position_is_refused(source: PostgresSource, position: str) -> None:
    with pytest.raises(UsageError, match="is no position in a PostgreSQL outbox"):
        source.changes(position, 1)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE t DISABLE TRIGGER singletable_outbox",
        "DROP TRIGGER singletable_outbox_truncate ON t",
        "ALTER TABLE t DISABLE TRIGGER ALL",
        "DROP TABLE t",
    ],
)
def test_a_table_that_is_not_followed_any_more_is_told(
    source: PostgresSource, statement: str
) -> None:
    run(source, TABLE)
    position = source.begin()
    run(source, statement)
    for ask in (
        lambda: source.changes(position, 1),
        lambda: source.backlog(position),
        source.begin,
    ):
        with pytest.raises(ChangesLost, match="trigger of the table 't' was removed or disabled"):
            ask()
    source.end()


def test_a_schema_of_somebody_else_is_left_alone(source: PostgresSource) -> None:
    run(source, f"{TABLE}; CREATE SCHEMA singletable; CREATE TABLE singletable.theirs (id int)")
    with pytest.raises(SourceUnusable, match="a schema 'singletable' that is no outbox"):
        source.begin()
    source.end()
    run(source, "INSERT INTO singletable.theirs VALUES (1)")


def test_a_truncate_is_told_as_deletes(source: PostgresSource) -> None:
    run(source, f"{TABLE}; INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    run(source, "CREATE TABLE u (id int PRIMARY KEY REFERENCES t); INSERT INTO u VALUES (1)")
    position = source.begin()
    run(source, "TRUNCATE t CASCADE")
    assert sorted(told(source, position)) == [
        ("t", (1,), {"id": 1, "name": "a"}),
        ("t", (2,), {"id": 2, "name": "b"}),
        ("u", (1,), {"id": 1}),
    ]


def test_a_truncate_that_cannot_see_all_rows_loses_changes_loudly(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    with connected(source) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SELECT 1")
        run(source, "INSERT INTO t VALUES (1)")
        connection.execute("TRUNCATE t")
    with pytest.raises(ChangesLost, match="'t' was truncated in a transaction that could not see"):
        source.changes(position, 10)


def test_partitions_are_followed(source: PostgresSource) -> None:
    run(source, f"{PARTITIONED}; DELETE FROM events WHERE id > 4")
    position = source.begin()
    run(source, "UPDATE events SET day = '2024-02-02' WHERE id = 2")
    run(source, "TRUNCATE events_2; INSERT INTO events VALUES (5, '2024-02-03'); TRUNCATE events")
    changes = [(id_[0], old is None) for _, id_, old in told(source, position)]
    moved, truncated, rest = changes[:2], changes[2:5], changes[5:]
    assert moved == [(2, False), (2, True)]
    assert sorted(truncated) == [(1, False), (2, False), (3, False)]
    assert rest == [(5, True), (4, False), (5, False)]
    run(source, "DROP TABLE events_1")
    with pytest.raises(ChangesLost, match="or a partition dropped"):
        source.changes(position, 1)


def test_tables_that_inherit_and_are_no_partitions_are_not_passed_over(
    source: PostgresSource,
) -> None:
    run(source, f"{TABLE}; CREATE TABLE u (PRIMARY KEY (id)) INHERITS (t)")
    for kinds in (["t"], ["t", "u"]):
        with pytest.raises(SourceUnusable, match="ALTER TABLE u NO INHERIT t"):
            source.begin(kinds)
    position = source.begin(["u"])
    run(source, "INSERT INTO u VALUES (1)")
    assert told(source, position) == [("u", (1,), None)]


def test_applications_need_no_rights_to_the_outbox(source: PostgresSource) -> None:
    run(source, f"{TABLE}; CREATE ROLE app LOGIN; GRANT ALL ON t TO app")
    position = source.begin()
    app = PostgresSource(source.address.replace("postgres@", "app@"))
    run(app, "INSERT INTO t VALUES (1, 'a'); UPDATE t SET name = 'b'; TRUNCATE t")
    assert len(told(source, position)) == 3
    with pytest.raises(
        SourceRefused, match=r"Following cannot end: must be owner|permission denied"
    ):
        app.end()
    app.close()
    source.end()
    run(source, "REVOKE ALL ON t FROM app; DROP ROLE app")


def test_changes_that_a_replica_applies_are_told(source: PostgresSource) -> None:
    run(source, TABLE)
    position = source.begin()
    run(source, "SET session_replication_role = replica; INSERT INTO t VALUES (1)")
    assert told(source, position) == [("t", (1,), None)]


def test_a_busy_table_is_waited_for(source: PostgresSource) -> None:
    run(source, TABLE)
    with connected(source) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute("INSERT INTO t VALUES (1)")
        position = pool.submit(source.begin)
        time.sleep(1.2)
        assert not position.done()
        run(source, "INSERT INTO t VALUES (2)")  # others are not held up for long
        writer.commit()
        begun = position.result(timeout=60)
    run(source, "INSERT INTO t VALUES (3)")
    assert told(source, begun) == [("t", (3,), None)]


def test_a_table_that_stays_busy_is_given_up(source: PostgresSource) -> None:
    run(source, TABLE)
    hasty = PostgresSource(source.address, patience_s=0.1)
    with connected(source) as writer:
        writer.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(SourceBusy, match=r"Following cannot begin: .*pg_stat_activity"):
            hasty.begin()
        assert not any("singletable" in str(one) for one in _catalog(source))
    position = hasty.begin()
    with connected(source) as reader:
        reader.execute("SELECT * FROM t")
        with pytest.raises(SourceBusy, match="Following cannot end"):
            hasty.end()
    run(source, "INSERT INTO t VALUES (2)")
    assert told(hasty, position) == [("t", (2,), None)]
    hasty.close()


def test_no_committed_change_is_missed_while_writers_go_on(source: PostgresSource) -> None:
    """Four writers commit, roll back and take long; begin comes amidst them."""
    run(source, "CREATE TABLE t (id uuid PRIMARY KEY, n int); CREATE TABLE u (id int PRIMARY KEY)")
    begun, done = threading.Event(), threading.Event()
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(_write, source.address, seed, begun, done) for seed in range(4)]
        time.sleep(0.3)
        position = source.begin()
        begun.set()
        seen: set[tuple[str, Any]] = set()
        until, latest = time.monotonic() + 4, time.monotonic() + 50
        while time.monotonic() < (until if len(seen) > 250 else latest):
            page, position = source.changes(position, 50)
            seen |= {(one.kind, one.id[0]) for one in page}
        done.set()
        committed = {change for writer in writers for change in writer.result(timeout=60)}
    while True:
        page, position = source.changes(position, 50)
        if not page:
            break
        seen |= {(one.kind, one.id[0]) for one in page}
    assert len(committed) > 200
    assert committed <= seen
    assert source.backlog(position) == 0


def _write(
    address: str, seed: int, begun: threading.Event, done: threading.Event
) -> set[tuple[str, Any]]:
    """Write until done; give what was committed in transactions from after the beginning."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    committed: set[tuple[str, Any]] = set()
    with psycopg.connect(address.replace("postgresql+psycopg", "postgresql")) as connection:
        while not done.is_set():
            counts = begun.is_set()
            try:
                changed = _transact(connection, chance)
                time.sleep(chance.choice([0, 0, 0.002, 0.3 if chance.random() < 0.1 else 0]))
                if chance.random() < 0.25:
                    connection.rollback()
                    continue
                connection.commit()
            except (psycopg.errors.DeadlockDetected, psycopg.errors.UniqueViolation):
                connection.rollback()
                continue
            if counts:
                committed |= changed
    return committed


def _transact(
    connection: "psycopg.Connection[tuple[Any, ...]]", chance: random.Random
) -> set[tuple[str, Any]]:
    changed: set[tuple[str, Any]] = set()
    for _ in range(chance.randint(1, 4)):
        number = chance.randrange(100)
        statement = chance.choice(
            [
                b"INSERT INTO t SELECT gen_random_uuid(), %(n)s RETURNING 't', id",
                b"UPDATE t SET n = n + 1 WHERE n = %(n)s RETURNING 't', id",
                b"DELETE FROM t WHERE n = %(n)s RETURNING 't', id",
                b"INSERT INTO u VALUES (%(n)s) ON CONFLICT DO NOTHING RETURNING 'u', id",
                b"UPDATE u SET id = id + 1000 WHERE id = %(n)s RETURNING 'u', id",
                b"DELETE FROM u WHERE id %% 1000 = %(n)s RETURNING 'u', id",
            ]
        )
        for kind, id_ in connection.execute(statement, {"n": number}):
            changed.add((kind, f"@uuid:{id_}" if isinstance(id_, UUID) else id_))
    return changed


def _catalog(source: PostgresSource) -> list[Any]:
    query = """
        SELECT 'class', relname FROM pg_class WHERE oid > 16384
        UNION ALL SELECT 'function', proname FROM pg_proc WHERE oid > 16384
        UNION ALL SELECT 'trigger', tgname FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL SELECT 'schema', nspname FROM pg_namespace ORDER BY 1, 2
    """
    with source._engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]
