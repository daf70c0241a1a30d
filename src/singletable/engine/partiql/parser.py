"""Read the text of a statement.

    statement  select | insert | update | delete | EXISTS ( select )
    select     SELECT ( * | path {, path} ) FROM source [WHERE condition]
               [ORDER BY name [ASC | DESC] {, …}]
    insert     INSERT INTO source VALUE { {string : (literal | ?) ,} }
    update     UPDATE source action {action} [WHERE condition] [returning]
    action     SET assignment {, assignment} | REMOVE path
    assignment path = term | path = set_add ( path , set ) | path = set_delete ( path , set )
    delete     DELETE FROM source [WHERE condition] [returning]
    returning  RETURNING (ALL | MODIFIED) (OLD | NEW) *
    source     name [. name]

What else the grammar of PartiQL has is read as far as is needed to say that DynamoDB has it not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from singletable.expressions import update as u
from singletable.expressions.operands import Value
from singletable.expressions.paths import Path
from singletable.expressions.tree import Operand

from .lexer import NAME
from .literals import BEGINNINGS, literal, pairs
from .paths import path
from .reader import Reader
from .statements import Delete, Exists, Insert, Order, Returning, Select, Source, Statement, Update
from .terms import Terms, computation, condition, next_parameter

STATEMENTS_MAX = 512
SOURCE_NAMES_MAX = 2
SET_ARGUMENTS = 2

_TABLE_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
NOT_ON_INDEX = "This operation is not supported on an index"
SET_ACTIONS: dict[str, type[u.Add | u.Delete]] = {"set_add": u.Add, "set_delete": u.Delete}


@lru_cache(STATEMENTS_MAX)
def parse(text: str) -> Statement:
    """Read a statement; those used last are kept."""
    reader = Reader(text)
    read = _STATEMENTS.get(reader.token.kind)
    if read is None:
        reader.fail()
    reader.take()
    statement = read(reader)
    reader.finish()
    return replace(statement, parameters=reader.parameters, refusal=reader.refusal)


def _select(reader: Reader) -> Select:
    columns = _columns(reader)
    reader.expect("FROM")
    source = _source(reader)
    if reader.next_is(",", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS"):
        reader.refuse("Only select from a single table or index is supported.")
        reader.skip()
    where = condition(reader) if reader.accept("WHERE") else None
    if reader.accept("GROUP"):
        reader.refuse("Unsupported clause: GROUP BY")
        reader.skip()
    order = _order(reader) if reader.accept("ORDER") else ()
    if clause := reader.accept("HAVING", "LIMIT"):
        reader.refuse(f"Unsupported clause: {clause.kind}", reader.token)
        reader.skip()
    return Select(source=source, columns=columns, where=where, order=order)


def _columns(reader: Reader) -> tuple[Path, ...]:
    reader.accept("ALL")
    if reader.accept("DISTINCT"):
        reader.refuse("Unsupported token in expression: DISTINCT")
    if reader.accept("VALUE"):
        reader.refuse("Select projection doesn't support value or pivot keywords")
    if reader.accept("*"):
        return ()
    columns = [_column(reader)]
    while reader.accept(","):
        columns.append(_column(reader))
    _check_labels(reader, columns)
    return tuple(columns)


def _column(reader: Reader) -> Path:
    before = reader.refusal
    terms = Terms(reader, "Condition")
    term = terms.term()
    is_path = isinstance(term, Path) and terms.root.kind == NAME
    if not is_path:
        reader.refusal = before  # What a condition might not have matters no more.
    if reader.accept("AS") or reader.next_is(NAME):
        reader.expect(NAME)
        reader.refuse("Aliasing is not supported")
    if not is_path:
        reader.refuse("Unexpected path component", terms.root)
    return term if isinstance(term, Path) else Path((terms.root.text,))


def _check_labels(reader: Reader, columns: list[Path]) -> None:
    labels = [label(column) for column in columns]
    for at, each in enumerate(labels):
        if each in labels[:at]:
            reader.refuse(f"Duplicate identifiers in select clause: {each}")


def label(column: Path) -> str:
    """Name the attribute of the answer that holds a column: ``x[0]`` for ``m.x[0]``."""
    last = max(at for at, element in enumerate(column.elements) if isinstance(element, str))
    indexes = "".join(f"[{index}]" for index in column.elements[last + 1 :])
    return f"{column.elements[last]}{indexes}"


def _order(reader: Reader) -> tuple[Order, ...]:
    reader.expect("BY")
    terms = [_order_term(reader)]
    while reader.accept(","):
        terms.append(_order_term(reader))
    return tuple(terms)


def _order_term(reader: Reader) -> Order:
    token = reader.token
    term = Terms(reader, "Condition").term()
    if not isinstance(term, Path) or len(term.elements) > 1:
        shown = "PATH" if isinstance(term, Path) else token.text
        reader.refuse(f"Argument to ORDER BY must be of type VariableReference. Type: {shown}")
    direction = reader.accept("ASC", "DESC")
    return Order(token.text, direction is not None and direction.kind == "DESC")


def _insert(reader: Reader) -> Insert:
    reader.expect("INTO")
    source = _source(
        reader, "FROM clause may only contain a single table name in data manipulation statements"
    )
    reader.expect("VALUE")
    item: dict[str, Operand] = {}
    if reader.accept("{"):
        item = dict(pairs(reader, lambda _name: _value(reader)))
    else:
        reader.refuse(
            "Unsupported format in item expression. Please use struct format {...} to express "
            "item values for insert statement.",
            reader.token,
        )
        _value(reader)
    if reader.accept("RETURNING"):
        reader.refuse("RETURNING is not supported in INSERT")
        reader.skip()
    return Insert(source=source, item=item)


def _value(reader: Reader) -> Operand:
    return next_parameter(reader) if reader.accept("?") else Value(literal(reader))


def _update(reader: Reader) -> Update:
    source = _source(reader, NOT_ON_INDEX)
    actions: list[u.Action] = []
    while section := reader.accept("SET", "REMOVE"):
        actions += _assignments(reader) if section.kind == "SET" else [u.Remove(path(reader))]
    if not actions:
        reader.fail("Expected data manipulation")
    where = condition(reader) if reader.accept("WHERE") else None
    returning = _returning(reader)
    update = u.Update(tuple(actions))
    return Update(source=source, update=update, where=where, returning=returning)


def _assignments(reader: Reader) -> list[u.Action]:
    actions = [_assignment(reader)]
    while reader.accept(","):
        actions.append(_assignment(reader))
    return actions


def _assignment(reader: Reader) -> u.Action:
    target = path(reader)
    reader.expect("=")
    kind = SET_ACTIONS.get(reader.token.text.lower())
    if kind is None or reader.following.kind != "(":
        return u.Set(target, computation(reader))
    name = reader.take()
    reader.expect("(")
    operands = Terms(reader, "Update").operands(")")
    function = name.text.upper()
    if len(operands) != SET_ARGUMENTS:
        reader.refuse(f"{function} must have exactly two arguments", name)
    elif operands[0] != target:
        reader.refuse(f"The first argument to {function} must equal the assignment value")
    else:
        return kind(target, operands[1])
    return u.Remove(target)


def _delete(reader: Reader) -> Delete:
    reader.expect("FROM")
    source = _source(reader, NOT_ON_INDEX)
    where = condition(reader) if reader.accept("WHERE") else None
    returning = _returning(reader)
    if returning not in (None, Returning(modified=False, old=True)):
        reader.refuse(
            f"Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * is "
            "allowed in DELETE statements."
        )
    return Delete(source=source, where=where, returning=returning)


def _returning(reader: Reader) -> Returning | None:
    if not reader.accept("RETURNING"):
        return None
    extent = reader.expect("ALL", "MODIFIED")
    time = reader.expect("OLD", "NEW")
    if not reader.accept("*"):
        path(reader)
        reader.refuse("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
    if reader.next_is(","):
        reader.refuse("Invalid syntax with multiple returning elements in RETURNING clause")
        reader.skip()
    return Returning(modified=extent.kind == "MODIFIED", old=time.kind == "OLD")


def _exists(reader: Reader) -> Exists:
    reader.expect("(")
    reader.expect("SELECT")
    select = _select(reader)
    reader.expect(")")
    return Exists(source=select.source, where=select.where)


def _source(reader: Reader, index_refusal: str | None = None) -> Source:
    """Read the name of a table, and of an index unless that is refused."""
    found = path(reader) if index_refusal else _from(reader)
    names = found.elements if found else ("",)
    if not found:
        reader.refuse("Unexpected from source")
    elif any(isinstance(name, int) for name in names):
        reader.refuse("Invalid list expression in source.")
    elif index_refusal and len(names) > 1:
        reader.refuse(index_refusal)
    elif len(names) > SOURCE_NAMES_MAX:
        reader.refuse("A path may contain at most 2 components in the FROM clause")
    elif not _TABLE_NAME.fullmatch(str(names[0])):
        reader.refuse(
            "Table name should be within the length [3, 255] and only contain "
            "'a-z', 'A-Z', '0-9', '-', '_', '.'."
        )
    if reader.accept("AS") or reader.next_is(NAME):
        reader.expect(NAME)
        reader.refuse("Aliasing is not supported")
    return Source(*map(str, names[:SOURCE_NAMES_MAX]))


def _from(reader: Reader) -> Path | None:
    """Read what a SELECT reads from, which may be any term; None where it is no path."""
    if reader.next_is("?", *BEGINNINGS) or reader.following.kind == "SELECT":
        reader.skip()
        return None
    before = reader.refusal
    terms = Terms(reader, "Condition")
    term = terms.term()
    reader.refusal = before  # What a condition might not have matters no more.
    return term if isinstance(term, Path) and terms.root.kind == NAME else None


_STATEMENTS: dict[str, Callable[[Reader], Statement]] = {
    "SELECT": _select,
    "INSERT": _insert,
    "UPDATE": _update,
    "DELETE": _delete,
    "EXISTS": _exists,
}
