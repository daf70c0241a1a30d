"""A design in two releases, and what the second makes of what the first has written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from singletable import Entity, Index, Query, Store, Table, count_of, pattern, updated, upgrade
from singletable import version as versioned
from singletable.migrate import Migration, entities

first = Table("crm", indexes=["GSI1"])
table = Table("crm", indexes=["GSI1", "GSI2"])


class FirstUser(Entity, table=first, type="User", pk="USER#{user_id}", sk="USER"):
    user_id: str
    name: str
    visits: int = count_of("FirstVisit")
    version: int = versioned()


class FirstVisit(Entity, table=first, type="Visit", pk="USER#{user_id}", sk="VISIT#{visit_id}"):
    by_place = Index("GSI1", pk="PLACE#{place}", sk="{visit_id}")

    user_id: str
    visit_id: str
    place: str
    notes: int = 0


class First(Store, table=first):
    """The first release."""


class User(Entity, table=table, schema=2, pk="USER#{user_id}", sk="USER"):
    by_family = Index("GSI2", pk="FAMILY#{last_name}", sk="{user_id}")

    user_id: str
    first_name: str
    last_name: str
    newsletter: bool = False
    visits: int = count_of("Visit")
    version: int = versioned()

    @upgrade(1)
    def split_the_name(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        first_name, _, last_name = values.pop("name").partition(" ")
        return {**values, "first_name": first_name, "last_name": last_name}


class Visit(Entity, table=table, pk="USER#{user_id}", sk="VISIT#{visit_id}"):
    by_place = Index("GSI1", pk="PLACE#{place}", sk="{notes:08d}#{visit_id}")
    by_user = Index("GSI2", pk="VISITOR#{user_id}", sk="{place}#{visit_id}")

    user_id: str
    visit_id: str
    place: str
    notes: int = 0


class Settings(Entity, table=table, pk="USER#{user_id}", sk="SETTINGS"):
    user_id: str
    greeting: str
    changed_at: datetime = updated()


class Crm(Store, table=table):
    """The second release."""

    @pattern()
    def visits_at(self, place: str) -> Query[Visit]:
        """Who was at a place, those with the fewest notes first."""
        return Visit.by_place.query(place=place)


class WithSettings(Migration[Crm]):
    """Gives every user settings."""

    @entities(User)
    def settings(self, user: User) -> Iterator[Entity]:
        at = datetime.fromisoformat("2026-01-01T00:00:00Z")
        yield Settings(user_id=user.user_id, greeting=f"Hello {user.first_name}", changed_at=at)


def fill(store: First, users: int, visits: int) -> None:
    """Write what the first release writes."""
    for number in range(users):
        store.create(FirstUser(user_id=f"u{number}", name=f"Ann{number} Doe"))
    for number in range(visits):
        place, user = f"p{number % 3}", f"u{number % users}"
        store.create(FirstVisit(user_id=user, visit_id=f"v{number}", place=place))
