"""What every mapper does, and the items that all of them do it with."""

from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import Any

from bench.workload import CREATE_TABLE, ITEMS_PER_PARTITION, PARTITIONS, scatter

Arguments = dict[str, Any]

OPERATIONS = ("get", "put", "update", "query")
REGION = "us-east-1"
ANY = "bench"  # as access key and as secret: the endpoint checks no signature
TURNS = 250

_SENTENCE = "A session note of the usual kind: who was there, what was found, what is owed. "


def values(user: str, number: str, version: int = 1) -> dict[str, Any]:
    """Give the values of an item of about 1 KB, of mixed types."""
    return {
        "user": user,
        "number": number,
        "title": "The vault beneath the lighthouse",
        "status": "IN_PROGRESS",
        "created_at": datetime(2025, 3, 14, 15, 9, 26, 535897, tzinfo=UTC),
        "duration_s": 11705.25,
        "archived": False,
        "players": ["Ada", "Grace", "Barbara"],
        "place": {"name": "Harbour", "x": 12.5, "y": -7.0},
        "body": (_SENTENCE * 10)[:768],
        "version": version,
    }


def keyed(values: dict[str, Any]) -> dict[str, Any]:
    """Give the values with the key as a library without key templates has to be told it."""
    return {**values, "pk": f"USER#{values['user']}", "sk": f"SESSION#{values['number']}"}


def create_table(client: Any, name: str) -> None:
    """Create the table of one mapper."""
    client.create_table(**{**CREATE_TABLE, "TableName": name})


class Mapper(ABC):
    """Does the four operations; each takes what a program of its users would have at hand."""

    @abstractmethod
    def made(self, values: dict[str, Any]) -> Any:
        """Make an object of these values; not part of what is measured."""

    @abstractmethod
    def get(self, user: str, number: str) -> Any:
        """Read one item."""

    @abstractmethod
    def put(self, entity: Any) -> Any:
        """Write one item in place of what is there."""

    @abstractmethod
    def update(self, entity: Any, status: str) -> Any:
        """Set the status of an item that must be there, and add one to its version."""

    @abstractmethod
    def query(self, user: str) -> list[Any]:
        """Read the items of a partition."""

    def seed(self) -> None:
        """Write what the reading operations read."""
        for turn in range(PARTITIONS * ITEMS_PER_PARTITION):
            user, number = divmod(turn, ITEMS_PER_PARTITION)
            self.put(self.made(values(f"{user:04d}", f"{number:04d}")))

    def verify(self) -> None:
        """Do each operation once; fail unless it reads or writes what it should."""
        user, number = "P0000", "0000"
        self.put(self.made(values(user, number, 1)))
        self.update(self.made(values(user, number, 1)), "DONE")
        found = self.get(user, number)
        if (found.status, found.version) != ("DONE", 2):
            raise AssertionError(f"the update left {found.status!r}, version {found.version}")
        items = len(self.query("0000"))
        if items != ITEMS_PER_PARTITION:
            raise AssertionError(f"the query gave {items} items")

    def arguments(self, operation: str) -> list[Arguments]:
        """Give the arguments of an operation's calls, made before the clock starts."""
        turns = [(number, again) for again in (1, 2) for number in range(TURNS)]
        return [self._arguments(operation, *turn) for turn in turns]

    def _arguments(self, operation: str, turn: int, again: int) -> Arguments:
        user = f"{scatter(turn, PARTITIONS):04d}"
        number = f"{turn % ITEMS_PER_PARTITION:04d}"
        match operation:
            case "get":
                return {"user": user, "number": number}
            case "put":
                return {"entity": self.made(values(f"P{turn:04d}", "0000", again))}
            case "update":
                return {"entity": self.made(values(user, number)), "status": f"DONE-{again}"}
            case _:
                return {"user": user}
