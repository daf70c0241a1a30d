"""The contributor insights of tables and indexes: kept and described, no rule is ever run."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.descriptions import moment
from singletable.engine.schema import Document, Table
from singletable.engine.shapes import Integer
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import ResourceNotFoundException

from .control import change, find_table
from .registry import Answer, Request, operation

PAGE = 100
_TABLE = ""
"""Stands in the documents for the table itself, among the names of its indexes."""
_DEFAULT_MODE = "ACCESSED_AND_THROTTLED_KEYS"
_RULES = {
    "ACCESSED_AND_THROTTLED_KEYS": ("PKC", "SKC", "PKT", "SKT"),
    "THROTTLED_KEYS": ("PKT", "SKT"),
}
"""Partition and sort keys, consumed and throttled."""


@operation(
    "UpdateContributorInsights",
    TableName=m.TABLE_NAME.required,
    IndexName=m.INDEX_NAME,
    ContributorInsightsAction=t.CONTRIBUTOR_INSIGHTS_ACTION.required,
    ContributorInsightsMode=t.CONTRIBUTOR_INSIGHTS_MODE,
)
def update_contributor_insights(db: Database, request: Request) -> Answer:
    """Turn the insights of a table or index on or off."""
    enabled = request["ContributorInsightsAction"] == "ENABLE"
    mode = request.get("ContributorInsightsMode", _DEFAULT_MODE)
    index = request.get("IndexName", _TABLE)
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        _check_index(table, request)
        insights, wanted = _insights(table), {"Enabled": enabled, "Mode": mode}
        # What is so already goes on: LastUpdateDateTime is that of the last change.
        if not wanted.items() <= insights.get(index, {}).items():
            wanted["At"] = db.clock()
            change(db, tx, table, ContributorInsights={**insights, index: wanted})
    return _summary(table, index, mode) | {
        "ContributorInsightsStatus": "ENABLING" if enabled else "DISABLING"
    }


@operation("DescribeContributorInsights", TableName=m.TABLE_NAME.required, IndexName=m.INDEX_NAME)
def describe_contributor_insights(db: Database, request: Request) -> Answer:
    """Describe the insights of a table or index."""
    with db.storage.read() as tx:
        table = find_table(db, tx, request["TableName"])
    _check_index(table, request)
    index = request.get("IndexName", _TABLE)
    entry = _insights(table).get(index)
    if entry is None:
        return _summary(table, index) | {"ContributorInsightsStatus": "DISABLED"}
    return {
        **_summary(table, index, entry["Mode"]),
        "ContributorInsightsStatus": _status(entry),
        "ContributorInsightsRuleList": _rules(table, index, entry),
        "LastUpdateDateTime": moment(entry["At"]),
    }


@operation(
    "ListContributorInsights",
    TableName=m.TABLE_NAME,
    NextToken=m.STRING,
    MaxResults=Integer(max=PAGE),
)
def list_contributor_insights(db: Database, request: Request) -> Answer:
    """List the tables and indexes whose insights were ever turned on, page by page."""
    with db.storage.read() as tx:
        names = [request["TableName"]] if "TableName" in request else db.catalog.names(tx)
        tables = [find_table(db, tx, name) for name in names]
    summaries = [
        {**_summary(table, index, entry["Mode"]), "ContributorInsightsStatus": _status(entry)}
        for table in tables
        for index, entry in _insights(table).items()
    ]
    start, limit = request.get("NextToken", ""), max(request.get("MaxResults", PAGE), 1)
    rest = sorted((each for each in summaries if _token(each) > start), key=_token)
    answer: Answer = {"ContributorInsightsSummaries": rest[:limit]}
    if len(rest) > limit:
        answer["NextToken"] = _token(rest[limit - 1])
    return answer


def _token(summary: Answer) -> str:
    """Name a summary, so that the next page can begin behind it."""
    return f"{summary['TableName']}/{summary.get('IndexName', _TABLE)}"


def _insights(table: Table) -> Document:
    insights: Document = table.document.get("ContributorInsights", {})
    return insights


def _check_index(table: Table, request: Request) -> None:
    """Check that the index, if one is meant, is a global one: local ones have no insights."""
    name = request.get("IndexName")
    known = [index.name for index in table.indexes.values() if index.scope == "GSI"]
    if name is not None and name not in known:
        raise ResourceNotFoundException(
            f"Requested resource not found: Table: {table.name}, Index: {name} not found"
        )


def _status(entry: Document) -> str:
    return "ENABLED" if entry["Enabled"] else "DISABLED"


def _summary(table: Table, index: str, mode: str | None = None) -> Answer:
    summary = {"TableName": table.name}
    if index != _TABLE:
        summary["IndexName"] = index
    if mode is not None:
        summary["ContributorInsightsMode"] = mode
    return summary


def _rules(table: Table, index: str, entry: Document) -> list[str]:
    """Name the CloudWatch rules that the service would have made."""
    if not entry["Enabled"]:
        return []
    schema = table.indexes[index].schema if index != _TABLE else table.schema
    kinds = [kind for kind in _RULES[entry["Mode"]] if schema.range or kind.startswith("P")]
    suffix = f"{table.name}{'-' + index if index else ''}-{int(entry['At'] * 1000)}"
    return [f"DynamoDBContributorInsights-{kind}-{suffix}" for kind in kinds]
