"""From descriptions of reads to DynamoDB requests: the plan of a read.

A plan is one request, or a stated number of them: a group of partitions that are read side by side
and merged (shards), and groups that follow each other (time buckets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from singletable.errors import UsageError
from singletable.expressions import encode as encode_expressions
from singletable.model.keys import Keys, TemplateKey
from singletable.model.paging import Paged
from singletable.model.projections import projected_fields
from singletable.model.reads import Between, Collection, Get, Query, Scan
from singletable.model.schema import Schema
from singletable.model.templates.spans import Span
from singletable.values import AttributeValue, Item

from .copies import of_first_copies
from .key_conditions import Test, partitions, sort_tests, span_tests, start_of
from .key_expressions import key_expression
from .narrowing import Clause, narrow, of_family, unexpired
from .projecting import held_by, key_attributes, projection, whole

Request = dict[str, Any]

GROUPS_MAX = 12
"""How many time buckets a page goes through, full or not: a year of months, half a day of hours.

Without a bound a page of a quiet span would ask a thousand buckets, one after another, and whoever
waits for it could not stop it.
"""


class Plan(NamedTuple):
    """What a query comes to: a request without its partition, and the partitions."""

    operation: str
    base: Request
    tests: tuple[Test, ...]
    groups: tuple[tuple[Item, ...], ...]
    keys: Keys
    schema: Schema
    forward: bool = True
    page_size: int | None = None
    pattern: str | None = None
    names: Mapping[str, str] = MappingProxyType({})
    values: Mapping[str, AttributeValue] = MappingProxyType({})

    @property
    def is_single(self) -> bool:
        """Tell whether the plan is one request."""
        return len(self.groups) == 1 and len(self.groups[0]) == 1

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """Name what says where an item is: the keys of the index and of the table."""
        return key_attributes(self.keys, self.schema)

    def request(self, partition: Item, start: Item | None = None) -> Request:
        """Give the request for one of the partitions, from a position on."""
        condition = key_expression(partition, self.tests, self.names, self.values)
        request = {**self.base, **condition}
        if start is not None:
            request["ExclusiveStartKey"] = start
        if self.page_size is not None:
            request["Limit"] = self.page_size
        return request

    def first_requests(self) -> list[Request]:
        """Give the requests that the first page sends at most."""
        groups = self.groups[:GROUPS_MAX]
        return [self.request(partition) for group in groups for partition in group]

    def identity(self) -> Request:
        """Give the request of the first page, which cursors are bound to; of all parts, if many."""
        if self.is_single:
            return self.request(self.groups[0][0])
        return {**self.request(self.groups[0][0]), "Partitions": self.groups}


def plan_query(query: Query[Any], table_name: str) -> Plan:
    """Plan a query."""
    base, names, values = _source(query, table_name)
    names |= _select(query, base)
    return _planned(query, base, names, values)


def _planned(query: Query[Any], base: Request, names: dict[str, str], values: Item) -> Plan:
    known = of_first_copies((query.schema,), query.known)
    tests = sort_tests(query.keys, known, query.comparison, query.known)
    return Plan(
        "Query",
        base if query.forward else {**base, "ScanIndexForward": False},
        tuple(tests),
        _ordered(partitions(query.keys, known), forward=query.forward),
        query.keys,
        query.schema,
        query.forward,
        query.page_max,
        query.pattern,
        names,
        values,
    )


def _ordered(groups: list[list[Item]], *, forward: bool) -> tuple[tuple[Item, ...], ...]:
    return tuple(map(tuple, groups if forward else reversed(groups)))


def plan_count(query: Query[Any], table_name: str, at: datetime) -> Plan:
    """Plan the count of what a query gives: of its types, and not expired."""
    base, names, values = _source(query, table_name)
    clauses = _clauses(query, of_family(query.schema), unexpired(query.schema.table, at))
    names, values = narrow(base, clauses, names, values)
    return _planned(query.but(page_size=None, most=None), *_tallied(query, base, names), values)


def plan_collection(collection: Collection[Any], table_name: str) -> Plan:
    """Plan the read of a collection: the smallest part of the partition that holds the view."""
    view = collection.view
    keys = [view.keys(schema) for schema in view.entities]
    _check_known(collection, keys)
    known = of_first_copies(view.entities, collection.known)
    spans = [_span(one, known) for one in keys]
    sk = keys[0].index.sk
    base = _base(table_name, keys[0], consistent=collection.consistent)
    for schema, one in zip(view.entities, keys, strict=True):
        base |= whole(schema, one)
    return Plan(
        "Query",
        base if collection.forward else {**base, "ScanIndexForward": False},
        tuple(span_tests(sk[0], Span.cover(spans))) if sk else (),
        _ordered(_same_partitions(collection, keys, known), forward=collection.forward),
        keys[0],
        view.entities[0],
        collection.forward,
        collection.page_size,
        collection.pattern,
    )


def plan_scan(scan: Scan[Any], table_name: str) -> Request:
    """Give the request of a scan, but for its segment and position."""
    base, names, values = _source(scan, table_name)
    names |= _select(scan, base)
    return _scanned(base, names, _clauses(scan, of_family(scan.schema)), values)


def plan_scan_count(scan: Scan[Any], table_name: str, at: datetime) -> Request:
    """Give the request of the count of a scan: of items that have not expired."""
    base, names, values = _source(scan, table_name)
    clauses = _clauses(scan, of_family(scan.schema), unexpired(scan.schema.table, at))
    return _scanned(*_tallied(scan, base, names), clauses, values)


def _tallied(
    read: Paged[Any], base: Request, names: dict[str, str]
) -> tuple[Request, dict[str, str]]:
    """Have items counted by the service; keys given where copies must be told from each other."""
    if not any(schema.copies for schema in read.schema.family.values()):
        return {**base, "Select": "COUNT"}, names
    keys = {f"#c{at}": name for at, name in enumerate(read.schema.table.primary.attributes)}
    return {**base, "ProjectionExpression": ", ".join(keys)}, names | keys


def _clauses(read: Paged[Any], *clauses: Clause) -> list[Clause]:
    """Leave out what DynamoDB takes in no filter: what an index lacks, and a query's own keys."""
    held = held_by(read.keys, read.schema)
    keys = read.keys.index.attributes if isinstance(read, Query) else ()
    return [
        clause
        for clause in clauses
        if (held is None or clause.attribute in held) and clause.attribute not in keys
    ]


