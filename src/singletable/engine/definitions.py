"""The rules for a table's definition: keys, indexes, projections, throughput, in AWS's words.

What a single member may look like is the request shapes' business; here is what the members must
be to each other. Functions check and return nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from singletable.errors import ValidationException, invalid

from .schema import Document, index_documents
from .throughput import check_index_throughput, check_throughput, check_warm, with_throughput

GLOBAL_INDEXES_MAX = 20
LOCAL_INDEXES_MAX = 5
KEY_PARTS_MAX = 4
INCLUDED_ATTRIBUTES_MAX = 100
NAME_BYTES_MAX = 255


def check_table(document: Document) -> None:
    """Check a table's whole definition."""
    check_throughput(document)
    definitions = document["AttributeDefinitions"]
    names = [each["AttributeName"] for each in definitions]
    check_unique(names, "Duplicate AttributeName in AttributeDefinitions: {}")
    keys = [each["AttributeName"] for each in document["KeySchema"]]
    if not set(keys) <= set(names):
        raise ValidationException("Invalid KeySchema: Some index key attribute have no definition")
    check_key_schema(document["KeySchema"])
    check_indexes(document)
    _check_all_used(document, names)
    for each in with_throughput(document):
        check_warm(each)


def used_attributes(document: Document) -> set[str]:
    """Give the attributes that are in a key of the table or of an index."""
    schemas = [document["KeySchema"], *(each["KeySchema"] for each in index_documents(document))]
    return {element["AttributeName"] for schema in schemas for element in schema}


def check_key_schema(elements: list[dict[str, str]], parts_max: int = 1) -> None:
    """Check that partition keys come first and sort keys after them, no more than may be."""
    check_names(element["AttributeName"] for element in elements)
    kinds = [element["KeyType"] for element in elements]
    if kinds[0] != "HASH":
        raise ValidationException(
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
        )
    if parts_max == 1 and kinds[1:2] == ["HASH"]:
        raise ValidationException(
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
        )
    if kinds != sorted(kinds):
        raise ValidationException(
            "Invalid key order. Hash Key must be specified first in key schema, "
            "Range Key must be specifed second"
        )
    _check_key_parts(kinds, parts_max)
    if len({element["AttributeName"] for element in elements}) < len(elements):
        raise ValidationException(
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
        )


def _check_key_parts(kinds: list[str], parts_max: int) -> None:
    if parts_max == 1:
        if len(kinds) > 2:  # noqa: PLR2004 # a hash key and a range key
            raise ValidationException(
                "Key Schema too big.  Key Schema must at most consist of the hash and range key "
                "of a table"
            )
        return
    for kind, words in (("HASH", "partition keys"), ("RANGE", "sort keys")):
        if kinds.count(kind) > parts_max:
            raise ValidationException(f"Too many {words}. GSI can have at most {parts_max} {words}")


def check_indexes(document: Document) -> None:
    """Check the indexes of a table, one by one and together."""
    local = _listed(document, "LocalSecondaryIndexes")
    everywhere = _listed(document, "GlobalSecondaryIndexes")
    if len(local) > LOCAL_INDEXES_MAX:
        raise invalid(
            f"Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES_MAX}"
        )
    if len(everywhere) > GLOBAL_INDEXES_MAX:
        raise invalid(
            f"GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES_MAX}"
        )
    for index in local:
        _check_local(index, document)
    for index in everywhere:
        check_global_index(index, document)
    indexes = index_documents(document)
    check_unique([index["IndexName"] for index in indexes], "Duplicate index name: {}")
    _check_projected_count(indexes)


def _listed(document: Document, member: str) -> list[Any]:
    listed = document.get(member)
    if listed == []:
        raise invalid(f"List of {member} is empty")
    return listed or []


def check_global_index(index: Document, document: Document) -> None:
    """Check one global index against its table."""
    check_key_schema(index["KeySchema"], KEY_PARTS_MAX)
    check_defined(index, document["AttributeDefinitions"])
    check_projection(index["Projection"])
    check_index_throughput(index, document["BillingMode"])


