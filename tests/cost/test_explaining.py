"""An explanation has the exact request, its bound, its price, and the reasons for its index."""

import json
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import UsageError
from singletable.cost import rendering
from singletable.cost.explaining import Explanation, explain
from singletable.cost.figures import Figures
from singletable.cost.traffic import Traffic
from singletable.store.tracing import trace
from tests.cost.designs import Faulty, Shop


def _explained(store: Any, name: str) -> Explanation:
    [made] = explain(Figures(store), name)
    return made


def test_the_request_is_the_exact_one_with_parameters_marked() -> None:
    made = _explained(Campaigns, "sessions")
    assert made.requests == (
        {
            "TableName": "rpg_sessions",
            "IndexName": "GSI1",
            "ScanIndexForward": False,
            "KeyConditionExpression": "#k0 = :k0",
            "ExpressionAttributeNames": {"#k0": "GSI1PK"},
            "ExpressionAttributeValues": {":k0": {"S": "USER#‹user_id›#CAMPAIGN#‹campaign_id›"}},
            "Limit": 20,
        },
    )


def test_a_read_of_many_entities_that_finds_nothing_is_explained_too() -> None:
    nothing = Traffic.of({"patterns": {"everything": {"items": 0}}})
    [made] = explain(Figures(Surveys, nothing), "everything")
    assert "for 0 items of " in made.capacity


@pytest.mark.parametrize("store", [Campaigns, Stories, Surveys, Shop])
def test_marks_change_nothing_but_values(store: Any) -> None:
    for made, traced in zip(explain(Figures(store)), trace(store), strict=True):
        for shown, sent in zip(made.requests, traced.requests, strict=True):
            assert shown.keys() == sent.keys()
            assert shown.get("KeyConditionExpression") == sent.get("KeyConditionExpression")


@pytest.mark.parametrize(
    ("store", "name", "values"),
    [
        (Campaigns, "recently_done", ["USER#‹user_id›#STATUS#COMPLETED", "‹since: 2026-01-31T"]),
        (Campaigns, "sessions_between", ["‹first: 2026-", "‹last: 2026-"]),
        (Surveys, "phrases", ["PHRASE#‹kind: Defect›#"]),
        (Surveys, "with_sync_status", ["TENANT#‹tenant_id›#STATUS#‹status: synced›"]),
        (Shop, "totals", ["CUSTOMER#‹customer_id›", "‹least: 00000002›"]),
        (Shop, "cheap", ["CUSTOMER#‹customer_id›", '"S": "‹before limit: 00000001›$"']),
        (Shop, "until", ['"S": "ORDER#‹before order_id›"']),
        (Shop, "placed", ["MONTH#2026-01", "‹first: 2026-01-01T", "‹last: 2026-01-31T23:59"]),
        (Shop, "noted", ["‹words›"]),
        (Shop, "dear", ["‹customer_id›", '"N": "‹least: 2›"', '"N": "‹worst: 3›"']),
    ],
)
def test_what_a_parameter_becomes_is_marked(store: Any, name: str, values: list[str]) -> None:
    shown = json.dumps(_explained(store, name).requests, ensure_ascii=False)
    assert [value for value in values if value not in shown] == []


@pytest.mark.parametrize(
    ("store", "name", "bound"),
    [
        (Shop, "customer", "always one"),
        (Shop, "customers", "one for each 100 keys"),
        (Shop, "order", "one, and another for each further 1 MB"),
        (Shop, "orders", "one for a page of 20 items"),
        (Shop, "totals", "one for a page of 1 MB"),
        (Shop, "sent", "4 side by side for a page of 20 items"),
        (Shop, "at_once", "always one, of at most 100 keys"),
        (Shop, "order_top", "one for at most 3 items"),
        (
            Shop,
            "placed",
            (
                "one for a page of 1 MB, and as many for each further bucket: 1 in this example, "
                "never more than 12 a page, and 1,000 buckets in all; then one BatchGetItem for "
                "each 100 items"
            ),
        ),
        (
            Shop,
            "everything",
            "one a page of 50 items; as many pages as there is to read: no bound for all of them",
        ),
    ],
)
def test_how_many_requests_a_call_may_make(store: Any, name: str, bound: str) -> None:
    assert _explained(store, name).bound == bound


