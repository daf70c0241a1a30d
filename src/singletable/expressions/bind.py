"""Bind a request's expressions to its names and values.

``bind`` reads the expressions of a request, checks them against ExpressionAttributeNames and
ExpressionAttributeValues in the service's order and words, and gives what the engine runs. What
depends only on the texts, the names and the types of the values is kept for the requests seen last,
so that a request like an earlier one costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from singletable.errors import ValidationException
from singletable.values import AttributeValue

from . import legacy
from .bound import NOTHING, Bound, Plan
from .key_conditions import KeyTests
from .parser import parse_condition, parse_projection, parse_update
from .placeholders import (
    NAMES,
    VALUES,
    check_keys,
    check_names,
    check_sizes,
    check_used,
    normalized,
)
from .recent import Recent
from .resolve import Resolver, contents_fit
from .tree import Node, Values
from .words import check_sections, check_words

Request = Mapping[str, Any]

# In the order in which the service looks at them.
PARAMETERS = (
    "UpdateExpression",
    "ConditionExpression",
    "FilterExpression",
    "ProjectionExpression",
    "KeyConditionExpression",
)
_SHOWN_ORDER = ("ProjectionExpression", *(p for p in PARAMETERS if p != "ProjectionExpression"))


def bind(request: Request, *parameters: str) -> Bound:
    """Read and check those of the request's expressions that its operation has.

    Legacy parameters of the request are read into the same forms.
    """
    texts = tuple(map(request.get, parameters))
    old = not _LEGACY.isdisjoint(request)
    if old:
        _check_unmixed(request, parameters)
    if texts.count(None) < len(texts):
        bound = _bind_texts(request, parameters, texts)
    else:
        if NAMES in request or VALUES in request:
            _check_no_placeholders(request, parameters)
        bound = NOTHING
    return bound.joined(legacy.read(request).bound({})) if old else bound


def check_mixture(request: Request, *parameters: str) -> None:
    """Refuse parameters that do not go together: the first thing that ``bind`` does."""
    _check_unmixed(request, parameters)
    if all(request.get(parameter) is None for parameter in parameters):
        _check_no_placeholders(request, parameters)


def _bind_texts(
    request: Request, parameters: tuple[str, ...], texts: tuple[str | None, ...]
) -> Bound:
    names, given = request.get(NAMES), request.get(VALUES)
    values: dict[str, AttributeValue] = {}
    if given:
        try:
            values = normalized(given, names or {})
        except ValidationException:
            check_keys(names, given)
            raise
    key = (
        parameters,
        texts,
        None if names is None else tuple(names.items()),
        None if given is None else (*values, *map(tuple, values.values())),
    )
    plan = _PLANS.get(key)
    if plan is None or (plan.contents and not _contents_fit(plan, values)):
        _check_placeholders(request, parameters)
        check_sizes(names or {}, values)
        plan = _plan(request, parameters, values)
        _PLANS.keep(key, plan, _size(texts, names or {}))
    return plan.bound(values)


_PLANS: Recent[Plan] = Recent()


def _contents_fit(plan: Plan, values: Values) -> bool:
    return all(contents_fit(node, values) for node in plan.contents)


def _size(texts: Iterable[str | None], names: Mapping[str, str]) -> int:
    return sum(len(text) for text in (*texts, *names, *names.values()) if text)


def _plan(request: Request, parameters: tuple[str, ...], values: Values) -> Plan:
    """Read the expressions and check them, in the service's order."""
    names = request.get(NAMES) or {}
    resolver = Resolver(names, values, request.get(VALUES) or {})
    parsed: list[Node] = []
    resolved: dict[str, Any] = {}
    for parameter in PARAMETERS:
        text = request.get(parameter) if parameter in parameters else None
        if text is not None:
            with _named(parameter):
                tree = parse(parameter, text)
                resolved[parameter] = resolver.resolve(tree)
            parsed.append(tree)
    check_used(names, values, parsed)
    key_condition = resolved.get("KeyConditionExpression")
    return Plan.of(
        update=resolved.get("UpdateExpression"),
        condition=resolved.get("ConditionExpression"),
        filter=resolved.get("FilterExpression"),
        projection=resolved.get("ProjectionExpression"),
        key_tests=key_condition and KeyTests(key_condition),
        contents=tuple(resolver.contents),
    )


@lru_cache(maxsize=256)
def parse(parameter: str, text: str) -> Node:
    """Read an expression and check its words; names and values stay placeholders."""
    tree: Node
    if parameter == "UpdateExpression":
        tree, sections = parse_update(text)
        check_words(tree)
        check_sections(sections)
        return tree
    tree = (parse_projection if parameter == "ProjectionExpression" else parse_condition)(text)
    check_words(tree)
    return tree


@contextmanager
def _named(parameter: str) -> Iterator[None]:
    try:
        yield
    except ValidationException as fault:
        raise ValidationException(f"Invalid {parameter}: {fault.message}") from None


def _check_placeholders(request: Request, parameters: tuple[str, ...]) -> None:
    if request.get(VALUES):
        _check_values_wanted(request, parameters)
    check_keys(request.get(NAMES), request.get(VALUES))
    check_names(request.get(NAMES) or {})


def _check_no_placeholders(request: Request, parameters: tuple[str, ...]) -> None:
    """Refuse names and values where there is no expression to use them."""
    if request.get(NAMES):
        raise ValidationException(f"{NAMES} can only be specified when using expressions")
    if request.get(VALUES):
        _check_values_wanted(request, parameters)


def _check_values_wanted(request: Request, parameters: tuple[str, ...]) -> None:
    takers = [p for p in PARAMETERS if p in parameters and p != "ProjectionExpression"]
    if takers and all(request.get(taker) is None for taker in takers):
        verb = "are" if len(takers) > 1 else "is"
        raise ValidationException(
            f"{VALUES} can only be specified when using expressions: "
            f"{' and '.join(takers)} {verb} null"
        )


_LEGACY = frozenset(legacy.PARAMETERS)


def _check_unmixed(request: Request, parameters: tuple[str, ...]) -> None:
    """Refuse legacy parameters beside expressions; KeyConditions only bars its own successor.

    Observed: an empty expression does not count, and is refused as that.
    """
    new = [p for p in _SHOWN_ORDER if p in parameters and request.get(p)]
    old = [p for p in legacy.PARAMETERS if request.get(p)]
    if "KeyConditions" in old and "KeyConditionExpression" not in new:
        old.remove("KeyConditions")
    if old and new:
        raise ValidationException(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(old)}}} "
            f"Expression parameters: {{{', '.join(new)}}}"
        )
