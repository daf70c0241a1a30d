"""The methods of boto3's low-level client, one line each, for readers and type checkers to see."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .operations import OPERATIONS, Answer

if TYPE_CHECKING:
    from .engine import Engine


def _method(name: str) -> Callable[..., Answer]:
    operation = OPERATIONS[name]

    def call(self: Engine, **request: Any) -> Answer:
        answer = self.perform(operation, request)
        answer["ResponseMetadata"] = {
            "RequestId": self.request_id(),
            "HTTPStatusCode": 200,
            "HTTPHeaders": {},
            "RetryAttempts": 0,
        }
        return answer

    call.__name__ = snake_case(name)
    call.__qualname__ = f"Engine.{call.__name__}"
    call.__doc__ = operation.run.__doc__
    return call


def snake_case(name: str) -> str:
    """Spell the name of an operation as boto3 does."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")


class Methods:
    """A method for every operation, which takes and answers what boto3's takes and answers."""

    batch_execute_statement = _method("BatchExecuteStatement")
    batch_get_item = _method("BatchGetItem")
    batch_write_item = _method("BatchWriteItem")
    cancel_bulk_operation = _method("CancelBulkOperation")
    create_backup = _method("CreateBackup")
    create_global_table = _method("CreateGlobalTable")
    create_table = _method("CreateTable")
    delete_backup = _method("DeleteBackup")
    delete_item = _method("DeleteItem")
    delete_resource_policy = _method("DeleteResourcePolicy")
    delete_table = _method("DeleteTable")
    describe_backup = _method("DescribeBackup")
    describe_bulk_operation = _method("DescribeBulkOperation")
    describe_continuous_backups = _method("DescribeContinuousBackups")
    describe_contributor_insights = _method("DescribeContributorInsights")
    describe_endpoints = _method("DescribeEndpoints")
    describe_export = _method("DescribeExport")
    describe_global_table = _method("DescribeGlobalTable")
    describe_global_table_settings = _method("DescribeGlobalTableSettings")
    describe_import = _method("DescribeImport")
    describe_kinesis_streaming_destination = _method("DescribeKinesisStreamingDestination")
    describe_limits = _method("DescribeLimits")
    describe_stream = _method("DescribeStream")
    describe_table = _method("DescribeTable")
    describe_table_replica_auto_scaling = _method("DescribeTableReplicaAutoScaling")
    describe_time_to_live = _method("DescribeTimeToLive")
    disable_kinesis_streaming_destination = _method("DisableKinesisStreamingDestination")
    enable_kinesis_streaming_destination = _method("EnableKinesisStreamingDestination")
    execute_statement = _method("ExecuteStatement")
    execute_transaction = _method("ExecuteTransaction")
    export_table_to_point_in_time = _method("ExportTableToPointInTime")
    get_item = _method("GetItem")
    get_records = _method("GetRecords")
    get_resource_policy = _method("GetResourcePolicy")
    get_shard_iterator = _method("GetShardIterator")
    import_table = _method("ImportTable")
    list_backups = _method("ListBackups")
    list_bulk_operations = _method("ListBulkOperations")
    list_contributor_insights = _method("ListContributorInsights")
    list_exports = _method("ListExports")
    list_global_tables = _method("ListGlobalTables")
    list_imports = _method("ListImports")
    list_streams = _method("ListStreams")
    list_tables = _method("ListTables")
    list_tags_of_resource = _method("ListTagsOfResource")
    put_item = _method("PutItem")
    put_resource_policy = _method("PutResourcePolicy")
    query = _method("Query")
    restore_table_from_backup = _method("RestoreTableFromBackup")
    restore_table_to_point_in_time = _method("RestoreTableToPointInTime")
    scan = _method("Scan")
    search_vectors = _method("SearchVectors")
    start_bulk_put_items = _method("StartBulkPutItems")
    tag_resource = _method("TagResource")
    transact_get_items = _method("TransactGetItems")
    transact_write_items = _method("TransactWriteItems")
    untag_resource = _method("UntagResource")
    update_continuous_backups = _method("UpdateContinuousBackups")
    update_contributor_insights = _method("UpdateContributorInsights")
    update_global_table = _method("UpdateGlobalTable")
    update_global_table_settings = _method("UpdateGlobalTableSettings")
    update_item = _method("UpdateItem")
    update_kinesis_streaming_destination = _method("UpdateKinesisStreamingDestination")
    update_table = _method("UpdateTable")
    update_table_replica_auto_scaling = _method("UpdateTableReplicaAutoScaling")
    update_time_to_live = _method("UpdateTimeToLive")
