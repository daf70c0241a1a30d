"""What an outbox is made of in PostgreSQL: a schema of its own, triggers on the tables followed.

A trigger notes the key of a row, and how the row was, in the transaction that changes it: what is
rolled back leaves no note. It runs with the rights of who installed it, so that applications need
none, and under settings of its own. A partition that is made later notes what happens to its rows,
but not that it is truncated by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Table, text

from .reflecting import OWN_SCHEMA, key_of

SCHEMA = OWN_SCHEMA
NAME = "singletable_outbox"

TABLES = f"""
    CREATE SCHEMA {SCHEMA};
    CREATE TABLE {SCHEMA}.following (
        generation uuid NOT NULL DEFAULT gen_random_uuid(),
        since timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE {SCHEMA}.followed (
        kind text NOT NULL, relation oid NOT NULL, trigger text NOT NULL
    );
    CREATE TABLE {SCHEMA}.outbox (
        number bigserial NOT NULL,
        tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
        kind text NOT NULL,
        key json,
        old json,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tx, number)
    );
    INSERT INTO {SCHEMA}.following DEFAULT VALUES;
"""
"""``json`` takes every text that a column may hold; ``jsonb`` refuses some, and with them the
application's write. A note without a key says that rows went which could not be named."""

_SETTINGS = """LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET DateStyle = 'ISO, YMD'
    SET IntervalStyle = 'postgres'
    SET extra_float_digits = 1
    SET row_security = off"""

# The snapshot of a stricter isolation level may lack rows that a truncate takes away.
_NAMES_ALL = "current_setting('transaction_isolation') LIKE 'read %'"

_LEAVES = """
    SELECT relid::regclass::text FROM pg_partition_tree(CAST(:name AS regclass)) WHERE isleaf
"""


@dataclass(frozen=True, slots=True)
class FollowedTable:
    """A table to be followed, with the names that its statements need, quoted."""

    kind: str
    table: Table
    name: str
    number: int
    parts: tuple[str, ...]
    """Where a truncate is seen: its partitions, or itself."""

    def installation(self) -> list[str]:
        """Give the statements that have it followed."""
        noting, truncating = f"{SCHEMA}.note_{self.number}", f"{SCHEMA}.note_all_{self.number}"
        statements = [
            self._noting(noting),
            self._truncating(truncating),
            *self._trigger(NAME, "AFTER INSERT OR UPDATE OR DELETE", self.name, "ROW", noting),
        ]
        for part in self.parts:
            statements += self._trigger(
                f"{NAME}_truncate", "BEFORE TRUNCATE", part, "STATEMENT", truncating
            )
        return statements

    def _trigger(self, name: str, when: str, on: str, each: str, function: str) -> list[str]:
        noted = f"{_text(self.kind)}, {_text(on)}::regclass, {_text(name)}"
        return [
            f"CREATE TRIGGER {name} {when} ON {on} FOR EACH {each} EXECUTE FUNCTION {function}()",
            # Also for what a subscription applies, or what is loaded with triggers off.
            f"ALTER TABLE {on} ENABLE ALWAYS TRIGGER {name}",
            f"INSERT INTO {SCHEMA}.followed VALUES ({noted})",
        ]

    def _noting(self, function: str) -> str:
        return f"""
            CREATE FUNCTION {function}() RETURNS trigger {_SETTINGS} AS $note$
            DECLARE
                before json;
                after json;
            BEGIN
                IF TG_OP <> 'INSERT' THEN
                    before := {self._key("OLD")};
                    INSERT INTO {SCHEMA}.outbox (kind, key, old)
                    VALUES ({_text(self.kind)}, before, row_to_json(OLD));
                END IF;
                IF TG_OP <> 'DELETE' THEN
                    after := {self._key("NEW")};
                    IF before IS NULL OR before::text <> after::text THEN
                        INSERT INTO {SCHEMA}.outbox (kind, key)
                        VALUES ({_text(self.kind)}, after);
                    END IF;
                END IF;
                RETURN NULL;
            END $note$"""

    def _truncating(self, function: str) -> str:
        """Note every row as deleted, while it can still be read."""
        each = f"INSERT INTO {SCHEMA}.outbox (kind, key, old) SELECT {_text(self.kind)}, "
        each += f"{self._key('gone')}, row_to_json(gone) FROM "
        return f"""
            CREATE FUNCTION {function}() RETURNS trigger {_SETTINGS} AS $note$
            BEGIN
                IF {_NAMES_ALL} THEN
                    EXECUTE {_text(each)} || TG_RELID::regclass || ' gone';
                ELSE
                    INSERT INTO {SCHEMA}.outbox (kind) VALUES ({_text(self.kind)});
                END IF;
                RETURN NULL;
            END $note$"""

    def _key(self, row: str) -> str:
        parts = (f"{_text(one.name)}, {row}.{_name(one.name)}" for one in key_of(self.table))
        return f"json_build_object({', '.join(parts)})"


def followed(connection: Connection, kind: str, table: Table, number: int) -> FollowedTable:
    """Look up what the triggers of a table need."""
    name = qualified(connection, table)
    parts = tuple(connection.scalars(text(_LEAVES), {"name": name}))
    return FollowedTable(kind, table, name, number, parts or (name,))


def qualified(connection: Connection, table: Table) -> str:
    """Name a table with its schema, as SQL writes it."""
    schema = table.schema or connection.dialect.default_schema_name
    return f"{_name(schema or 'public')}.{_name(table.name)}"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
