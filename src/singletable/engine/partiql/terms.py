"""Conditions and computations, by precedence: the tighter an operator binds, the higher its power.

    term       [sign | NOT] term | ( term ) | literal | ? | path | call
               | term operator term | term IS [NOT] type | term [NOT] BETWEEN term AND term
               | term [NOT] IN collection
    call       name ( [term {, term}] )

Conditions compare and combine, updates add and subtract; each refuses what only the other has.
"""

from __future__ import annotations

from typing import TypeGuard, cast

from singletable.expressions import conditions as c
from singletable.expressions.functions import FUNCTIONS, Call, Use
from singletable.expressions.operands import Arithmetic, Placeholder, Value
from singletable.expressions.paths import Path
from singletable.expressions.tree import Node, Operand

from .lexer import Token
from .literals import BEGINNINGS, check_negative, literal, negated
from .paths import path
from .reader import Reader
from .statements import parameter

POWERS = {
    "OR": 1, "AND": 2,
    "=": 4, "<>": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "IS": 4, "IN": 4, "BETWEEN": 4, "LIKE": 4, "NOT": 4,
    "||": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
}  # fmt: skip
NOT_POWER = 3
COMPARISON_POWER = 4
SIGN_POWER = 8

TYPES = {
    "BOOL": "BOOL", "BOOLEAN": "BOOL", "BLOB": "B", "STRING": "S", "NUMERIC": "N", "STRUCT": "M",
    "TUPLE": "M", "LIST": "L",
}  # fmt: skip
OTHER_TYPES = {
    "INT": "INTEGER", "INTEGER": "INTEGER", "SMALLINT": "SMALLINT", "DECIMAL": "DECIMAL",
    "DEC": "DECIMAL", "FLOAT": "FLOAT", "REAL": "REAL", "DOUBLE": "DOUBLE_PRECISION",
    "TIMESTAMP": "TIMESTAMP", "DATE": "DATE", "TIME": "TIME", "CHAR": "CHARACTER",
    "VARCHAR": "CHARACTER_VARYING", "SYMBOL": "SYMBOL", "CLOB": "CLOB", "SEXP": "SEXP",
    "BAG": "BAG",
}  # fmt: skip
"""The types of PartiQL that no attribute has, as messages call them."""

AGGREGATES = frozenset({"avg", "count", "max", "min", "sum"})
"""The functions of PartiQL over many items."""

_ENDS = {"[": "]", "(": ")", "<<": ">>"}
_NOTHING = Value({"NULL": True})


def condition(reader: Reader) -> c.Condition:
    """Read the condition of a WHERE clause."""
    return _condition(
        Terms(reader, "Condition").term(),
        reader,
        "WHERE clause must contain an expression that resolves to a boolean",
    )


def computation(reader: Reader) -> Operand:
    """Read the right side of a SET."""
    term = Terms(reader, "Update").term()
    return term if isinstance(term, Operand) else _NOTHING


def next_parameter(reader: Reader) -> Placeholder:
    """Give the placeholder of a ``?`` just read."""
    reader.parameters += 1
    return Placeholder(parameter(reader.parameters - 1))


def _condition(term: Node, reader: Reader, message: str) -> c.Condition:
    """Take a term for a condition, or refuse it."""
    if _is_condition(term):
        return term
    reader.refuse(message)
    return c.Comparison("=", _NOTHING, _NOTHING)


def _operand(term: Node) -> Operand:
    """Take a term for a value; a condition is one, too."""
    return c.Truth(term) if _is_condition(term) else cast(Operand, term)


def _is_condition(term: Node) -> TypeGuard[c.Condition]:
    if isinstance(term, Call):
        return FUNCTIONS[term.function].use is Use.CONDITION
    return isinstance(term, c.Condition)


