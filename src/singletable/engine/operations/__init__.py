"""The actions of the API, one to a module; importing them enters each into ``OPERATIONS``."""

# ruff: noqa: F401 # the modules are imported for the operations that they enter

from . import (
    backups,
    batch_get_item,
    batch_write_item,
    continuous_backups,
    contributor_insights,
    create_table,
    delete_item,
    delete_table,
    describe_endpoints,
    describe_limits,
    describe_stream,
    describe_table,
    exports_and_imports,
    get_item,
    get_records,
    get_shard_iterator,
    global_tables,
    kinesis,
    list_streams,
    list_tables,
    partiql,
    put_item,
    query,
    resource_policy,
    restore_table_from_backup,
    restore_table_to_point_in_time,
    scan,
    tags,
    time_to_live,
    transact_get_items,
    transact_write_items,
    unsupported,
    update_item,
    update_table,
)
from .registry import OPERATIONS, Answer, Operation, Request, operation

__all__ = ["OPERATIONS", "Answer", "Operation", "Request", "operation"]