def _scanned(base: Request, names: dict[str, str], clauses: list[Clause], values: Item) -> Request:
    names, values = narrow(base, clauses, names, values)
    used = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    return {**base, **{member: content for member, content in used.items() if content}}


def plan_get(get: Get[Any], table_name: str, copy: int = 0) -> Request:
    """Give the request for one item."""
    schema = get.key.schema
    request: Request = {"TableName": table_name, "Key": schema.item_key(get.key.fields, copy)}
    if get.consistent:
        request["ConsistentRead"] = True
    if get.shape is not None:
        made, names = projection(schema, get.shape, schema.keys)
        request |= {**made, "ExpressionAttributeNames": names} if names else {}
    return request


def _base(table_name: str, keys: Keys, *, consistent: bool) -> Request:
    base: Request = {"TableName": table_name}
    if keys.index.name is not None:
        base["IndexName"] = keys.index.name
    if consistent:
        base["ConsistentRead"] = True
    return base


def _source(read: Paged[Any], table_name: str) -> tuple[Request, dict[str, str], Item]:
    """Give what queries and scans share: where they read, and what they filter."""
    base = _base(table_name, read.keys, consistent=read.consistent)
    names: dict[str, str] = {}
    values: Item = {}
    if read.condition is not None:
        made = encode_expressions({"FilterExpression": read.condition.resolve(read.schema)})
        names |= made.pop("ExpressionAttributeNames", {})
        values |= made.pop("ExpressionAttributeValues", {})
        base |= made
    return base, names, values


def _select(read: Paged[Any], base: Request) -> dict[str, str]:
    """Have a request give the attributes that are asked for; give the names that this uses."""
    if isinstance(read, Query) and read.fetches:
        schema, _ = read.fetches
        if read.shape is not None:
            projected_fields(read.shape, schema)
        base |= whole(read.schema, read.keys) if schema is not read.schema else {}
        return {}
    if read.shape is None:
        base |= whole(read.schema, read.keys)
        return {}
    made, names = projection(read.schema, read.shape, read.keys)
    base |= made
    return names


def _check_known(collection: Collection[Any], keys: Sequence[Keys]) -> None:
    """Refuse what is known and would not narrow the query."""
    used = {field for one in keys for field in one.fields}
    for field, value in collection.known.items():
        if isinstance(value, Between):
            raise UsageError(f"{collection.view.shape.__name__}: {field} takes one value, no span")
        if field not in used:
            raise UsageError(
                f"{collection.view.shape.__name__}: {field} is in no key of its items, which are "
                f"made of {', '.join(sorted(used))}"
            )


def _span(keys: Keys, known: Mapping[str, Any]) -> Span:
    if not keys.sk:
        return Span()
    part = keys.sk[0]
    return start_of(part, known).span() if isinstance(part, TemplateKey) else Span()


def _same_partitions(
    collection: Collection[Any], keys: Sequence[Keys], known: Mapping[str, Any]
) -> list[list[Item]]:
    found = [partitions(one, known) for one in keys]
    for schema, other in zip(collection.view.entities, found, strict=True):
        if other != found[0]:
            first = collection.view.entities[0].name
            raise UsageError(
                f"{collection.view.shape.__name__} cannot be read by one query: {schema.name} and "
                f"{first} lie in different partitions, {other} and {found[0]}"
            )
    return found[0]
