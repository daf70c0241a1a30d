"""Which tables there are, and why some cannot be read."""

import pytest

from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Kind
from singletable.migrate.sources.sql import PostgresSource
from tests.migrate.sources.sql.databases import PARTITIONED, Prepare, run


def test_a_table_is_a_kind_with_its_key_and_columns(either: Prepare) -> None:
    source = either("CREATE TABLE places (name text, x int, y int, PRIMARY KEY (y, x))")
    assert source.kinds() == {"places": Kind("places", ("y", "x"), ("name", "x", "y"))}


def test_what_is_referred_to_comes_first(either: Prepare) -> None:
    source = either(
        """
        CREATE TABLE z (id int PRIMARY KEY);
        CREATE TABLE a (id int PRIMARY KEY, z_id int REFERENCES z (id));
        CREATE TABLE b (id int PRIMARY KEY, up int REFERENCES b (id), a_id int REFERENCES a (id))
        """
    )
    assert list(source.kinds()) == ["z", "a", "b"]


def test_tables_that_refer_to_each_other_are_read(source: PostgresSource) -> None:
    run(
        source,
        """
        CREATE TABLE a (id int PRIMARY KEY, b_id int);
        CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES a (id));
        ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id)
        """,
    )
    assert set(source.kinds()) == {"a", "b"}


def test_what_is_unique_is_told_by_constraints_and_indexes_alike(either: Prepare) -> None:
    """Not what is unique among some rows alone, or by what is computed of a column."""
    source = either(
        """
        CREATE TABLE users (id int PRIMARY KEY, email text UNIQUE, tenant int, name text, age int,
            UNIQUE (tenant, name));
        CREATE UNIQUE INDEX by_age ON users (age);
        CREATE UNIQUE INDEX young ON users (name) WHERE age < 3;
        CREATE UNIQUE INDEX folded ON users (lower(name));
        CREATE INDEX by_name ON users (name)
        """
    )
    found = [("users", ("age",)), ("users", ("email",)), ("users", ("tenant", "name"))]
    assert list(source.tables.uniques()) == found


def test_a_table_without_a_key_is_left_out_and_refused(either: Prepare) -> None:
    source = either("CREATE TABLE logs (line text); CREATE TABLE a (id int PRIMARY KEY)")
    assert list(source.kinds()) == ["a"]
    with pytest.raises(SourceUnusable, match=r"'logs' has no primary key.*ADD PRIMARY KEY"):
        source.count("logs")


def test_a_view_is_left_out_and_refused(either: Prepare) -> None:
    source = either("CREATE TABLE a (id int PRIMARY KEY); CREATE VIEW v AS SELECT * FROM a")
    assert list(source.kinds()) == ["a"]
    with pytest.raises(SourceUnusable, match="'v' is a view, which has no primary key"):
        source.split("v", 2)


def test_an_unknown_table_is_refused_with_those_that_are_known(either: Prepare) -> None:
    source = either("CREATE TABLE users (id int PRIMARY KEY)")
    with pytest.raises(SourceUnusable, match="There is no table 'user'; there are: users"):
        source.count("user")


def test_a_table_of_another_schema_is_named_with_it(source: PostgresSource) -> None:
    run(
        source,
        """
        CREATE SCHEMA "Old Shop";
        CREATE TABLE "Old Shop"."Users" (id int PRIMARY KEY, "full name" text);
        INSERT INTO "Old Shop"."Users" VALUES (1, 'Ada')
        """,
    )
    assert list(source.kinds()) == ["Old Shop.Users"]
    (row,) = source.fetch("Old Shop.Users", [(1,)])
    assert row is not None
    assert row["full name"] == "Ada"


def test_partitions_are_read_through_their_table(source: PostgresSource) -> None:
    run(source, PARTITIONED)
    assert list(source.kinds()) == ["events"]
    assert source.count("events") == 20


def test_rows_that_a_policy_hides_are_an_error_not_a_gap(database: str) -> None:
    owner = PostgresSource(database)
    run(
        owner,
        """
        CREATE TABLE a (id int PRIMARY KEY);
        ALTER TABLE a ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON a USING (id > 1);
        CREATE ROLE reads LOGIN;
        GRANT SELECT ON a TO reads
        """,
    )
    owner.close()
    reader = PostgresSource(database.replace("postgres@", "reads@"))
    with pytest.raises(SourceUnusable, match="row-level security policy"):
        reader.count("a")
    reader.close()
    owner = PostgresSource(database)
    run(owner, "REVOKE ALL ON a FROM reads; DROP ROLE reads")
    owner.close()
