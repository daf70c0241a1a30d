"""The one way in which a store writes: read what is needed, plan, send, and plan again if need be.

An action that concerns its own item alone is one plain request. With others, or with effects
elsewhere in the table, it is a transaction, made under the condition that what it was planned from
has not changed; where somebody else was faster, all is planned anew from what is there now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any
from uuid import uuid4

from singletable.errors import (
    ConditionalCheckFailedException,
    Contended,
    IdempotentParameterMismatchException,
    NotFound,
    TransactionCanceledException,
    UsageError,
    ValidationException,
)
from singletable.model.reads import Key
from singletable.store.context import Context, perhaps_done, twice
from singletable.store.large.saving import UNDONE, Contents
from singletable.store.steps import Pause, Program, Together
from singletable.values import Item

from .actions import Action, E, Plan, Seen, become
from .editing import Upgrading
from .failures import Failure, Verdict, cancelled, judged
from .joining import Joined
from .naming import named, planned
from .numbering import Numbers
from .writes import Check, Identity, Part, Update, Write, identity

NOTHING: dict[Identity, Item | None] = {}
NO_NUMBERS = Numbers(NOTHING)
REFUSALS = (ConditionalCheckFailedException, TransactionCanceledException)


def write(context: Context, action: Action[E]) -> Program[Any]:
    """Carry out one action, in one plain request if that is enough; give the item as it is now."""
    if action.spreads:
        [result] = yield from commit(context, [action], alone=True)
        return result
    _check_table(context, action)
    plan = action.plan(Seen(context.clock(), NOTHING, NO_NUMBERS, Contents(context)))
    try:
        answer = yield from _send_alone(context, plan.writes[0])
    except ConditionalCheckFailedException as error:
        failure = plan.failure(error.fields.get("Item"))
        if failure is not None:
            raise failure from error
    except ValidationException as error:
        if told := named(error, planned([plan])):
            raise told from error
        raise
    else:
        return _result(plan, answer)
    [result] = yield from commit(context, [action], alone=True, again=True)
    return result


def commit(
    context: Context,
    actions: Sequence[Action[Any]],
    token: str | None = None,
    *,
    alone: bool = False,
    again: bool = False,
) -> Program[list[Any]]:
    """Carry out all actions or none; give each one's item as it is now, as far as it is known.

    ``again`` says that one of them was tried in vain already, without having read its item.
    """
    for action in actions:
        _check_table(context, action)
    contents = Contents(context)
    try:
        joined, results = yield from _committed(
            context, actions, contents, token, alone=alone, again=again
        )
    except UNDONE:
        yield from contents.undo()
        raise
    yield from contents.settle(joined.plans)
    return results


def _committed(
    context: Context,
    actions: Sequence[Action[Any]],
    contents: Contents,
    token: str | None,
    *,
    alone: bool,
    again: bool,
) -> Program[tuple[Joined, list[Any]]]:
    left_out: Mapping[Identity, Item | None] = {}
    for attempt in count(1):
        again = again or attempt > 1
        seen = yield from _seen(context, actions, contents, again=again)
        joined = Joined.of([action.plan(seen) for action in actions], seen, left_out)
        yield from contents.store()
        parts = tuple(joined.parts.values())
        try:
            results = yield from _sent(context, joined, parts, token, alone=alone)
        except REFUSALS as error:
            if perhaps_done(error):
                contents.keep()
            verdict = judged(error, parts)
            if not verdict.again and not verdict.errors:
                raise
            if not verdict.again:
                raise cancelled(_failures(joined, verdict)) from error
            if attempt >= context.retries.attempts:
                raise _lost(actions, attempt) from error
            left_out = verdict.left_out
        except IdempotentParameterMismatchException as error:
            raise _reused(token) from error
        else:
            return joined, results
        yield Pause(context.retries.delay(attempt))
    raise AssertionError  # count() has no end


def _sent(
    context: Context, joined: Joined, parts: Sequence[Part], token: str | None, *, alone: bool
) -> Program[list[Any]]:
    """Send all writes; give each action's item as it is now, as far as it is known."""
    try:
        if alone and len(parts) == 1 and not isinstance(parts[0].write, Check):
            answer = yield from _send_alone(context, parts[0].write)
            return [_result(joined.plans[0], answer)]
        if parts:
            request = transaction_of(context, parts, token or uuid4().hex)
            yield from context.send("TransactWriteItems", request)
        return list(joined.results())
    except ValidationException as error:
        if told := named(error, planned(joined.plans)):
            raise told from error
        raise


