"""Policies of IAM that allow what a store does, and nothing else.

Of a role that is confined to a scope, every partition key must hold the scope's value, and no key
of the design that a condition lets through may hold another's; what cannot be allowed so is left
out, and a finding says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from singletable.errors import UsageError
from singletable.store.store import Store

from .access import Holder, Need, Parameter, faults_of, reads_of, writes_of
from .deployment import Deployment, Role
from .leading import (
    ANYTHING,
    Piece,
    Pieces,
    Variable,
    is_exact,
    joined,
    key_pieces,
    leaks,
    rendered,
    shown,
    variables,
)

Document = dict[str, Any]
Arn = Callable[[str], Any]
"""Names the table (""), or what is within it ("/index/GSI1"), in the way of a format."""

VERSION = "2012-10-17"
SIZE_MAX = 6144
"""How many characters a managed policy may have, whitespace aside."""
STREAM = ("DescribeStream", "GetRecords", "GetShardIterator")
CONDITION_KEYS = (
    "dynamodb:LeadingKeys",
    "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues",
    "dynamodb:FourthPartitionKeyValues",
)


@dataclass(frozen=True, slots=True)
class Policy:
    """Is a policy document, and what it cannot allow or prevent."""

    document: Document
    findings: tuple[str, ...] = ()


def plain_arn(table_name: str, deployment: Deployment) -> Arn:
    """Give the names of a table in a region and account."""
    place = f"arn:aws:dynamodb:{deployment.region}:{deployment.account}"

    return lambda within: f"{place}:table/{table_name}{within}"


def policy_of(store: type[Store], role: Role, arn: Arn) -> Policy:
    """Give the policy of a role that uses a store."""
    _check_names(store, role)
    needs = [*reads_of(store, role.patterns), *writes_of(store, role.writes)]
    granted = _Scoped(store, role.scope).granted(needs) if role.scope else _Granted.all_of(needs)
    for fault in faults_of(store, role.patterns):
        granted.find(fault)
    if not granted.actions and not role.stream:
        raise UsageError(
            f"Nothing that {store.__name__} reads or writes can be allowed to a role of "
            f"{', '.join(role.scope) or 'no pattern and no entity'}"
        )
    statements = [*granted.statements(role.scope, arn), *_of_stream(store, role, arn)]
    document = {"Version": VERSION, "Statement": statements}
    size = len(json.dumps(document, separators=(",", ":")))
    if size > SIZE_MAX:
        granted.find(f"The policy has {size} characters, and a managed policy {SIZE_MAX} at most")
    return Policy(document, tuple(granted.findings))


def _of_stream(store: type[Store], role: Role, arn: Arn) -> Iterator[Document]:
    """Allow to read the table's streams: their names end in times that nobody knows before."""
    if not role.stream:
        return
    if store.table.stream is None:
        raise UsageError(f"The table {store.table.name!r} has no stream that a role could read")
    if role.scope:
        raise UsageError(
            f"A role of {', '.join(role.scope)} cannot read the stream, which tells of all items"
        )
    actions = [f"dynamodb:{action}" for action in STREAM]
    yield {"Sid": "Stream", "Effect": "Allow", "Action": actions, "Resource": [arn("/stream/*")]}
    # IAM knows no resource for it: it tells names alone, and can be allowed for all or not at all.
    names = ["dynamodb:ListStreams"]
    yield {"Sid": "StreamNames", "Effect": "Allow", "Action": names, "Resource": ["*"]}


@dataclass(slots=True)
class _Granted:
    """Collects what is allowed, by the index (None for the table) that it is allowed on."""

    actions: dict[str | None, set[str]] = field(default_factory=dict)
    keys: dict[str | None, dict[int, set[Pieces]]] = field(default_factory=dict)
    """By the position of a key attribute, the partition keys that it may have."""
    findings: dict[str, None] = field(default_factory=dict)

    @classmethod
    def all_of(cls, needs: Iterable[Need]) -> _Granted:
        """Allow all, whatever the keys."""
        granted = cls()
        for need in needs:
            granted.actions.setdefault(need.index, set()).update(need.actions)
        return granted

    def allow(self, need: Need, keys: Mapping[int, Pieces]) -> None:
        """Allow what is needed, at these keys."""
        self.actions.setdefault(need.index, set()).update(need.actions)
        places = self.keys.setdefault(need.index, {})
        for position, pieces in keys.items():
            places.setdefault(position, set()).add(pieces)

    def find(self, finding: str) -> None:
        """Remember a finding, once."""
        self.findings[finding] = None

    def statements(self, scope: Mapping[str, str], arn: Arn) -> Iterator[Document]:
        """Give a statement for the table, and one for all indexes that are allowed alike."""
        alike: dict[str, Document] = {}
        for index, actions in sorted(self.actions.items(), key=lambda each: each[0] or ""):
            statement = {
                "Effect": "Allow",
                "Action": [f"dynamodb:{action}" for action in sorted(actions)],
                **self._condition(index, scope),
            }
            known = f"{index is None} {json.dumps(statement)}"
            alike.setdefault(known, {**statement, "Resource": []})["Resource"].append(
                arn(f"/index/{index}" if index else "")
            )
        for number, statement in enumerate(alike.values()):
            sid = "Table" if None in self.actions and not number else f"Indexes{number}"
            order = ("Effect", "Action", "Resource", "Condition")
            yield {"Sid": sid, **{name: statement[name] for name in order if name in statement}}

    def _condition(self, index: str | None, scope: Mapping[str, str]) -> Document:
        if not scope:
            return {}
        condition: Document = {}
        for position, keys in sorted(self.keys[index].items()):
            like = not all(map(is_exact, keys))
            operator = "ForAllValues:StringLike" if like else "ForAllValues:StringEquals"
            texts = sorted(rendered(pieces, scope, like=like) for pieces in keys)
            condition.setdefault(operator, {})[CONDITION_KEYS[position]] = texts
            # All values of none are equal to anything: a request without keys must not pass.
            condition.setdefault("Null", {})[CONDITION_KEYS[position]] = "false"
        return {"Condition": condition}


