"""What an aggregate needs of the entity that it is of, and what it makes of its values."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from singletable import DesignError, Entity, Index, Table, UsageError, count_of, expires, updated
from singletable.model.aggregates import AggregateRule, aggregate_rules
from singletable.model.fields import max_of, sum_of

MOMENT = datetime(2026, 3, 1, 23, 30, tzinfo=timezone(-timedelta(hours=5)))


def rules(holder: dict[str, Any], *, keys: str = "P#{day}", **indexes: Any) -> list[AggregateRule]:
    """Compile the aggregates of an entity of days, or of months, of things."""
    table = Table("things", indexes=["GSI1"])
    fields = {"day": date, "month": str} | dict.fromkeys(holder, Any)
    names = {name: kind for name, kind in fields.items() if name in keys or name in holder}
    body = {"__annotations__": names, "__module__": __name__, **holder, **indexes}
    type("Holder", (Entity,), body, table=table, pk=keys, sk="P")

    class Thing(Entity, table=table, pk="T#{number}", sk="T"):
        number: int
        at: datetime | None = None
        size: Decimal | None = None
        name: str = ""
        tags: list[str] = []

    return list(aggregate_rules(Thing.__schema__))


def test_a_moment_belongs_to_its_day_in_utc() -> None:
    [rule] = rules({"many": count_of("Thing", day="at")})
    assert rule.owner({"at": MOMENT}) == {"day": date(2026, 3, 2)}
    assert rule.owner({"at": None}) is None


def test_a_format_makes_text_of_a_moment() -> None:
    [rule] = rules({"many": count_of("Thing", month="at:%Y-%m")}, keys="P#{month}")
    assert rule.owner({"at": MOMENT}) == {"month": "2026-03"}


def test_a_moment_without_a_zone_has_no_day() -> None:
    [rule] = rules({"many": count_of("Thing", day="at")})
    with pytest.raises(UsageError, match=r"Holder\.many: day from .* it has no time zone"):
        rule.owner({"at": datetime(2026, 3, 1)})  # noqa: DTZ001 - that is the point


def test_amounts_are_as_exact_as_what_is_stored() -> None:
    [rule] = rules({"total": sum_of("Thing", "size", day="at")})
    assert rule.amount({"size": Decimal("1.10")}) == Decimal("1.10")
    assert rule.amount({"size": None}) == 0
    assert set(rule.fields) == {"at", "size"}


@pytest.mark.parametrize(
    ("declared", "fault"),
    [
        (count_of("Thing"), "Thing has no field 'day': day=… says which field of it holds day of"),
        (count_of("Thing", day="at", kind="x"), "'kind' is no key field of Holder"),
        (count_of("Thing", day="at:%Y"), "at:%Y is text, and day is no str"),
        (sum_of("Thing", "name", day="at"), "Thing.name is no number"),
        (sum_of("Thing", "weight", day="at"), "Thing has no field 'weight'; it has "),
        (count_of("Thing", day="att"), "Thing has no field 'att'; it has "),
        (max_of("Thing", "tags", day="at"), "Thing.tags cannot be a key attribute"),
    ],
)
def test_what_cannot_be_kept_is_refused(declared: Any, fault: str) -> None:
    with pytest.raises(DesignError, match=fault):
        rules({"kept": declared})


def test_a_moment_is_no_text_without_a_format() -> None:
    with pytest.raises(DesignError, match=r'Holder\.many: month is text.* month="at:%Y-%m"'):
        rules({"many": count_of("Thing", month="at")}, keys="P#{month}")


@pytest.mark.parametrize("kept", [count_of("Token"), sum_of("Token", "size")])
def test_what_expires_is_counted_by_the_stream_alone(kept: Any) -> None:
    table = Table("things")

    class User(Entity, table=table, pk="USER#{user}", sk="USER"):
        user: str
        tokens: int = kept
        seen: int = count_of("Token", kept_by="stream")

    class Token(Entity, table=table, pk="USER#{user}", sk="TOKEN#{token}"):
        user: str
        token: str
        size: int = 0
        gone: datetime = expires(hours=1)

    fault = r'User\.tokens .* Token.*Token\.gone.*kept_by="stream"'
    with pytest.raises(DesignError, match=fault):
        list(aggregate_rules(Token.__schema__))
    user, token = User.__schema__, Token.__schema__
    assert AggregateRule.of(user, "seen", user.aggregates["seen"], token).declared.kept_by


def test_only_the_stream_keeps_what_stands_in_the_key_of_an_index() -> None:
    index = Index("GSI1", pk="ALL", sk="{kept:05d}#{day}")
    for kept_by, is_refused in (("transaction", True), ("stream", False)):
        table = Table("things", indexes=["GSI1"])

        class Holder(Entity, table=table, pk="P#{day}", sk="P"):
            by_kept = index
            day: date
            kept: int = count_of("Thing", day="at", kept_by=kept_by)  # type: ignore[arg-type]

        class Thing(Entity, table=table, pk="T#{number}", sk="T"):
            number: int
            at: datetime = updated()

        if is_refused:
            with pytest.raises(DesignError, match=r"Holder\.kept stands in a key of GSI1"):
                list(aggregate_rules(Thing.__schema__))
        else:
            assert list(aggregate_rules(Thing.__schema__))
    assert MOMENT.astimezone(UTC).day == 2
