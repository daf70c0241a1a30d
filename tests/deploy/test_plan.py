"""What is planned, before any format says it."""

import pytest

from apps.campaigns.design import Campaigns
from singletable import Store, Table
from singletable.deploy.deployment import Deployment, Provisioned, Range, Role
from singletable.deploy.plan import Plan
from singletable.errors import UsageError
from singletable.store.creation import create_request


def test_the_request_is_that_of_the_store() -> None:
    assert Plan.of(Campaigns).request == create_request(Campaigns.table, "rpg_sessions")


def test_capacity_that_cannot_move_is_not_scaled() -> None:
    fixed = Provisioned(read=Range(5, 5), write=Range(5, 9))
    plan = Plan.of(Campaigns, Deployment(billing="provisioned", capacity=fixed))
    assert {scaling.kind for scaling in plan.scalings()} == {"Write"}


def test_on_demand_has_nothing_to_scale_or_use_up() -> None:
    plan = Plan.of(Campaigns, Deployment(capacity=Provisioned(read=Range(5, 50))))
    assert list(plan.scalings()) == []
    assert not any("capacity" in alarm.name for alarm in plan.alarms())


def test_latency_is_watched_for_the_operations_that_the_store_sends() -> None:
    watched = [alarm.name for alarm in Plan.of(Campaigns).alarms() if "latency" in alarm.name]
    assert watched == [
        "BatchGetItem-latency",
        "BatchWriteItem-latency",
        "DeleteItem-latency",
        "GetItem-latency",
        "PutItem-latency",
        "Query-latency",
        "TransactWriteItems-latency",
        "UpdateItem-latency",
    ]


@pytest.mark.parametrize("names", [["by-a", "by_a"], ["ByA", "bya"], ["Table"]])
def test_indexes_that_a_template_would_call_alike_are_refused(names: list[str]) -> None:
    class Alike(Store, table=Table("alike", indexes=names)):
        """Has indexes and nothing else."""

    with pytest.raises(UsageError, match="would be called alike"):
        Plan.of(Alike)


def test_roles_that_a_template_would_call_alike_are_refused() -> None:
    roles = {"web-app": Role(), "web_app": Role(patterns=())}
    with pytest.raises(UsageError, match="The role web_app and web-app would be called alike"):
        Plan.of(Campaigns, Deployment(roles=roles))
