"""Policies of IAM that allow what a store does, and nothing else.

What a role may do that is confined to a scope is proved (``scoping``); any other may do all that
its patterns and writes need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from singletable.errors import UsageError
from singletable.store.store import Store

from .access import Need, Parameter, faults_of, reads_of, writes_of
from .deployment import Deployment, Role
from .granting import Arn, Document, Granted
from .scoping import Scoped

VERSION = "2012-10-17"
SIZE_MAX = 6144
"""How many characters a managed policy may have, whitespace aside."""
STREAM = ("DescribeStream", "GetRecords", "GetShardIterator")


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy document, and what it cannot allow or prevent."""

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
    granted = Scoped(store, role.scope).granted(needs) if role.scope else Granted.all_of(needs)
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
