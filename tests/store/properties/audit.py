"""What must be true of a table, computed anew from its items, and of every change to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from singletable.model.entity import Entity
from singletable.model.large import id_in
from singletable.model.schema import COPY
from singletable.store.large.contents import part_id
from singletable.values import Item

from .design import Banner, Lease, Member, Note, Report, Team, Ticket, table

Identity = tuple[str, str]


class State:
    """The table at one moment."""

    def __init__(self, items: Iterable[Item], now: datetime) -> None:
        self.now = int(now.timestamp())
        self.items: dict[Identity, Item] = {
            (item["PK"]["S"], item["SK"]["S"]): item for item in items
        }

    def of(self, kind: type[Entity] | str) -> dict[Identity, Item]:
        """Give the items of a type."""
        name = kind if isinstance(kind, str) else kind.__name__
        return {key: item for key, item in self.items.items() if item["Type"]["S"] == name}

    def live(self, item: Item) -> bool:
        """Tell whether an item's time is not over."""
        return "ttl" not in item or int(item["ttl"]["N"]) > self.now

    def check(self) -> None:
        """Check all that can be told from one moment alone."""
        self.check_guards()
        self.check_counts()
        self.check_copies()
        self.check_keys()
        assert self.pointed_at() <= self.parts()

    def pointed_at(self) -> set[str]:
        """Give the ids of the contents that items point at."""
        ids = (id_in(item["text"]) for item in self.of(Note).values() if "text" in item)
        return {each for each in ids if each is not None}

    def parts(self) -> set[str]:
        """Give the ids of the contents that are there."""
        return {str(part_id(table, item)) for item in self.of("Part").values()}

    def check_guards(self) -> None:
        """Check that live values and live guards are the same, each with the same owner."""
        guards = {
            key: (guard["OwnerPK"]["S"], guard["OwnerSK"]["S"], guard.get("ttl"))
            for key, guard in self.of("Unique").items()
            if self.live(guard)
        }
        wanted: dict[Identity, Any] = {}
        for key, owner, ttl in self._wanted_guards():
            assert key not in wanted, f"{owner} and {wanted[key]} share {key}"
            wanted[key] = (*owner, ttl)
        assert guards == wanted

    def _wanted_guards(self) -> Iterator[tuple[Identity, Identity, Any]]:
        for kind, field in UNIQUE:
            for owner, item in self.of(kind).items():
                if field in item and self.live(item) and _is_first(owner):
                    mark = f"UNIQUE#{kind.__name__}#{field}#{_escaped(item[field]['S'])}"
                    within = f"TEAM#{item['team_id']['S']}" if field == "nick" else mark
                    yield (within, mark), owner, item.get("ttl")

    def check_counts(self) -> None:
        """Check that every team counts its children, and that no child is left without a team."""
        teams = {_text(team, "team_id"): team for team in self.of(Team).values()}
        for field, children in self.counted().items():
            counts = {name: _number(team, field) for name, team in teams.items()}
            assert Counter(counts) == children, field

    def counted(self) -> dict[str, Counter[str]]:
        """Count what teams count."""
        members = [item for item in self.of(Member).values() if "team_id" in item]
        leads = [item for item in members if _text(item, "role") == "lead"]
        tickets = self.of(Ticket).values()
        kinds = {"members": members, "leads": leads, "tickets": tickets}
        return {
            field: Counter(_text(item, "team_id") for item in items)
            for field, items in kinds.items()
        }

    def check_copies(self) -> None:
        """Check that all copies of an item are there, and alike."""
        copies: dict[str, list[Item]] = defaultdict(list)
        for item in self.of(Banner).values():
            copies[_text(item, "name")].append({**item, "PK": {"S": ""}})
        for each in copies.values():
            assert each == [each[0]] * (Banner.__schema__.copies or 1)

    def check_keys(self) -> None:
        """Check that items, and the index keys in them, are as an entity is written anew."""
        for key, item in self.items.items():
            schema = table.entities.get(item["Type"]["S"])
            if schema is not None:
                values = {**schema.items.read(item).__dict__, COPY: _copy(key)}
                counts = {name: item[name] for name in schema.counts if name in item}
                anew = schema.items.write(values)
                assert {**anew, **counts} == {**anew, **item}
                assert {*anew} - {*schema.counts} == {*item} - {*schema.counts}

    def numbers(self) -> dict[str, list[int]]:
        """Give the numbers that are in use, by sequence."""
        found: dict[str, list[int]] = defaultdict(list)
        for item in self.of(Ticket).values():
            found[f"TEAM#{_text(item, 'team_id')}"].append(_number(item, "number"))
        for item in self.of(Report).values():
            found["REPORTS"].append(_number(item, "number"))
        return found

    def counters(self) -> dict[str, int]:
        """Give the last numbers, by sequence."""
        return {key[0]: _number(item, "Value") for key, item in self.of("Sequence").items()}


UNIQUE: list[tuple[type[Entity], str]] = [
    (Team, "code"),
    (Member, "email"),
    (Member, "nick"),
    (Report, "title"),
    (Lease, "holder"),
    (Banner, "slogan"),
]


class Ledger:
    """Follows a table from one request to the next."""

    def __init__(self) -> None:
        self.state = State([], datetime.fromtimestamp(0).astimezone())
        self.numbers: dict[str, set[int]] = defaultdict(set)
        self.applied: dict[str, Counter[Identity]] = defaultdict(Counter)
        """Stamp of a job → how often it was written into which items."""

    def enter(self, state: State) -> None:
        """Check the next state, and what has changed."""
        state.check()
        self._check_numbers(state)
        for key, item in state.items.items():
            before = self.state.items.get(key)
            if before != item:
                self._enter_change(key, before, item)
        self.state = state

    def _check_numbers(self, state: State) -> None:
        """Check that each number was given once, and none left out."""
        for name, numbers in state.numbers().items():
            assert len(numbers) == len(set(numbers)), f"{name}: {sorted(numbers)}"
            self.numbers[name] |= set(numbers)
        given = {name: set(range(1, last + 1)) for name, last in state.counters().items()}
        assert dict(self.numbers) == given

    def _enter_change(self, key: Identity, before: Item | None, item: Item) -> None:
        schema = table.entities.get(item["Type"]["S"])
        if schema is None:
            return
        if before is None or before["by"] != item["by"]:
            self.applied[item["by"]["S"]][key] += 1
        if schema.version_field and _own(before, schema) != _own(item, schema):
            assert _number(item, "version") == (_number(before, "version") if before else 0) + 1


def _own(item: Item | None, schema: Any) -> Item:
    return {name: value for name, value in (item or {}).items() if name not in schema.counts}


def _is_first(owner: Identity) -> bool:
    return not owner[0].startswith("BANNER#") or _copy(owner) == 0


def _copy(key: Identity) -> int:
    return int(key[0][-1]) if key[0].startswith("BANNER#") else 0


def _escaped(text: str) -> str:
    return text.replace("#", "%23")


def _text(item: Item, name: str) -> str:
    return str(item[name]["S"])


def _number(item: Item, name: str) -> int:
    return int(item[name]["N"]) if name in item else 0