class Terms:
    """Reads the terms of a condition or of an update."""

    def __init__(self, reader: Reader, kind: str) -> None:
        self.reader = reader
        self.kind = kind
        self.in_update = kind == "Update"
        self.root = reader.token
        """The word that stands for all of the term read last: its operator, function or name."""

    def term(self, power: int = 0) -> Node:
        """Read a term whose operators bind tighter than ``power``."""
        reader = self.reader
        with reader.deeper():
            root = reader.token
            left = self._first()
            root = self.root if root.kind == "(" else root
            while POWERS.get(reader.token.kind, 0) > power:
                root = reader.take()
                left = self._continued(left, root)
            self.root = root
            return left

    def _first(self) -> Node:
        reader = self.reader
        token = reader.token
        if reader.accept("NOT"):
            return self._negated(self.term(NOT_POWER), token)
        if reader.accept("("):
            inner = self.term()
            reader.expect(")")
            return inner
        if reader.accept("?"):
            return next_parameter(reader)
        if reader.accept("MISSING"):
            reader.refuse("MISSING must be compared using IS operator")
            return _NOTHING
        if token.kind in BEGINNINGS:
            return Value(literal(reader))
        if reader.accept("+", "-"):
            return self._signed(token, self.term(SIGN_POWER))
        if reader.following.kind == "(" and token.text.isidentifier():
            return self._call(reader.take())
        return path(reader)

    def _negated(self, term: Node, token: Token) -> Node:
        if self.in_update:
            return self._unsupported(token, term)
        message = "The argument to NOT must be a Type or Expression"
        return c.Not(_condition(term, self.reader, message))

    def _signed(self, sign: Token, term: Node) -> Node:
        if isinstance(term, Value) and "N" in term.content:
            if sign.kind == "+":
                return term
            check_negative(self.reader, self.root)
            return Value(negated(term.content))
        if not self.in_update:
            return self._unsupported(sign, term)
        self.reader.refuse(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {sign.text}, number of operands: 1"
        )
        return term

    def _unsupported(self, operator: Token, term: Node) -> Node:
        self.reader.refuse(
            f"Unsupported operator in {self.kind} Expression. Operator: {operator.text.lower()}"
        )
        return term

    def _call(self, name: Token) -> Node:
        reader, function = self.reader, name.text.lower()
        reader.expect("(")
        if function == "count":
            reader.accept("*")
        operands = self.operands(")")
        known = FUNCTIONS.get(function)
        if function in AGGREGATES:
            reader.refuse(f"Unsupported token in expression: {function}", name)
            return _NOTHING
        if known is None:
            reader.refuse(f"Unrecognized function: {name.text}")
            return _NOTHING
        if (known.use in (Use.UPDATE, Use.UPDATE_WHOLE)) != self.in_update:
            kind = "an update" if self.in_update else "a condition"
            reader.refuse(f"The function is not allowed in {kind} expression; function: {function}")
            return _NOTHING
        return Call(function, operands)

    def operands(self, end: str) -> tuple[Operand, ...]:
        """Read what is left of a list of operands."""
        operands: list[Operand] = []
        while not self.reader.accept(end):
            if operands:
                self.reader.expect(",")
            operands.append(_operand(self.term()))
        return tuple(operands)

    def _continued(self, left: Node, operator: Token) -> Node:
        """Read what follows an infix operator."""
        kind = operator.kind
        if kind == "NOT":
            operator = self.reader.expect("BETWEEN", "IN", "LIKE")
            return self._negated(self._continued(left, operator), operator)
        if kind == "IS":
            return self._is(left, operator)
        if kind == "IN":
            return self._in(left, operator)
        right = self.term(POWERS[kind])
        if kind == "BETWEEN":
            self.reader.expect("AND")
            high = self.term(COMPARISON_POWER)
            if not self.in_update:
                return c.Between(_operand(left), _operand(right), _operand(high))
        return self._joined(left, operator, right)

    def _joined(self, left: Node, operator: Token, right: Node) -> Node:
        kind = "<>" if operator.kind == "!=" else operator.kind
        if self.in_update and kind in ("+", "-"):
            return Arithmetic(kind, _operand(left), _operand(right))
        if not self.in_update and kind in c.COMPARE:
            return c.Comparison(kind, _operand(left), _operand(right))
        if not self.in_update and kind in ("AND", "OR"):
            message = "The arguments to AND/OR must be Expressions"
            first = _condition(left, self.reader, message)
            second = _condition(right, self.reader, message)
            return first & second if kind == "AND" else first | second
        return self._unsupported(operator, left)

    def _in(self, left: Node, operator: Token) -> Node:
        begin = self.reader.accept(*_ENDS)
        options: tuple[Operand, ...] = ()
        if begin:
            options = self.operands(_ENDS[begin.kind])
            if not options and begin.kind == "(":
                self.reader.fail()
        else:
            self.term(COMPARISON_POWER)
        if self.in_update:
            return self._unsupported(operator, left)
        if not options:
            self.reader.refuse(
                "IN operator must have a left hand argument of type Variable Reference and right "
                "hand argument of type Seq with at least one member"
            )
        return c.In(_operand(left), options)

    def _is(self, left: Node, operator: Token) -> Node:
        reader = self.reader
        negative = reader.accept("NOT")
        name = reader.expect("MISSING", "NULL", *TYPES, *OTHER_TYPES)
        if self.in_update:
            return self._unsupported(operator, left)
        if not isinstance(left, (Path, Value)):
            reader.refuse(
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            )
            left = _NOTHING
        test = self._test(left, name.kind, operator)
        return c.Not(test) if negative else test

    def _test(self, operand: Operand, kind: str, operator: Token) -> c.Condition:
        if kind == "MISSING":
            return Call("attribute_not_exists", (operand,))
        if kind == "NULL":
            return c.Comparison("=", operand, _NOTHING)
        if kind in OTHER_TYPES:
            self.reader.refuse(
                f"Unsupported data type for IS operator: {OTHER_TYPES[kind]}. Supported data types "
                "are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]",
                operator,
            )
        return Call("attribute_type", (operand, Value({"S": TYPES.get(kind, "S")})))