def test_capacity_names_sizes_and_counts() -> None:
    assert _explained(Campaigns, "campaign").capacity == (
        "1 read unit a call for 1 Campaign of 342 bytes, strongly consistent"
    )
    assert _explained(Shop, "noted").capacity.endswith("what the filter leaves out is paid for too")
    assert _explained(Shop, "at_once").capacity.endswith(
        "as of one moment, for twice the price of a strong read"
    )
    assert "points at is counted in" in _explained(Shop, "placed").capacity
    assert "fetched from the table, is counted in" in _explained(Shop, "changed").capacity
    assert "100 items of 14 entities" in _explained(Surveys, "everything").capacity


def test_a_collection_names_the_sort_keys_of_all_that_it_reads() -> None:
    assert _explained(Campaigns, "session").why[1] == (
        "One range holds the sort keys 'SESSION#{campaign_id}#{session_id}' of Session, "
        "'SESSION#{campaign_id}#{session_id}#TRANSCRIPT' of Transcript and "
        "'SESSION#{campaign_id}#{session_id}#SUMMARY#{audience}' of Summary."
    )
    assert _explained(Surveys, "survey").why[1].startswith("One range holds the sort keys 'SURVEY#")


def test_why_that_index_and_no_other() -> None:
    why = _explained(Campaigns, "sessions").why
    assert why[0] == (
        "GSI1 (Session.by_campaign): user_id, campaign_id fill its partition key "
        "'USER#{user_id}#CAMPAIGN#{campaign_id}'."
    )
    assert "items come by created_at, session_id, the last first" in why[1]
    assert why[2] == (
        "Not the table: it would do as well, but gives the items in another order, by session_id, "
        "and among them Transcript, Summary, which would be read and paid for."
    )
    assert "needs status, which the pattern does not know" in why[3]


@pytest.mark.parametrize(
    ("store", "name", "reason"),
    [
        (Campaigns, "profile", "user_id makes the whole primary key of User."),
        (Campaigns, "campaign", "user_id, campaign_id make the whole primary key of Campaign."),
        (Campaigns, "recently_done", "status='COMPLETED'"),
        (Campaigns, "recently_done", "ge() bounds updated_at"),
        (Campaigns, "recently_done", "Not the table: its key does not hold status."),
        (Campaigns, "sessions_between", "goes on with session_id, which is not what between()"),
        (Stories, "stories_of", "author_id (from user_id) fills"),
        (Stories, "discover", "It holds only items whose status is 'PUBLISHED' or 'COMPLETED'."),
        (Stories, "discover", "_at from since to until fills"),
        (Surveys, "surveys_everywhere", "nothing has to be known for its partition key"),
        (Surveys, "surveys_everywhere", "(10 shards)"),
        (Surveys, "changed_since", "GSI4 (Owned.by_update)"),
        (Shop, "orders", "Not SOME (Order.by_total): it holds only a part of each item."),
        (Shop, "everything", "every item of the table is read"),
    ],
)
def test_reasons(store: Any, name: str, reason: str) -> None:
    assert reason in "\n".join(_explained(store, name).why)


def test_items_that_are_read_in_vain_are_named() -> None:
    made = _explained(Shop, "orders")
    assert (made.entities, made.also_reads) == (("Order",), ("Line",))
    assert "reads too  Line: in the same range" in rendering.text(made)


def test_an_unknown_pattern_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no access pattern 'orderz'; it has customer, "):
        explain(Figures(Shop), "orderz")


def test_markdown_has_the_request_as_json() -> None:
    shown = rendering.markdown(_explained(Campaigns, "profile"))
    block = shown.split("```json\n")[1].split("```")[0]
    assert json.loads(block)["Key"]["PK"] == {"S": "USER#‹user_id›"}
    assert "- **why:** user_id makes the whole primary key of User." in shown


@pytest.mark.parametrize("store", [Campaigns, Stories, Surveys, Shop, Faulty])
def test_the_data_of_every_explanation_is_json(store: Any) -> None:
    for made in explain(Figures(store)):
        assert json.loads(json.dumps(rendering.data(made)))["name"] == made.name
