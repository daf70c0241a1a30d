"""From statements that write to the mutations that every write is made by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.engine import mutations
from singletable.engine.images import Row
from singletable.engine.mutations import Mutation, Outcome, Precondition
from singletable.engine.schema import Table
from singletable.errors import DuplicateItemException, ValidationException
from singletable.expressions import BoundUpdate, Call, Condition, Path
from singletable.values import Item, loads

from .binding import BoundStatement, bound_condition, check_paths, item_of
from .statements import Delete, Exists, Insert, Statement, Update
from .where import Key, Where, check_key, check_single, whole_key


class Vacancy(Precondition):
    """The precondition of an INSERT: that there is no such item."""

    def check(self, before: Row | None) -> None:
        """Raise if there is an item."""
        if before is not None:
            raise DuplicateItemException("Duplicate primary key exists in table")


def mutation(table: Table, bound: BoundStatement, request: Mapping[str, Any]) -> Mutation:
    """Make the mutation that a request's statement, already bound, asks for."""
    statement, values = bound
    check_paths(table, statement)

    def precondition(condition: Condition | None) -> Precondition:
        return Precondition.of(request, bound_condition(condition, values))

    match statement:
        case Insert():
            item = item_of(statement, values)
            _check_keys(table, item)
            return mutations.put(table, item, Vacancy())
        case Update():
            # Unlike UpdateItem, UPDATE makes no item that is not there.
            key, rest = _key(table, Where.read(statement.where, values))
            update = BoundUpdate(statement.update, values)
            return mutations.change(table, key, update, precondition(_present(table, rest)))
        case Delete():
            # Where there is no item, there is nothing to do, whatever the condition.
            key, rest = _key(table, Where.read(statement.where, values))
            return mutations.delete(table, key, precondition(rest and ~_present(table) | rest))
        case Exists():
            key, rest = _checked(table, statement, Where.read(statement.where, values))
            return mutations.check(table, key, precondition(_present(table, rest)))
    raise TypeError(f"{type(statement).__name__} writes nothing")


def returned(statement: Statement, outcome: Outcome) -> Item | None:
    """Give what the RETURNING of a statement asks for."""
    if not isinstance(statement, (Update, Delete)) or statement.returning is None:
        return None
    image = outcome.before if statement.returning.old else outcome.after
    if image is None:
        return None
    # Not image.item, which may have in it the literals of a statement that is kept for later.
    item = loads(image.data)
    if isinstance(statement, Update) and statement.returning.modified:
        return statement.update.touched(item) or None
    return item


def _check_keys(table: Table, item: Item) -> None:
    for attribute in table.schema.attributes:
        if attribute.name not in item:
            raise ValidationException(
                f"Key attribute should be present in the item: Key {attribute.name}"
            )
        check_key(attribute, item[attribute.name])


def _key(table: Table, where: Where) -> Key:
    check_single(table.schema, where)
    found = whole_key(table.schema, where)
    if found is None:
        raise ValidationException(
            "Where clause does not contain a mandatory equality on all key attributes"
        )
    return found


def _checked(table: Table, statement: Exists, where: Where) -> Key:
    if statement.source.index:
        raise ValidationException("Operations on indices are not supported in transactions")
    found = whole_key(table.schema, where)
    if found is None or found.rest is None:
        raise ValidationException(
            "EXISTS() must contain a single item read with additional condition"
        )
    return found


def _present(table: Table, rest: Condition | None = None) -> Condition:
    """Give the condition that the item is there, and the rest of the condition holds."""
    present = Call("attribute_exists", (Path(table.schema.names[:1]),))
    return present & rest if rest else present
