"""What runs in this process: the engine, and the least that its point operations could cost."""

import sqlite3
from pathlib import Path
from typing import Any

import orjson

from bench.workload import TABLE
from singletable.engine import Engine


def open_engine(data: Path | None) -> Engine:
    """Open a new engine as a user does, in memory or in a file."""
    return Engine() if data is None else Engine(data / "engine.db")


class PlainSqlite:
    """Point reads and durable point writes with `sqlite3` and orjson, and no DynamoDB."""

    def __init__(self, data: Path | None) -> None:
        database = ":memory:" if data is None else data / "plain.db"
        self._connection = sqlite3.connect(database, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")

    def create_table(self, **_: Any) -> None:
        """Create the one table."""
        columns = "pk TEXT, sk TEXT, item BLOB, PRIMARY KEY (pk, sk)"
        self._connection.execute(f"CREATE TABLE {TABLE} ({columns}) WITHOUT ROWID")

    def describe_table(self, **_: Any) -> dict[str, Any]:
        """Say that the table is there."""
        return {"Table": {"TableStatus": "ACTIVE"}}

    def batch_write_item(self, **request: Any) -> None:
        """Write the seed items."""
        for put in request["RequestItems"][TABLE]:
            self.put_item(**put["PutRequest"])

    def put_item(self, **request: Any) -> None:
        """Replace one row and commit."""
        item = request["Item"]
        row = (item["pk"]["S"], item["sk"]["S"], orjson.dumps(item))
        self._connection.execute(f"REPLACE INTO {TABLE} VALUES (?, ?, ?)", row)

    def get_item(self, **request: Any) -> dict[str, Any]:
        """Read one row by its primary key."""
        select = f"SELECT item FROM {TABLE} WHERE pk = ? AND sk = ?"
        row = self._connection.execute(select, _key(request)).fetchone()
        return {"Item": orjson.loads(row[0])}

    def update_item(self, **request: Any) -> None:
        """Change one row as the workload's update does, whatever its expressions say."""
        values = request["ExpressionAttributeValues"]
        self._connection.execute("BEGIN IMMEDIATE")
        item = self.get_item(**request)["Item"]
        version = int(item["version"]["N"])
        if version >= int(values[":one"]["N"]):
            item["status"], item["version"] = values[":status"], {"N": str(version + 1)}
            update = f"UPDATE {TABLE} SET item = ? WHERE pk = ? AND sk = ?"
            self._connection.execute(update, (orjson.dumps(item), *_key(request)))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def _key(request: dict[str, Any]) -> tuple[str, str]:
    key = request["Key"]
    return key["pk"]["S"], key["sk"]["S"]