def _check_local(index: Document, document: Document) -> None:
    table_hash, *table_range = [each["AttributeName"] for each in document["KeySchema"]]
    if not table_range:
        raise invalid(
            "Table KeySchema does not have a range key, "
            "which is required when specifying a LocalSecondaryIndex"
        )
    check_key_schema(index["KeySchema"])
    check_defined(index, document["AttributeDefinitions"])
    name, hash_key = index["IndexName"], index["KeySchema"][0]["AttributeName"]
    if len(index["KeySchema"]) == 1:
        raise invalid(f"Index KeySchema does not have a range key for index: {name}")
    if hash_key != table_hash:
        raise invalid(
            "Index KeySchema does not have the same leading hash key as table KeySchema "
            f"for index: {name}. index hash key: {hash_key}, table hash key: {table_hash}"
        )
    check_projection(index["Projection"])


def check_defined(index: Document, definitions: list[Document]) -> None:
    """Check that the keys of an index are among the attributes defined."""
    keys = [each["AttributeName"] for each in index["KeySchema"]]
    names = [each["AttributeName"] for each in definitions]
    if not set(keys) <= set(names):
        raise invalid(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(keys)}], AttributeDefinitions: [{', '.join(names)}]"
        )


def check_projection(projection: Document) -> None:
    """Check that INCLUDE, and nothing else, names attributes."""
    kind, extra = projection.get("ProjectionType"), projection.get("NonKeyAttributes")
    if kind is None:
        raise invalid("Unknown ProjectionType: null")
    if kind == "INCLUDE" and not extra:
        raise invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if kind != "INCLUDE" and extra:
        raise invalid(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    check_unique(extra or [], "Duplicate attribute in NonKeyAttributes: {}")
    check_names(extra or [])


def check_names(names: Iterable[str]) -> None:
    """Check how long, in UTF-8, the names are of attributes that a definition is about.

    The request's shape has seen to it that there are no more characters; these may be of several
    bytes.
    """
    if any(len(name.encode()) > NAME_BYTES_MAX for name in names):
        raise ValidationException(
            "Names of key attributes and attributes projected into an index "
            f"must be between 1 and {NAME_BYTES_MAX} characters, inclusive"
        )


def _check_projected_count(indexes: Iterable[Document]) -> None:
    """Count an attribute once for each index that includes it, as AWS does."""
    count = sum(len(index["Projection"].get("NonKeyAttributes", ())) for index in indexes)
    if count > INCLUDED_ATTRIBUTES_MAX:
        raise invalid(
            f"Number of NonKeyAttributes over all indexes exceeds the limit of "
            f"{INCLUDED_ATTRIBUTES_MAX}: {count}"
        )


def _check_all_used(document: Document, names: list[str]) -> None:
    indexes = index_documents(document)
    used = used_attributes(document)
    if used == set(names):
        return
    if not indexes:
        raise invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes "
            "defined in AttributeDefinitions"
        )
    raise invalid(
        f"Some AttributeDefinitions are not used. AttributeDefinitions: [{', '.join(names)}], "
        f"keys used: [{', '.join(sorted(used))}]"
    )


def check_stream(specification: Document | None) -> None:
    """Check that a stream has a view type exactly when it is enabled."""
    if specification is None:
        return
    view = specification.get("StreamViewType")
    if specification["StreamEnabled"] and view is None:
        raise ValidationException(
            "Invalid StreamViewType: Stream ViewType must not be null or empty "
            "when enabling streams."
        )
    if view is not None and not specification["StreamEnabled"]:
        raise ValidationException(
            "Invalid StreamViewType: Stream StreamEnabled was false "
            "but a StreamViewType was present."
        )


def check_encryption(specification: Document | None) -> None:
    """Check that a key of KMS is asked for, if any: the model's other type was never supported."""
    if specification is not None and specification.get("SSEType") == "AES256":
        raise invalid("SSEType AES256 is not supported")


def check_unique(names: list[str], problem: str) -> None:
    """Refuse a list in which a name stands twice."""
    for name, count in Counter(names).items():
        if count > 1:
            raise invalid(problem.format(name))
