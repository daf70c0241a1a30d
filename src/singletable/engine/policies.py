"""IAM policies: whether an access is allowed, decided and worded as AWS does.

A document is read once, with the policy variables of one principal, and refused if it holds
anything that would be passed over here. Accounts and regions of ARNs are not compared, so that a
policy for production can be tried as it is: the engine stands for the place it is made for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from singletable.errors import AccessDeniedException, UsageError

from .accesses import Access
from .arns import ACCOUNT

Document = Mapping[str, Any]
Variables = Mapping[str, str]
Values = tuple[str, ...]

NOBODY = f"arn:aws:iam::{ACCOUNT}:user/local"
PREFIX = "dynamodb:"
VERSION = "2012-10-17"
"""The version of the language that has variables."""
_ELEMENTS = frozenset(
    {"Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition"}
)
_TOKEN = re.compile(r"\$\{([^{}]*)\}|([*?])")
_ARN = re.compile(r"arn:[^:]*:dynamodb:[^:]*:[^:]*:(.*)", re.DOTALL)


class Policy:
    """Decides on accesses by one or more documents, for one principal.

    ``variables`` are what the principal brings: ``{"aws:PrincipalTag/tenant": "t1"}``. They fill
    policy variables, and are condition keys themselves; ``aws:PrincipalArn`` is who is refused.
    """

    def __init__(self, documents: Document | Iterable[Document], variables: Variables) -> None:
        if isinstance(documents, str | bytes):
            raise UsageError("An IAM policy is an object, not text: json.loads() makes one of it")
        several = [documents] if isinstance(documents, Mapping) else list(documents)
        self._brought = {name.lower(): (value,) for name, value in variables.items()}
        self._principal = variables.get("aws:PrincipalArn", NOBODY)
        self._statements = [
            Statement.read(statement, _Texts(variables, document))
            for document in several
            for statement in _statements(document)
        ]

    def check(self, access: Access) -> None:
        """Raise ``AccessDeniedException`` unless a statement allows the access and none denies."""
        context = self._brought | {
            f"{PREFIX}{name}".lower(): values for name, values in access.context.items()
        }
        effects = {each.effect for each in self._statements if each.covers(access, context)}
        if "Deny" in effects:
            self._refuse(access, "with an explicit deny in an identity-based policy")
        if "Allow" not in effects:
            reason = f"because no identity-based policy allows the {PREFIX}{access.action} action"
            self._refuse(access, reason)

    def _refuse(self, access: Access, reason: str) -> NoReturn:
        raise AccessDeniedException(
            f"User: {self._principal} is not authorized to perform: {PREFIX}{access.action} on "
            f"resource: {access.resource} {reason}"
        )


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a policy, with its variables filled in."""

    effect: str
    actions: Patterns
    resources: Patterns
    conditions: tuple[Condition, ...]

    @classmethod
    def read(cls, statement: Document, texts: _Texts) -> Statement:
        """Read a statement; refuse one that could not be enforced as it is written."""
        if unknown := set(statement) - _ELEMENTS:
            raise _fault(statement, f"{', '.join(sorted(unknown))} cannot be enforced here")
        if statement.get("Effect") not in {"Allow", "Deny"}:
            raise _fault(statement, "its Effect is neither Allow nor Deny")
        conditions = statement.get("Condition", {})
        if not isinstance(conditions, Mapping) or not all(
            isinstance(keys, Mapping) for keys in conditions.values()
        ):
            raise _fault(statement, "its Condition is no object of operators, each with keys")
        plain = _Texts({}, {})
        return cls(
            statement["Effect"],
            Patterns.read(statement, "Action", lambda text: plain.like(text, re.IGNORECASE)),
            Patterns.read(statement, "Resource", lambda text: texts.like(_path(text))),
            tuple(
                Condition.read(statement, operator, key, _values(statement, key, wanted), texts)
                for operator, keys in conditions.items()
                for key, wanted in keys.items()
            ),
        )

    def covers(self, access: Access, context: Mapping[str, Values]) -> bool:
        """Tell whether the statement is about an access."""
        return (
            self.actions.match(PREFIX + access.action)
            and self.resources.match(_path(access.resource))
            and all(each.holds(context) for each in self.conditions)
        )


@dataclass(frozen=True, slots=True)
class Patterns:
    """Texts with wildcards, of which one has to match, or none if they are negated."""

    patterns: tuple[re.Pattern[str] | None, ...]
    negated: bool

    @classmethod
    def read(
        cls, statement: Document, name: str, compiled: Callable[[str], re.Pattern[str] | None]
    ) -> Patterns:
        """Read ``Action`` or ``Resource``, or its opposite."""
        given = [each for each in (name, f"Not{name}") if each in statement]
        if len(given) != 1:
            raise _fault(statement, f"it needs either {name} or Not{name}")
        (found,) = given
        texts = _values(statement, found, statement[found])
        return cls(tuple(map(compiled, texts)), found != name)

    def match(self, text: str) -> bool:
        """Tell whether the text is meant."""
        return any(each and each.fullmatch(text) for each in self.patterns) != self.negated


