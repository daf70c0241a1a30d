"""PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy: kept and given back, not enforced."""

from __future__ import annotations

from typing import Any

import orjson

from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.schema import Document, Table
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.engine.shards import find_stream, parse_arn
from singletable.errors import PolicyNotFoundException, invalid

from .control import change, find_resource
from .registry import Answer, Request, operation

POLICY_BYTES_MAX = 20 * 1024
NO_POLICY = "NO_POLICY"
"""The revision to expect where there shall be no policy yet."""
OF_TABLE = ""
"""Stands in the documents for the table itself, among what is below it."""

Policy = dict[str, str]


@operation(
    "PutResourcePolicy",
    ResourceArn=t.RESOURCE_ARN.required,
    Policy=m.STRING.required,
    ExpectedRevisionId=t.REVISION_ID,
    ConfirmRemoveSelfResourceAccess=m.BOOLEAN,
)
def put_resource_policy(db: Database, request: Request) -> Answer:
    """Attach a policy to a table or stream; the same text again keeps its revision."""
    check_policy(request["Policy"])
    with db.change() as tx:
        table = _find(db, tx, request["ResourceArn"])
        current = _expected(table, request)
        if current and current["Policy"] == request["Policy"]:
            return {"RevisionId": current["RevisionId"]}
        policy = new_policy(request["Policy"], db.clock(), current)
        policies = {**_policies(table), _below(request["ResourceArn"]): policy}
        change(db, tx, table, ResourcePolicies=policies)
    return {"RevisionId": policy["RevisionId"]}


@operation("GetResourcePolicy", ResourceArn=t.RESOURCE_ARN.required)
def get_resource_policy(db: Database, request: Request) -> Answer:
    """Give the policy of a table or stream and its revision."""
    with db.storage.read() as tx:
        table = _find(db, tx, request["ResourceArn"])
    policy = _policies(table).get(_below(request["ResourceArn"]))
    if policy is None:
        raise _not_found(request["ResourceArn"])
    return dict(policy)


@operation(
    "DeleteResourcePolicy", ResourceArn=t.RESOURCE_ARN.required, ExpectedRevisionId=t.REVISION_ID
)
def delete_resource_policy(db: Database, request: Request) -> Answer:
    """Detach the policy of a table or stream; where there is none, nothing happens."""
    below = _below(request["ResourceArn"])
    with db.change() as tx:
        table = _find(db, tx, request["ResourceArn"])
        current = _expected(table, request)
        if current is None and "ExpectedRevisionId" in request:
            raise _not_found(request["ResourceArn"])
        if current is None:
            return {}
        others = {each: policy for each, policy in _policies(table).items() if each != below}
        change(db, tx, table, ResourcePolicies=others)
    return {"RevisionId": current["RevisionId"]}


def check_policy(policy: str) -> None:
    """Refuse what is too long or not a JSON object."""
    if len(policy.encode()) > POLICY_BYTES_MAX:
        raise invalid(
            f"Resource-based policy document size exceeds the limit of {POLICY_BYTES_MAX} bytes"
        )
    try:
        parsed: Any = orjson.loads(policy)
    except orjson.JSONDecodeError:
        parsed = None
    if not isinstance(parsed, dict):
        raise invalid("Invalid policy document: the policy is not a JSON object")


def new_policy(text: str, now: float, current: Policy | None = None) -> Policy:
    """Give a policy the next revision: the time in milliseconds, and always another one."""
    revision = int(now * 1000)
    if current:
        revision = max(revision, int(current["RevisionId"]) + 1)
    return {"Policy": text, "RevisionId": str(revision)}


def _find(db: Database, tx: Connection, arn: str) -> Table:
    """Find the table of a policy, which is the table's own or that of a stream of it."""
    table = find_resource(db, tx, arn, "stream")
    if parse_arn(arn):
        find_stream(tx, arn, db.clock())
    return table


def _below(arn: str) -> str:
    """Name a resource within its table, whatever region and account the ARN has."""
    return arn.partition(":table/")[2].partition("/")[2]


def _policies(table: Table) -> Document:
    policies: Document = table.document.get("ResourcePolicies", {})
    return policies


def _expected(table: Table, request: Request) -> Policy | None:
    """Give the present policy, if its revision is the expected one."""
    arn, expected = request["ResourceArn"], request.get("ExpectedRevisionId")
    policy: Policy | None = _policies(table).get(_below(arn))
    revision = policy["RevisionId"] if policy else NO_POLICY
    if expected is not None and expected != revision:
        raise _not_found(arn)
    return policy


def _not_found(arn: str) -> PolicyNotFoundException:
    return PolicyNotFoundException(
        f"Resource-based policy not found for the provided ResourceArn: {arn}"
    )