def _seen(
    context: Context, actions: Sequence[Action[Any]], contents: Contents, *, again: bool
) -> Program[Seen]:
    """Read what the actions need; what an older schema wrote is upgraded first, where it must."""
    keys = [key for action in actions for key in action.reads(again=again)]
    items = yield from _read(context, keys)
    at, upgraded = context.clock(), False
    for action in actions:
        found = items.get(identity(action.key)) if items else None
        if found and action.schema.items.is_older(found) and action.must_look(found, at):
            upgraded = True
            yield from _upgrade(context, action)
    if upgraded:
        items = yield from _read(context, keys)
    return Seen(context.clock(), items, Numbers(items), contents)


def _upgrade(context: Context, action: Action[Any]) -> Program[None]:
    schema = action.schema
    key: Key[Any] = Key(schema, {name: action.values[name] for name in schema.key_fields})
    with suppress(NotFound):  # what is gone meanwhile is the action's to judge
        yield from commit(context, [Upgrading(key)], alone=True)


def _read(context: Context, keys: Iterable[Item]) -> Program[dict[Identity, Item | None]]:
    """Read items side by side, each once."""
    wanted = {identity(key): key for key in keys}
    if not wanted:
        return {}
    answers = yield Together(tuple(_get(context, key) for key in wanted.values()))
    return {name: answer.get("Item") for name, answer in zip(wanted, answers, strict=True)}


def _get(context: Context, key: Item) -> Program[dict[str, Any]]:
    request = {"TableName": context.table_name, "Key": key, "ConsistentRead": True}
    return (yield from context.send("GetItem", request))


def _send_alone(context: Context, write: Write) -> Program[dict[str, Any]]:
    """Send one write in a request of its own, which can tell the item as it has become."""
    request = write.request(context.table_name)
    if isinstance(write, Update):
        request["ReturnValues"] = "ALL_NEW"
    return context.send(f"{write.kind}Item", request)


def _result(plan: Plan, answer: dict[str, Any]) -> Any:
    """Give the item as it is now: as the answer tells it, or as it was planned."""
    item = answer.get("Attributes")
    return plan.after if item is None else become(plan.action, item)


def transaction_of(context: Context, parts: Sequence[Part], token: str) -> dict[str, Any]:
    """Give the request that does all writes or none."""
    writes = (part.write for part in parts)
    actions = [{write.kind: write.request(context.table_name)} for write in writes]
    return {"TransactItems": actions, "ClientRequestToken": token}


def _check_table(context: Context, action: Action[Any]) -> None:
    table = action.schema.table
    if table is not context.table:
        raise UsageError(
            f"{action}: {action.schema.name} is in {table}, this store writes to {context.table}"
            + twice(context, table)
        )


def _failures(joined: Joined, verdict: Verdict) -> list[Failure]:
    """Tell what went wrong, once for each action: what is wrong with its own item comes first."""
    failures: dict[int, Failure] = {}
    for part, why in verdict.errors:
        plan = joined.owners.get(part.cause, joined.plans[0])
        told = named(why, planned([plan])) if isinstance(why, ValidationException) else None
        failure = Failure(plan.action.label, plan.writes[0].key, told or why)
        failures.setdefault(id(plan), failure)
    return list(failures.values())


def _reused(token: str | None) -> UsageError:
    return UsageError(
        f"The token {token!r} came with other writes within the last ten minutes, which were done "
        "then; these were not. A transaction that is repeated has to ask for the same, down to the "
        "times that the store fills in: see transaction()"
    )


def _lost(actions: Sequence[Action[Any]], attempts: int) -> Contended:
    told = ", ".join(map(str, actions))
    return Contended(f"{told}: others wrote meanwhile, {attempts} times in a row")