@dataclass(frozen=True, slots=True)
class Condition:
    """What a statement demands of the values of one condition key."""

    key: str
    quantifier: str | None
    negated: bool
    if_exists: bool
    wanted: tuple[re.Pattern[str] | None, ...]
    absent: bool | None = None
    """Whether the key must not be there; None where its values are compared."""

    @classmethod
    def read(
        cls, statement: Document, operator: str, key: str, wanted: Values, texts: _Texts
    ) -> Condition:
        """Read one line of a condition."""
        quantifier, _, name = operator.rpartition(":")
        if_exists = name.endswith("IfExists")
        name = name.removesuffix("IfExists")
        if quantifier not in {"", "ForAllValues", "ForAnyValue"}:
            raise _fault(statement, f"{operator} is no operator")
        if name == "Null":
            absent = wanted[0].lower() == "true"
            return cls(key.lower(), None, negated=False, if_exists=False, wanted=(), absent=absent)
        if name not in texts.compilers:
            known = ", ".join([*texts.compilers, "Null"])
            raise _fault(statement, f"{operator} cannot be enforced here; there are {known}")
        compiled = tuple(map(texts.compilers[name], wanted))
        return cls(key.lower(), quantifier or None, "Not" in name, if_exists, compiled)

    def holds(self, context: Mapping[str, Values]) -> bool:
        """Tell whether the condition holds of the keys that a request has."""
        values = context.get(self.key, ())
        if self.absent is not None:
            return self.absent != bool(values)
        if not values:  # AWS: all of nothing is true, and what is not there differs
            return self.if_exists or self.quantifier == "ForAllValues" or self._of_nothing()
        results = (self._agrees(value) for value in values)
        return any(results) if self.quantifier == "ForAnyValue" else all(results)

    def _of_nothing(self) -> bool:
        return self.negated and self.quantifier is None

    def _agrees(self, value: str) -> bool:
        return any(each and each.fullmatch(value) for each in self.wanted) != self.negated


class _Texts:
    """Compiles the texts of a document, with the variables that it may use."""

    def __init__(self, variables: Variables, document: Document) -> None:
        self._variables = {name.lower(): value for name, value in variables.items()}
        self._known = document.get("Version") == VERSION
        nocase = re.IGNORECASE
        self.compilers: dict[str, Callable[[str], re.Pattern[str] | None]] = {
            "StringEquals": self.equal,
            "StringNotEquals": self.equal,
            "StringEqualsIgnoreCase": lambda text: self.equal(text, nocase),
            "StringNotEqualsIgnoreCase": lambda text: self.equal(text, nocase),
            "StringLike": self.like,
            "StringNotLike": self.like,
            "Bool": lambda text: self.equal(text, nocase),
        }

    def equal(self, text: str, flags: int = 0) -> re.Pattern[str] | None:
        """Compile a text that is meant as it is; None if a variable has no value."""
        return self._compiled(text, {}, flags)

    def like(self, text: str, flags: int = 0) -> re.Pattern[str] | None:
        """Compile a text with wildcards; None if a variable has no value."""
        return self._compiled(text, {"*": ".*", "?": "."}, flags)

    def _compiled(self, text: str, wild: Mapping[str, str], flags: int) -> re.Pattern[str] | None:
        parts = []
        end = 0
        for token in _TOKEN.finditer(text):
            parts.append(re.escape(text[end : token.start()]))
            end = token.end()
            if token[2]:
                parts.append(wild.get(token[2], re.escape(token[2])))
                continue
            value = self._value(token[1]) if self._known else token[0]
            if value is None:
                return None
            parts.append(re.escape(value))
        parts.append(re.escape(text[end:]))
        return re.compile("".join(parts), re.DOTALL | flags)

    def _value(self, variable: str) -> str | None:
        """Give the value of a variable, its default, or the character that it stands for."""
        if variable in {"*", "?", "$"}:
            return variable
        name, comma, default = variable.partition(",")
        value = self._variables.get(name.strip().lower())
        return default.strip().strip("'") if value is None and comma else value


def _statements(document: Document) -> Iterator[Document]:
    if unknown := set(document) - {"Version", "Id", "Statement"}:
        raise UsageError(f"An IAM policy has no {', '.join(sorted(map(str, unknown)))}")
    if "Statement" not in document:
        raise UsageError("An IAM policy needs a Statement")
    statements = document["Statement"]
    several = [statements] if isinstance(statements, Mapping) else statements
    if not isinstance(several, list) or not all(isinstance(one, Mapping) for one in several):
        raise UsageError("The Statement of an IAM policy is an object, or a list of objects")
    yield from several


def _values(statement: Document, name: str, given: Any) -> Values:
    """Give one or several values as texts; JSON's true is IAM's "true"."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not several:
        raise _fault(statement, f"its {name} has no value")
    return tuple(str(each).lower() if isinstance(each, bool) else str(each) for each in several)


def _path(arn: str) -> str:
    """Leave partition, region and account out of an ARN of DynamoDB's."""
    found = _ARN.fullmatch(arn)
    return found[1] if found else arn


def _fault(statement: Document, fault: str) -> UsageError:
    return UsageError(f"The policy's statement {statement.get('Sid', dict(statement))}: {fault}")
