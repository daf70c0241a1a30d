"""Read the text of expressions into trees.

The grammar, each rule a method (``|`` or, ``[]`` optional, ``{}`` repeated):

    condition    conjunction {OR conjunction}
    conjunction  predicate {AND predicate}
    predicate    NOT predicate | call | ( condition ) | operand comparator operand
                 | operand BETWEEN operand AND operand | operand IN ( operands )
    operand      path | :value | call | ( operand )
    call         name ( operands )
    operands     operand {, operand}
    path         name-or-alias {. name-or-alias | [ index ]}
    projection   path {, path}
    update       section {section}
    section      SET path = sum {, …} | REMOVE path {, …} | ADD path :value {, …} | DELETE …
    sum          operand [+ operand | - operand] | ( sum )

A rule that may nest is a generator that yields the rules it needs: ``_run`` keeps them on a list
instead of Python's stack, so that text nested thousands deep is only text with an error in it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NoReturn

from singletable.errors import ValidationException

from .conditions import COMPARE, And, Between, Comparison, Condition, In, Not, Or
from .functions import Call
from .lexer import ALIAS, END, EXPRESSION_SIZE_MAX, NAME, NUMBER, VALUE, syntax_error, tokenize
from .operands import Arithmetic, Placeholder
from .paths import Alias, Element, Path
from .projection import Projection
from .tree import Operand
from .update import Action, Add, Delete, Remove, Set, Update

Rule = Generator[Any, Any, Any]
_OPERATORS = frozenset({*COMPARE, "BETWEEN", "IN"})
_TOO_LONG = "Expression size has exceeded the maximum allowed size;"


@dataclass(frozen=True, slots=True)
class _Group:
    """What stands in parentheses, until it is known what it is part of."""

    inner: Any
    redundant: bool

    def settled(self) -> _Group:
        """Refuse parentheses around parentheses."""
        if self.redundant:
            raise ValidationException("The expression has redundant parentheses;")
        return self


def parse_condition(text: str) -> Condition:
    """Read a condition, filter or key condition expression."""
    if len(text) > EXPRESSION_SIZE_MAX:
        raise ValidationException(f"{_TOO_LONG} expression size: {len(text)}")
    parser = _Parser(text)
    tree: Condition = _bare(_run(parser.condition()))
    parser.expect(END)
    return tree


def parse_projection(text: str) -> Projection:
    """Read a projection expression."""
    parser = _Parser(text)
    paths = [parser.path()]
    while parser.accept(","):
        paths.append(parser.path())
    parser.expect(END)
    return Projection(tuple(paths))


def parse_update(text: str) -> tuple[Update, list[str]]:
    """Read an update expression; give also its sections, in order."""
    parser = _Parser(text)
    sections: list[str] = []
    actions: list[Action] = []
    while not sections or not parser.accept(END):
        section = parser.expect("SET", "REMOVE", "ADD", "DELETE").upper()
        sections.append(section)
        actions.append(parser.action(section))
        while parser.accept(","):
            actions.append(parser.action(section))
    return Update(tuple(actions)), sections


def _run(rule: Rule) -> Any:
    """Carry out a rule and all those it asks for, one inside the other."""
    rules, result = [rule], None
    while rules:
        try:
            inner = rules[-1].send(result)
        except StopIteration as done:
            rules.pop()
            result = done.value
        else:
            rules.append(inner)
            result = None
    return result


def _bare(node: Any) -> Any:
    return node.inner if isinstance(node, _Group) else node


def _group(node: Any) -> _Group:
    return _Group(_bare(node), redundant=isinstance(node, _Group))


class _Parser:
    """Goes through the tokens of one expression, left to right."""

    def __init__(self, text: str) -> None:
        if not text:
            raise ValidationException("The expression can not be empty;")
        if len(text) > EXPRESSION_SIZE_MAX:
            raise ValidationException(_TOO_LONG)
        self.text = text
        self.tokens = tokenize(text)
        self.at = 0

    def fail(self) -> NoReturn:
        """Refuse the token at hand."""
        raise syntax_error(self.text, self.tokens, self.at)

    def next_is(self, *kinds: str) -> bool:
        """Tell whether the token at hand is of one of the kinds."""
        return self.tokens[self.at].kind in kinds

    def accept(self, *kinds: str) -> str | None:
        """Take the token at hand if it is of one of the kinds, and give its text."""
        token = self.tokens[self.at]
        if token.kind not in kinds:
            return None
        self.at += 1
        return token.text

    def expect(self, *kinds: str) -> str:
        """Take the token at hand, which must be of one of the kinds."""
        return self.accept(*kinds) or self.fail()

    def condition(self, *, alone: bool = False) -> Rule:
        """Read a condition; ``alone`` in parentheses it may turn out to be just an operand."""
        first = yield self.conjunction(alone=alone)
        rest = []
        while self.accept("OR"):
            rest.append((yield self.conjunction()))
        return Or(tuple(map(_bare, (first, *rest)))) if rest else first

    def conjunction(self, *, alone: bool = False) -> Rule:
        first = yield self.predicate(alone=alone)
        rest = []
        while self.accept("AND"):
            rest.append((yield self.predicate()))
        return And(tuple(map(_bare, (first, *rest)))) if rest else first

    def predicate(self, *, alone: bool = False) -> Rule:
        if self.accept("NOT"):
            return Not(_bare((yield self.predicate())))
        first = yield self.group() if self.accept("(") else self.atom()
        inner = _bare(first)
        if isinstance(inner, Operand) and self.next_is(*_OPERATORS):
            if isinstance(first, _Group):
                first.settled()
            return (yield self.comparison(inner))
        if isinstance(inner, Condition) or (alone and self.next_is(")")):
            return first
        self.fail()

    def group(self) -> Rule:
        group = _group((yield self.condition(alone=True)))
        self.expect(")")
        # Around an operand, that they are redundant shows only once an operator follows.
        return group.settled() if isinstance(group.inner, Condition) else group

    def comparison(self, first: Operand) -> Rule:
        operator = self.expect(*_OPERATORS).upper()
        if operator == "BETWEEN":
            low = yield self.operand()
            self.expect("AND")
            return Between(first, _bare(low), _bare((yield self.operand())))
        if operator == "IN":
            self.expect("(")
            return In(first, (yield self.operands()))
        return Comparison(operator, first, _bare((yield self.operand())))

    def operands(self) -> Rule:
        """Read what is left of a list in parentheses."""
        operands = [_bare((yield self.operand()))]
        while self.accept(","):
            operands.append(_bare((yield self.operand())))
        self.expect(")")
        return tuple(operands)

    def operand(self) -> Rule:
        if not self.accept("("):
            return (yield self.atom())
        group = _group((yield self.operand()))
        self.expect(")")
        return group.settled()

    def atom(self) -> Rule:
        if name := self.accept(VALUE):
            return Placeholder(name)
        if self.next_is(NAME) and self.tokens[self.at + 1].kind == "(":
            name = self.expect(NAME)
            self.expect("(")
            return Call(name, (yield self.operands()))
        return self.path()

    def path(self) -> Path:
        elements: list[Element] = [self.key(ALIAS)]
        while step := self.accept(".", "["):
            # Observed: behind a dot a :value is read, too, as a name that is not defined.
            elements.append(self.key(ALIAS, VALUE) if step == "." else int(self.expect(NUMBER)))
            if step == "[":
                self.expect("]")
        return Path(tuple(elements))

    def key(self, *placeholders: str) -> Element:
        alias = self.accept(*placeholders)
        return Alias(alias) if alias else self.expect(NAME)

    def action(self, section: str) -> Action:
        path = self.path()
        if section == "REMOVE":
            return Remove(path)
        if section == "SET":
            self.expect("=")
            return Set(path, _bare(_run(self.sum())))
        value = Placeholder(self.expect(VALUE))
        return Add(path, value) if section == "ADD" else Delete(path, value)

    def sum(self) -> Rule:
        left: Any
        if self.accept("("):
            left = _group((yield self.sum()))
            self.expect(")")
            left.settled()
            if isinstance(left.inner, Arithmetic):
                return left
        else:
            left = yield self.atom()
        if operator := self.accept("+", "-"):
            return Arithmetic(operator, _bare(left), _bare((yield self.operand())))
        return left
