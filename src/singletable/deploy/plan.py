"""What is to be there, before any format says it: the table, its scaling and its alarms.

The request that would create the table is the truth about it; here stands what is around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from singletable.errors import UsageError
from singletable.store.creation import create_request
from singletable.store.store import Store

from .access import operations_of
from .deployment import Alarms, Deployment, Range
from .iam import policy_of

Kind = Literal["Read", "Write"]
KINDS: tuple[Kind, ...] = ("Read", "Write")
MINUTE_S = 60
PROVISIONED_S = 300
"""How often DynamoDB tells what is provisioned."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Auto scaling of one kind of capacity of the table (None) or of an index."""

    index: str | None
    kind: Kind
    range: Range

    @property
    def place(self) -> str:
        """Name what is scaled, behind the name of the table."""
        return f"/index/{self.index}" if self.index else ""

    @property
    def dimension(self) -> str:
        """Name what is scaled as Application Auto Scaling does."""
        return f"dynamodb:{'index' if self.index else 'table'}:{self.kind}CapacityUnits"

    @property
    def metric(self) -> str:
        """Name the metric that it goes by."""
        return f"DynamoDB{self.kind}CapacityUtilization"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of DynamoDB, of the table or of an index or operation of it."""

    name: str
    statistic: str
    index: str | None = None
    operation: str | None = None

    @property
    def is_percentile(self) -> bool:
        """Tell whether its statistic is one of those that CloudWatch calls extended."""
        return self.statistic.startswith("p")

    def dimensions(self, table: Any) -> dict[str, Any]:
        """Give its dimensions, with what names the table in a format."""
        index = {"GlobalSecondaryIndexName": self.index} if self.index else {}
        operation = {"Operation": self.operation} if self.operation else {}
        return {"TableName": table, **index, **operation}


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm on a metric, or on an expression in which the metrics are m0, m1 and so on."""

    name: str
    description: str
    metrics: tuple[Metric, ...]
    threshold: float
    expression: str | None = None
    minutes: int = 1
    period_s: int = MINUTE_S

    @property
    def periods(self) -> int:
        """Give how many periods in a row must be above the threshold."""
        return -(-self.minutes * MINUTE_S // self.period_s)


@dataclass(frozen=True)
class Plan:
    """All that belongs to the table of a store's design."""

    store: type[Store]
    deployment: Deployment
    request: dict[str, Any]
    """CreateTable's, with the capacity that the deployment provides."""
    ttl: str | None

    @classmethod
    def of(cls, store: type[Store], deployment: Deployment | None = None) -> Plan:
        """Plan the deployment of a store."""
        deployment, table = deployment or Deployment(), store.table
        _check_indexes(store, deployment)
        _check_alike("role", deployment.roles, {})
        request = create_request(table, deployment.table_name or table.name)
        if deployment.is_provisioned:
            _provide(request, deployment)
        expires = any(schema.expiry_field for schema in table.entities.values())
        return cls(store, deployment, request, table.ttl if expires else None)

    @property
    def table_name(self) -> str:
        """Name the table."""
        return str(self.request["TableName"])

    @property
    def global_indexes(self) -> tuple[str, ...]:
        """Name the indexes with a capacity of their own."""
        return tuple(each["IndexName"] for each in self.request.get("GlobalSecondaryIndexes", ()))

    @property
    def places(self) -> tuple[str | None, ...]:
        """Give what has capacity: the table, as None, and each global index."""
        return (None, *self.global_indexes)

    def scalings(self) -> Iterator[Scaling]:
        """Give the auto scaling that there should be."""
        for place in self.places if self.deployment.is_provisioned else ():
            ranges = self.deployment.capacity.of(place)
            for kind, range_ in zip(KINDS, ranges, strict=True):
                if range_.min < range_.max:
                    yield Scaling(place, kind, range_)

    def alarms(self) -> Iterator[Alarm]:
        """Give the alarms that there should be."""
        alarms = self.deployment.alarms
        if alarms is False:
            return
        operations = operations_of(self.store)
        yield from (_throttles(place, kind) for place in self.places for kind in KINDS)
        yield _errors(operations)
        yield from (_latency(operation, alarms) for operation in operations)
        if self.deployment.is_provisioned:
            yield from (_used(place, kind, alarms) for place in self.places for kind in KINDS)

    def findings(self) -> Iterator[str]:
        """Say what the policies of the deployment's roles cannot allow or prevent."""
        for name, role in self.deployment.roles.items():
            policy = policy_of(self.store, role, str)
            yield from (f"{name}: {finding}" for finding in policy.findings)


def _check_indexes(store: type[Store], deployment: Deployment) -> None:
    known = [name for name, index in store.table.indexes.items() if not index.local]
    for name in deployment.capacity.indexes:
        if name not in known:
            raise UsageError(
                f"capacity.indexes.{name}: the table has no such global index; it has "
                f"{', '.join(known) or 'none'}"
            )
    _check_alike("index", known, {"table": "the table"})


def _check_alike(what: str, names: Iterable[str], taken: dict[str, str]) -> None:
    """Refuse names that are one without their marks: a template would have the last alone."""
    for name in names:
        other = taken.setdefault(re.sub(r"[^a-z0-9]", "", name.lower()), name)
        if other != name:
            raise UsageError(
                f"The {what} {name} and {other} would be called alike in a template, whose names "
                f"have letters and digits alone: give the {what} another name"
            )


def _provide(request: dict[str, Any], deployment: Deployment) -> None:
    request["BillingMode"] = "PROVISIONED"
    for place in (request, *request.get("GlobalSecondaryIndexes", ())):
        read, write = deployment.capacity.of(place.get("IndexName"))
        units = {"ReadCapacityUnits": read.min, "WriteCapacityUnits": write.min}
        place["ProvisionedThroughput"] = units


def _of(place: str | None) -> str:
    return f"the index {place}" if place else "the table"


def _named(place: str | None, name: str) -> str:
    return f"{place}-{name}" if place else name


def _throttles(place: str | None, kind: Kind) -> Alarm:
    return Alarm(
        _named(place, f"{kind.lower()}-throttles"),
        f"{kind}s of {_of(place)} are throttled: a hot partition, or too little capacity.",
        (Metric(f"{kind}ThrottleEvents", "Sum", place),),
        threshold=1,
    )


def _errors(operations: tuple[str, ...]) -> Alarm:
    return Alarm(
        "system-errors",
        "DynamoDB fails to answer requests.",
        tuple(Metric("SystemErrors", "Sum", operation=each) for each in operations),
        threshold=1,
        expression="SUM(METRICS())",
    )


def _latency(operation: str, alarms: Alarms) -> Alarm:
    return Alarm(
        f"{operation}-latency",
        f"One {operation} in a hundred takes longer than {alarms.latency_ms} ms inside DynamoDB.",
        (Metric("SuccessfulRequestLatency", "p99", operation=operation),),
        threshold=alarms.latency_ms,
        minutes=alarms.minutes,
    )


def _used(place: str | None, kind: Kind, alarms: Alarms) -> Alarm:
    consumed = Metric(f"Consumed{kind}CapacityUnits", "Sum", place)
    provided = Metric(f"Provisioned{kind}CapacityUnits", "Average", place)
    return Alarm(
        _named(place, f"{kind.lower()}-capacity"),
        f"Over {alarms.used_percent} % of the {kind.lower()} capacity of {_of(place)} is used.",
        (consumed, provided),
        threshold=alarms.used_percent,
        expression="100 * m0 / PERIOD(m0) / m1",
        minutes=alarms.minutes,
        period_s=PROVISIONED_S,
    )
