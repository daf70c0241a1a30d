"""What is answered about the account, and about what is not here."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from singletable.errors import (
    ExportNotFoundException,
    GlobalTableNotFoundException,
    ImportNotFoundException,
    UnknownOperationException,
)
from tests.engine.support import create

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/things/export/01234567890123-a1b2c3d4"


def test_limits_are_a_new_accounts(engine: Engine) -> None:
    assert engine.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


def test_the_endpoint_is_this_machine(engine: Engine) -> None:
    (endpoint,) = engine.call("DescribeEndpoints", {})["Endpoints"]
    assert endpoint == {"Address": "localhost", "CachePeriodInMinutes": 1440}


def test_there_are_no_global_tables(engine: Engine) -> None:
    assert engine.call("ListGlobalTables", {}) == {"GlobalTables": []}
    for name in ("DescribeGlobalTable", "DescribeGlobalTableSettings"):
        with pytest.raises(GlobalTableNotFoundException) as caught:
            engine.call(name, {"GlobalTableName": "things"})
        assert caught.value.message == (
            "Global table not found: Global table with name: 'things' does not exist."
        )


def test_a_table_has_no_replicas(engine: Engine) -> None:
    create(engine)
    answer = engine.call("DescribeTableReplicaAutoScaling", {"TableName": "things"})
    assert answer["TableAutoScalingDescription"]["Replicas"] == []


def test_there_are_no_exports_and_imports(engine: Engine) -> None:
    assert engine.call("ListExports", {}) == {"ExportSummaries": []}
    assert engine.call("ListImports", {}) == {"ImportSummaryList": []}
    with pytest.raises(ExportNotFoundException):
        engine.call("DescribeExport", {"ExportArn": ARN})
    with pytest.raises(ImportNotFoundException):
        engine.call("DescribeImport", {"ImportArn": ARN})


def test_what_needs_more_than_is_here_is_refused_by_name(engine: Engine) -> None:
    with pytest.raises(UnknownOperationException) as caught:
        engine.call("ExportTableToPointInTime", {"TableArn": "things", "S3Bucket": "mine"})
    assert caught.value.message == (
        "ExportTableToPointInTime is not supported by the embedded engine"
    )
