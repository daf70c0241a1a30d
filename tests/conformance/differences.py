"""Where AWS's DynamoDB Local 3.3.1 answers differently from the DynamoDB service.

Each line names a test of this suite, without its backend, under the reason why Local fails it;
a name without brackets stands for all cases of its test. The tests assert what the service does,
by its documentation and its known texts. Local must fail them: a line that has become untrue
fails the run.
"""

from __future__ import annotations

_BY_REASON = {
    "Local looks for the table before it judges the values.": """
        test_tables.py::test_values_are_judged_before_the_table_is_looked_for[get_item]
        test_tables.py::test_values_are_judged_before_the_table_is_looked_for[put_item]
        test_tables.py::test_values_are_judged_before_the_table_is_looked_for[update_item]
        test_tables.py::test_values_are_judged_before_the_table_is_looked_for[delete_item]
        test_tables.py::test_values_are_judged_before_the_table_is_looked_for[transact_get_items]
    """,
    "Local words it otherwise when a table does not exist.": """
        test_batch_get_item.py::test_an_unknown_table_refuses_the_whole_batch
        test_batch_write_item.py::test_an_unknown_table_refuses_the_whole_batch
        test_get_item.py::test_unknown_table
        test_partiql.py::test_an_unknown_table
        test_put_item.py::test_unknown_table
        test_query.py::test_unknown_table
        test_tables.py::test_unknown_tables
        test_tables.py::test_delete
        test_tables.py::test_item_operations_on_unknown_tables
        test_tags.py::test_unknown_tables
        test_time_to_live.py::test_unknown_tables
        test_transact_get_items.py::test_an_unknown_table
        test_transact_write_items.py::test_an_unknown_table
        test_update_table.py::test_an_unknown_table
    """,
    "Local has no backups and no point-in-time recovery.": """
        test_backups.py::test_a_backup_is_restored_with_its_indexes
        test_backups.py::test_backups_are_described_listed_and_deleted
        test_backups.py::test_backups_of_the_system_are_listed_when_asked_for
        test_backups.py::test_a_page_goes_on_behind_a_backup_that_was_deleted
        test_backups.py::test_continuous_backups_are_off_at_first
        test_backups.py::test_point_in_time_restore
        test_backups.py::test_the_whole_window_can_be_restored
        test_backups.py::test_refused
        test_backups.py::test_a_restore_needs_a_free_name_and_enabled_recovery
        test_backups.py::test_a_time_before_the_window_is_refused
    """,
    "Local has no settings for table class, encryption, insights, policies or Kinesis.": """
        test_settings.py::test_table_class
        test_settings.py::test_a_table_class_is_changed_alone
        test_settings.py::test_encryption
        test_settings.py::test_encryption_that_does_not_change_is_refused
        test_settings.py::test_encryption_is_changed
        test_settings.py::test_a_new_table_cannot_ask_for_another_cipher
        test_settings.py::test_contributor_insights
        test_settings.py::test_contributor_insights_of_indexes_come_in_pages
        test_settings.py::test_resource_policies
        test_settings.py::test_a_policy_that_is_no_json_is_refused
        test_settings.py::test_tables_and_streams_have_policies
        test_settings.py::test_kinesis_destinations
        test_settings.py::test_unknown_tables
    """,
    "Local takes an on-demand maximum for a provisioned table.": """
        test_settings.py::test_a_provisioned_table_takes_no_maximum
    """,
    "Local wants both units of an on-demand maximum.": """
        test_settings.py::test_an_empty_maximum_is_none
    """,
    "Local has no warm throughput.": """
        test_settings.py::test_warm_throughput_only_grows
        test_settings.py::test_what_a_table_was_provisioned_for_stays_warm
    """,
    "Local neither dates nor counts changes of throughput.": """
        test_update_table.py::test_decreases_of_the_day_are_counted
        test_update_table.py::test_throughput_after_on_demand_is_an_increase
    """,
    "Local has no tags.": """
        test_tags.py::test_none_at_first
        test_tags.py::test_set_at_creation
        test_tags.py::test_added_replaced_and_removed
        test_tags.py::test_keys_of_aws_are_reserved
        test_tags.py::test_other_characters_are_refused
        test_tags.py::test_tables_alone_have_tags
        test_tags.py::test_a_resource_is_named_by_an_arn
    """,
    "Local has no endpoint discovery.": """
        test_tables.py::test_describe_endpoints
    """,
    "Local words a key that does not match the schema otherwise, by what is wrong with it.": """
        test_batch_get_item.py::test_refused[duplicates-by-value]
        test_batch_get_item.py::test_refused[half-a-key]
        test_batch_get_item.py::test_refused[key-type]
        test_batch_write_item.py::test_refused[put-without-sort-key]
        test_batch_write_item.py::test_refused[put-key-type]
        test_batch_write_item.py::test_refused[delete-half-a-key]
        test_batch_write_item.py::test_refused[delete-more-than-a-key]
        test_get_item.py::test_refused_keys[get_item-empty]
        test_get_item.py::test_refused_keys[get_item-no-sort-key]
        test_get_item.py::test_refused_keys[get_item-one-too-many]
        test_get_item.py::test_refused_keys[get_item-wrong-name]
        test_get_item.py::test_refused_keys[get_item-partition-key-type]
        test_get_item.py::test_refused_keys[get_item-sort-key-type]
        test_get_item.py::test_refused_keys[delete_item-empty]
        test_get_item.py::test_refused_keys[delete_item-no-sort-key]
        test_get_item.py::test_refused_keys[delete_item-one-too-many]
        test_get_item.py::test_refused_keys[delete_item-wrong-name]
        test_get_item.py::test_refused_keys[delete_item-partition-key-type]
        test_get_item.py::test_refused_keys[delete_item-sort-key-type]
        test_put_item.py::test_refused_items[no-partition-key]
        test_put_item.py::test_refused_items[no-sort-key]
        test_put_item.py::test_refused_items[partition-key-type]
        test_put_item.py::test_refused_items[sort-key-type]
        test_put_item.py::test_refused_items[null-key]
        test_update_item.py::test_refused[half-a-key]
        test_update_item.py::test_refused[key-type]
    """,
    "Local leaves out which index key has the wrong type, and which index it belongs to.": """
        test_global_secondary_indexes.py::test_wrong_index_keys[partition-key-type]
        test_global_secondary_indexes.py::test_wrong_index_keys[sort-key-type]
        test_global_secondary_indexes.py::test_wrong_index_keys[null-key]
        test_global_secondary_indexes.py::test_an_update_to_a_wrong_index_key_is_refused
        test_local_secondary_indexes.py::test_wrong_index_keys
    """,
    "Local words numbers that are none, or have more than 38 digits, otherwise.": """
        test_get_item.py::test_refused_keys[get_item-not-a-number]
        test_get_item.py::test_refused_keys[delete_item-not-a-number]
        test_numbers.py::test_out_of_range[39-digits]
        test_numbers.py::test_out_of_range[39-digits-fraction]
        test_numbers.py::test_out_of_range[39-digits-across]
        test_numbers.py::test_not_numbers
        test_put_item.py::test_refused_items[not-a-number]
        test_put_item.py::test_refused_items[empty-number]
        test_put_item.py::test_refused_items[not-a-number-in-a-set]
        test_update_item.py::test_refused[bad-number]
    """,
    "Local's texts of duplicates in sets lack the full stop, or the members.": """
        test_put_item.py::test_refused_items[repeated-string]
        test_put_item.py::test_refused_items[repeated-binary]
    """,
    "Local answers with consumed capacity that nobody asked for.": """
        test_delete_item.py::test_deleting_nothing_succeeds
    """,
    "Local lets the reserved word SIZE be an attribute's name.": """
        test_condition_expressions.py::test_refused[reserved-size]
    """,
    "Local takes an empty filter of a scan for none.": """
        test_filter_expressions.py::test_refused[scan-empty]
    """,
    "Local returns the whole top-level attribute where only a part of it was updated.": """
        test_update_item.py::test_return_values[updated-old-nested]
        test_update_item.py::test_return_values[updated-new-nested]
        test_update_item.py::test_return_values[updated-old-nested-partly-new]
        test_update_item.py::test_return_values[updated-old-list]
        test_update_item.py::test_return_values[updated-new-list]
        test_update_item.py::test_return_values[updated-old-list-in-order-of-the-list]
        test_update_item.py::test_return_values_of_removals[old-nested]
        test_update_item.py::test_return_values_of_removals[old-list]
    """,
    "Local does not say which key attribute the conditions lack.": """
        test_legacy_parameters.py::test_refused_key_conditions[no-pk]
        test_legacy_parameters.py::test_refused_key_conditions[not-a-key]
        test_local_secondary_indexes.py::test_a_condition_on_another_attribute_is_refused
        test_query.py::test_refused[no-partition-key]
        test_query.py::test_refused[not-a-key]
    """,
    "Local words starting keys that do not fit otherwise.": """
        test_pagination.py::test_refused_start_keys_of_a_scan
        test_query.py::test_refused[start-key-half]
        test_query.py::test_refused[start-key-elsewhere]
        test_query.py::test_refused[start-key-type]
    """,
    "Local fills a page to 1 MB with what the filter keeps, not with what was read.": """
        test_pagination.py::test_the_1_mb_are_counted_before_filter_and_projection
    """,
    "Local does not round what it fetches for a local index to 4 KB.": """
        test_pagination.py::test_items_that_are_fetched_count_by_units_of_4_kb
    """,
    "Local words the rules for segments otherwise.": """
        test_scan.py::test_refused[no-total]
        test_scan.py::test_refused[no-segment]
        test_scan.py::test_refused[segment-too-large]
        test_scan.py::test_a_start_key_of_another_segment_is_refused
    """,
    "Local fails inside on this request.": """
        test_legacy_parameters.py::test_refused_key_conditions[not-equal]
        test_limits.py::test_attribute_names_may_be_64_kb_but_key_names_255
        test_limits.py::test_attribute_names_that_are_written_are_measured_in_bytes
        test_partiql.py::test_select_in_order
        test_settings.py::test_a_maximum_that_is_not_given_stays
        test_update_table.py::test_indexes_are_provisioned_with_their_table
    """,
    "Local makes an item for attribute updates that only delete.": """
        test_legacy_parameters.py::test_deletions_make_no_item
    """,
    "Local ignores an attribute update without an action, which is PUT by default.": """
        test_legacy_parameters.py::test_attribute_updates[put-by-default]
        test_legacy_parameters.py::test_attribute_updates[two]
    """,
    "Local words it otherwise.": """
        test_put_item.py::test_return_values_of_an_update_are_refused
        test_delete_item.py::test_return_values_of_an_update_are_refused
        test_query.py::test_refused[nested]
        test_create_table.py::test_a_name_is_used_once
        test_legacy_parameters.py::test_refused_attributes_to_get
        test_limits.py::test_key_sizes
        test_limits.py::test_an_index_key_has_the_same_limits
        test_time_to_live.py::test_refused[another-attribute]
        test_time_to_live.py::test_refused[disable-another-attribute]
        test_update_table.py::test_refused
        test_update_table.py::test_a_stream_cannot_be_enabled_twice
        test_update_table.py::test_a_stream_is_not_changed_with_throughput
        test_update_table.py::test_a_stream_that_is_not_there_cannot_be_disabled
    """,
    "Local words every fault of a table's definition otherwise, and overlooks some.": """
        test_create_table.py::test_refused[no-hash]
        test_create_table.py::test_refused[range-first]
        test_create_table.py::test_refused[two-hashes]
        test_create_table.py::test_refused[same-name]
        test_create_table.py::test_refused[undefined]
        test_create_table.py::test_refused[unused-definition]
        test_create_table.py::test_refused[defined-twice]
        test_create_table.py::test_refused[no-throughput]
        test_create_table.py::test_refused[throughput-on-demand]
        test_create_table.py::test_refused[global-index-without-throughput]
        test_create_table.py::test_refused[empty-global-indexes]
        test_create_table.py::test_refused[empty-local-indexes]
        test_create_table.py::test_refused[global-index-undefined]
        test_create_table.py::test_refused[index-twice]
        test_create_table.py::test_refused[local-index-without-sort-key]
        test_create_table.py::test_refused[local-index-half]
        test_create_table.py::test_refused[local-index-on-another-partition-key]
        test_create_table.py::test_refused[local-and-global-of-one-name]
        test_create_table.py::test_refused[no-projection-type]
        test_create_table.py::test_refused[all-with-attributes]
        test_create_table.py::test_refused[keys-only-with-attributes]
        test_create_table.py::test_refused[include-nothing]
        test_create_table.py::test_refused[six-local-indexes]
        test_create_table.py::test_refused[twenty-one-global-indexes]
    """,
    "Local lists attributes as they were given.": """
        test_create_table.py::test_attributes_are_listed_by_name
    """,
    "Local gives tables no id.": """
        test_create_table.py::test_a_table_has_an_id
    """,
    "Local charges nothing for what it does not find.": """
        test_consumed_capacity.py::test_a_query_of_nothing
        test_consumed_capacity.py::test_a_missing_item_costs_as_a_small_one_in_a_batch
    """,
    "Local charges transactions by the request, not by the item.": """
        test_consumed_capacity.py::test_transactions_cost_double
    """,
    "Local has no item collection metrics.": """
        test_item_collection_metrics.py::test_each_write_reports_its_collection
        test_item_collection_metrics.py::test_batches_and_transactions_report_by_table
        test_item_collection_metrics.py::test_a_check_affects_no_collection
    """,
    "Local does not collect the violations of a request, and words or overlooks them.": """
        test_constraints.py::test_one_message_for_all[get-without-key]
        test_constraints.py::test_one_message_for_all[put-without-item]
        test_constraints.py::test_one_message_for_all[put-without-anything]
        test_constraints.py::test_one_message_for_all[delete-without-key]
        test_constraints.py::test_one_message_for_all[update-without-key]
        test_constraints.py::test_one_message_for_all[scan-of-nothing]
        test_constraints.py::test_one_message_for_all[describe-nothing]
        test_constraints.py::test_one_message_for_all[batch-get-without-requests]
        test_constraints.py::test_one_message_for_all[batch-write-without-requests]
        test_constraints.py::test_one_message_for_all[transaction-without-items]
        test_constraints.py::test_one_message_for_all[statement-without-text]
        test_constraints.py::test_one_message_for_all[limit-zero]
        test_constraints.py::test_one_message_for_all[segments-too-small]
        test_constraints.py::test_one_message_for_all[list-limit]
        test_constraints.py::test_one_message_for_all[empty-transaction]
        test_constraints.py::test_one_message_for_all[long-token]
        test_constraints.py::test_enumerations[consumed-capacity]
        test_constraints.py::test_enumerations[return-values]
        test_constraints.py::test_enumerations[collection-metrics]
        test_constraints.py::test_enumerations[select]
        test_constraints.py::test_enumerations[conditional-operator]
        test_constraints.py::test_create_table
        test_constraints.py::test_legacy_operator
        test_batch_get_item.py::test_100_keys_are_the_most
        test_batch_write_item.py::test_25_requests_are_the_most
        test_transact_get_items.py::test_100_items_are_the_most
        test_transact_write_items.py::test_100_actions_are_the_most
    """,
    "Local says nothing of a token that was used with another request.": """
        test_transact_write_items.py::test_a_token_with_another_request_is_refused
    """,
    "Local writes a full stop behind the reason.": """
        test_transact_write_items.py::test_one_failed_condition_undoes_everything
        test_transact_write_items.py::test_a_reason_shows_the_item_if_asked[ConditionCheck]
    """,
    "Local refuses the request where the service cancels the transaction with a reason.": """
        test_partiql.py::test_a_transaction_writes_nothing_if_one_fails
        test_transact_get_items.py::test_a_bad_key_cancels
        test_transact_write_items.py::test_an_update_that_the_item_refuses_cancels
        test_transact_write_items.py::test_what_a_table_refuses_is_a_reason[put-without-key]
        test_transact_write_items.py::test_what_a_table_refuses_is_a_reason[put-key-type]
        test_transact_write_items.py::test_what_a_table_refuses_is_a_reason[delete-key-type]
        test_transact_write_items.py::test_what_a_table_refuses_is_a_reason[delete-key-size]
    """,
    "Local's error code for an item that is there already is another.": """
        test_partiql.py::test_insert_of_an_existing_key_is_refused
    """,
    "Local counts the entries in local indexes only when an item is put.": """
        test_limits.py::test_an_update_may_not_grow_an_item_and_its_entry_beyond_400_kb
    """,
    "Local does not say how a statement is malformed.": """
        test_partiql.py::test_an_update_of_a_name_with_a_hyphen_lacks_its_action
    """,
    "Local lets IN list 100 values of a partition key.": """
        test_partiql.py::test_values_in_a_list[pk-50]
    """,
    "Local reports no consumed capacity of statements.": """
        test_partiql.py::test_consumed_capacity
    """,
    "Local fills an index with items whose key attribute has the wrong type or is too large.": """
        test_update_table.py::test_items_whose_values_can_be_no_key_are_not_filled_in[type]
        test_update_table.py::test_items_whose_values_can_be_no_key_are_not_filled_in[partition-key-too-large]
        test_update_table.py::test_items_whose_values_can_be_no_key_are_not_filled_in[sort-key-too-large]
    """,
}

LOCAL = {
    line.strip(): reason
    for reason, lines in _BY_REASON.items()
    for line in lines.strip().splitlines()
}
"""Test id → why DynamoDB Local fails it."""
