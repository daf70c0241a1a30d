"""From what a query knows to its key conditions: which partitions, and which part of each.

Every field that a query is given ends up in a key. One that cannot is an error that says why:
nothing is ever turned into a filter. What a query is given holds for all that it finds, except
that a moment stands for its time bucket where the key tells no more. Where the sort key has the
moment too, nobody could say which of both is meant, so a moment alone is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from singletable.errors import UsageError
from singletable.model.keys import FieldKey, KeyAttribute, Keys, TemplateKey
from singletable.model.reads import Between, Comparison
from singletable.model.templates.spans import Span
from singletable.model.templates.starts import Start
from singletable.values import AttributeValue, Item

Compared = tuple[Comparison, tuple[Any, ...]] | None

_SPAN = Between(None, None)
OPERATORS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class Test(NamedTuple):
    """A condition on one key attribute."""

    attribute: str
    operator: str
    values: tuple[AttributeValue, ...]


def partitions(keys: Keys, known: Mapping[str, Any]) -> list[list[Item]]:
    """Give the partition keys of a query: groups that follow each other in the order of keys.

    Time buckets follow each other; the shards of a group lie side by side and are to be merged.
    """
    if not keys.pk:
        raise UsageError("A base without a partition key of its own has no partition to query")
    first = keys.pk[0]
    if not isinstance(first, TemplateKey):
        return [[{part.attribute: _equal(part, known) for part in keys.pk}]]
    start = start_of(first, known)
    if start.slot is None:  # one partition, as a rule
        return [[{first.attribute: {"S": start.text}}]]
    groups = _filled(start, known, first)
    return [[{first.attribute: {"S": text}} for text in group] for group in groups]


def start_of(part: TemplateKey, known: Mapping[str, Any]) -> Start:
    """Write the known beginning of a key; a span of values is not known yet."""
    for value in known.values():
        if type(value) is Between:
            known = {name: one for name, one in known.items() if type(one) is not Between}
            break
    return part.template.start(known)


def _filled(start: Start, known: Mapping[str, Any], part: KeyAttribute) -> Iterator[list[str]]:
    """Write the texts that the open slots of a partition key can have."""
    slot = start.slot
    if slot is None:
        yield [start.text]
    elif slot.is_bucket and isinstance(known.get(slot.field), Between):
        span = known[slot.field]
        for text in slot.buckets(span.low, span.high):
            yield from _filled(start.fill(text), known, part)
    elif slot.scatters:
        shards = [list(_filled(start.fill(text), known, part)) for text in slot.shards]
        for groups in zip(*shards, strict=True):
            yield [text for group in groups for text in group]
    else:
        raise UsageError(_needs(part, slot.field, known, bucket=slot.is_bucket))


def _needs(part: KeyAttribute, field: str, known: Mapping[str, Any], *, bucket: bool) -> str:
    template = part.template.where if isinstance(part, TemplateKey) else part.attribute
    if isinstance(known.get(field), Between):
        return f"{template}: {_no_span(field, known[field])}"
    hint = f" (a date, or {field}=between(low, high))" if bucket else ""
    return f"{template}: a query of this partition key has to know {field}{hint}"


def _no_span(field: str, span: Between) -> str:
    said = f"a query of this partition key has to know {field}, and not a span of it"
    if not isinstance(span.low, date):
        return said
    return f"{said}: {{{field}:%Y-%m-%d}} in the key makes it a bucket that a span can be asked of"


def _equal(part: KeyAttribute, known: Mapping[str, Any]) -> AttributeValue:
    for field in part.fields:
        if field not in known or isinstance(known[field], Between):
            raise UsageError(_needs(part, field, known, bucket=False))
    return part.build(known)


def sort_tests(
    keys: Keys,
    known: Mapping[str, Any],
    compared: Compared,
    given: Mapping[str, Any] | None = None,
) -> list[Test]:
    """Give the conditions on the sort key, and refuse what is given and of no use.

    ``given`` is what the caller knows, where more is known than that.
    """
    if keys.sk and isinstance(keys.sk[0], TemplateKey):
        tests, taken = _template_tests(keys.sk[0], known, compared)
    else:
        tests, taken = _field_tests(keys.sk, known, compared)
    for field, value in (known if given is None else given).items():
        if field not in taken:
            if field not in keys.told or type(value) is Between:
                _check_partition(keys, field, value, known)
        elif field in keys.doubtful and compared is None:
            _check_moment(keys, field, known)
    return tests


def _template_tests(
    part: TemplateKey, known: Mapping[str, Any], compared: Compared
) -> tuple[list[Test], frozenset[str]]:
    start = start_of(part, known)
    used, field = start.used, start.slot.field if start.slot else ""
    if isinstance(known.get(field), Between):
        compared = _spanned(field, known[field], compared)
        used |= {field}
    if compared is not None:
        return span_tests(part.attribute, start.compare(compared[0], *compared[1])), used
    return start_tests(part.attribute, start), used


def _spanned(field: str, span: Between, compared: Compared) -> tuple[Comparison, tuple[Any, ...]]:
    if compared is not None:
        raise UsageError(
            f"The query has {field}=between(...) and {compared[0]}(...): DynamoDB takes one "
            "comparison on the sort key"
        )
    return "between", (span.low, span.high)


def start_tests(attribute: str, start: Start) -> list[Test]:
    """Give the condition that a key attribute begins so; none where nothing of it is known."""
    if start.slot is None:
        return [Test(attribute, "=", ({"S": start.text},))]
    return [Test(attribute, "begins_with", ({"S": start.text},))] if start.text else []


def span_tests(attribute: str, span: Span) -> list[Test]:
    """Give the condition that a key attribute lies in a span; none where it has no ends."""
    if span.exact is not None:
        return [_test(attribute, "=", span.exact)]
    if span.prefix is not None:
        return [_test(attribute, "begins_with", span.prefix)]
    if span.low is not None and span.high is not None:
        return [_test(attribute, "BETWEEN", span.low, span.high)]
    if span.low is not None:
        return [_test(attribute, ">=", span.low)]
    return [_test(attribute, "<=", span.high)] if span.high is not None else []


def _test(attribute: str, operator: str, *texts: str) -> Test:
    return Test(attribute, operator, tuple([{"S": text} for text in texts]))


def _field_tests(
    parts: Sequence[KeyAttribute], known: Mapping[str, Any], compared: Compared
) -> tuple[list[Test], frozenset[str]]:
    """Give the conditions on sort attributes that are fields: from left to right, with no gap."""
    fields = [part for part in parts if isinstance(part, FieldKey)]
    tests: list[Test] = []
    for part in fields:
        value = known.get(part.field)
        if part.field not in known or isinstance(value, Between):
            compared = _spanned(part.field, value, compared) if value is not None else compared
            tests += [_compared_field(part, compared)] if compared else []
            break
        tests.append(Test(part.attribute, "=", (part.build(known),)))
    else:
        if compared:
            raise UsageError(f"The sort key has nothing left for {compared[0]}() to compare")
    return tests, frozenset(part.field for part in fields[: len(tests)])


def _compared_field(part: FieldKey, compared: tuple[Comparison, tuple[Any, ...]]) -> Test:
    match compared:
        case ("begins_with", (prefix,)):
            return Test(part.attribute, "begins_with", (part.opening(prefix),))
        case ("between", (low, high)):
            return Test(part.attribute, "BETWEEN", (part.first(low), part.last(high)))
        case (operator, (operand,)):
            value = part.first(operand) if operator in {"ge", "lt"} else part.last(operand)
            return Test(part.attribute, OPERATORS[operator], (value,))
    raise UsageError(f"{part.field}: {compared[0]} takes other operands than {compared[1]}")


def _check_partition(keys: Keys, field: str, value: Any, known: Mapping[str, Any]) -> None:
    """Refuse a field that the sort key does not take, unless the partition key says all of it."""
    slots = [slot for part in keys.pk for slot in part.slots if slot.field == field]
    if isinstance(value, Between) and any(slot.is_bucket for slot in slots):
        for slot in slots:  # with other ends than a bucket's, the partitions hold too much
            slot.first(value.low)
            slot.last(value.high)
    elif all(slot.scatters for slot in slots) and not _is_field(keys, field):
        raise UsageError(_useless(keys, field, known, scatters=bool(slots)))


def _check_moment(keys: Keys, field: str, known: Mapping[str, Any]) -> None:
    """Refuse a moment that could name its bucket, or be the only moment asked for."""
    fields = [one for part in keys.sk for one in part.fields]
    behind = fields[fields.index(field) + 1 :]
    if type(known[field]) is not Between and not any(one in known for one in behind):
        raise UsageError(
            f"A query of {keys.index.name or 'the table'} has {field} as a time bucket and, in its "
            f"sort key, as the moment itself: give {field} a date for all of a day, or "
            f"{field}=between(low, high) for a span, which may be of one moment"
        )


def _is_field(keys: Keys, field: str) -> bool:
    return any(isinstance(part, FieldKey) and part.field == field for part in keys.pk)


def _useless(keys: Keys, field: str, known: Mapping[str, Any], *, scatters: bool) -> str:
    order, name = ", ".join(keys.fields), keys.index.name or "the table"
    missing = [one for one in keys.fields if isinstance(known.get(one, _SPAN), Between)]
    if field not in keys.fields:
        return (
            f"A query of {name} has no use for {field}: its key is made of {order}. To leave out "
            "items after they were read, say filter()"
        )
    if isinstance(known[field], Between):
        return f"A query of {name} cannot use a span of {field}: its key is made of {order}"
    only = " for more than to choose a shard" if scatters else ""
    without = f" without {', '.join(missing)}" if missing else ""
    return (
        f"A query of {name} cannot use {field}{only}{without}: its key is made of {order}, and is "
        "known from the left"
    )
