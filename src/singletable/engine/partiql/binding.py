"""Bind a statement to its parameters, and check it as far as no table is needed for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

from singletable.engine.schema import Table
from singletable.errors import ValidationException
from singletable.expressions import BoundCondition, Condition, Projection
from singletable.expressions import update as u
from singletable.expressions.bound import Plan
from singletable.expressions.resolve import Resolver
from singletable.expressions.tree import Read, Values
from singletable.values import AttributeValue, Item, normalize

from .parser import label, parse
from .statements import Insert, Select, Statement, Update, parameter


class BoundStatement(NamedTuple):
    """A statement with the values of its parameters."""

    statement: Statement
    values: Values


def bind(text: str, parameters: Sequence[AttributeValue] = ()) -> BoundStatement:
    """Read a statement and check it and its parameters."""
    statement = parse(text)
    given = {parameter(at): value for at, value in enumerate(parameters)}
    values = {name: normalize(value) for name, value in given.items()}
    if len(parameters) < statement.parameters:
        raise ValidationException("Number of parameters in request and statement don't match.")
    if statement.refusal:
        raise ValidationException(statement.refusal)
    _check(statement, Resolver({}, values, given))
    return BoundStatement(statement, values)


def check_parameters(requests: Iterable[Mapping[str, Any]]) -> None:
    """Refuse a request one of whose parameters is no value, whatever its statement is."""
    for request in requests:
        for value in request.get("Parameters", ()):
            normalize(value)


def bound_condition(tree: Condition | None, values: Values) -> BoundCondition | None:
    """Put a condition made of a statement's nodes together with its values."""
    return Plan.of(condition=tree).bound(values).condition


def _check(statement: Statement, resolver: Resolver) -> None:
    """Check the operands of a statement; having no aliases, it resolves to itself.

    Columns and actions are checked from the first, which a resolver does from the last. Observed:
    columns come before the condition, actions after it.
    """
    if isinstance(statement, Select):
        resolver.resolve(Projection(statement.columns[::-1]))
    if statement.where:
        resolver.resolve(statement.where)
    if isinstance(statement, Update):
        _check_sets(statement.update, resolver.values)
        resolver.resolve(u.Update(statement.update.actions[::-1]))


def _check_sets(update: u.Update, values: Values) -> None:
    for action in update.actions:
        if isinstance(action, (u.Add, u.Delete)):
            members = action.operand.read({}, values)
            if members is None or u.SETS.isdisjoint(members):
                raise ValidationException(
                    f"The second argument to SET_{action.section} must be a value with type SET"
                )


def check_paths(table: Table, statement: Statement) -> None:
    """Refuse paths that lead into key attributes of the table or of an index."""
    if isinstance(statement, Insert):
        return
    plan = Plan.of(
        update=statement.update if isinstance(statement, Update) else None,
        condition=statement.where,
        projection=parts(statement) if isinstance(statement, Select) else None,
    )
    table.check_paths(plan.bound({}))


@dataclass(frozen=True)
class Columns(Projection):
    """The columns of a SELECT: each path's value becomes an attribute, named after its end."""

    @cached_property
    def _labelled(self) -> list[tuple[str, Read]]:
        return [(label(path), path.compile()) for path in self.paths]

    def apply(self, item: Item) -> Item:
        """Give the attributes of an answer; a path that leads nowhere gives none."""
        values = ((name, read(item, {})) for name, read in self._labelled)
        return {name: value for name, value in values if value is not None}


def columns(select: Select) -> Columns | None:
    """Give what ExecuteStatement keeps of each item, or None for all of it."""
    return Columns(select.columns) if select.columns else None


def parts(select: Select) -> Projection | None:
    """Give what batches and transactions keep of each item: its parts where they are in it."""
    return Projection(select.columns) if select.columns else None


def item_of(insert: Insert, values: Values) -> Item:
    """Give the item that an INSERT makes."""
    operands = insert.item.items()
    return {name: cast(AttributeValue, each.read({}, values)) for name, each in operands}