class _Scoped:
    """Allows what can be proved to stay in a scope."""

    def __init__(self, store: type[Store], scope: Mapping[str, str]) -> None:
        self._table = store.table
        self._scope = scope
        self._owners = _owners(store, scope)
        self._made = _made(store)

    def granted(self, needs: Iterable[Need]) -> _Granted:
        """Allow what can be allowed; find what cannot."""
        granted = _Granted()
        faults = [(need, self._fault(need)) for need in needs]
        refused = {need.whole for need, fault in faults if fault and not need.is_kept}
        for need, fault in faults:
            if fault and not (need.is_kept and need.whole in refused):
                granted.find(fault)
            elif need.whole not in refused and not fault:
                granted.allow(need, self._held(need))
        if any(need.entity and need.whole not in refused for need, _ in faults):
            self._find_open_indexes(granted)
        return granted

    def _fault(self, need: Need) -> str | None:
        """Say why something cannot be allowed; None if it can."""
        reason, names = need.reason[0].upper() + need.reason[1:], " and ".join(self._scope)
        if "Scan" in need.actions:
            return f"{reason}: left out, since no condition on keys can limit a scan"
        design = " and ".join(shown(key_pieces(part, need.filled_by)) for part in need.keys)
        place = f"{reason}: left out, since {need.index or 'the table'} at {design}"
        held = self._held(need)
        if set().union(*map(variables, held.values())) != set(self._scope):
            cure = ". A service has to write it, or the design keep it within the scope"
            return f"{place} does not tell {names}{cure if need.is_kept else ''}"
        for position, pieces in held.items():
            for made in self._made.get(need.index, {}).get(position, ()):
                if leaks(pieces, made, self._owners, self._table.delimiter):
                    return (
                        f"{place} cannot be told from {shown(made)} by a condition, "
                        "which may be another's"
                    )
        return None

    def _held(self, need: Need) -> dict[int, Pieces]:
        """Give the key attributes that hold a value of the scope, by their positions."""
        keys = {number: self._pieces(need, number) for number in range(len(need.keys))}
        return {number: pieces for number, pieces in keys.items() if variables(pieces)}

    def _pieces(self, need: Need, position: int) -> Pieces:
        def value(name: str) -> Piece:
            match need.sources.get(name):
                case None:
                    names = {name}
                case Parameter(parameter):
                    names = {name, parameter}
                case Holder(field):
                    names = {field}
                case known:
                    return known
            owned = (one for one, fields in self._owners.items() if fields & names)
            return next(map(Variable, owned), ANYTHING)

        return joined((*key_pieces(need.keys[position], value), *need.suffix))

    def _find_open_indexes(self, granted: _Granted) -> None:
        names = [name for name, index in self._table.indexes.items() if not index.local]
        if names:
            granted.find(
                "A condition on keys says nothing of index keys: who may write items may write any "
                f"value there, and so put items into others' partitions of {', '.join(names)}. "
                "Where users are not trusted with that, let a service write"
            )


def _owners(store: type[Store], scope: Mapping[str, str]) -> dict[str, set[str]]:
    """Give the fields that hold each value of the scope: by their name, or as a pattern says."""
    owners = {name: {name} for name in scope}
    for need in reads_of(store):
        for name, source in need.sources.items():
            if isinstance(source, Parameter) and source.name in owners:
                owners[source.name].add(name)
    return owners


def _made(store: type[Store]) -> dict[str | None, dict[int, set[Pieces]]]:
    """Give all partition keys of a design, by index and position."""
    made: dict[str | None, dict[int, set[Pieces]]] = {}
    for schema in store.table.entities.values():
        for keys in schema.all_keys:
            _enter(made, keys.index.name, [key_pieces(part) for part in keys.pk])
    for need in writes_of(store):
        _enter(made, None, [joined((*key_pieces(part), *need.suffix)) for part in need.keys])
    return made


def _enter(
    made: dict[str | None, dict[int, set[Pieces]]], index: str | None, keys: Iterable[Pieces]
) -> None:
    for position, pieces in enumerate(keys):
        made.setdefault(index, {}).setdefault(position, set()).add(pieces)


def _check_names(store: type[Store], role: Role) -> None:
    schemas = store.table.entities.values()
    entities = {schema.name for schema in schemas}
    fields = {name for schema in schemas for name in schema.fields}
    parameters = {name for need in reads_of(store) for name in _parameters(need)}
    _check("pattern", role.patterns or (), store.patterns)
    _check("entity", role.writes or (), entities)
    _check("field or parameter", role.scope, fields | parameters)


def _parameters(need: Need) -> Iterator[str]:
    return (source.name for source in need.sources.values() if isinstance(source, Parameter))


def _check(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"There is no {what} {name!r}; there are {', '.join(sorted(known))}")
