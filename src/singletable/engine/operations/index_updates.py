"""The GlobalSecondaryIndexUpdates of UpdateTable: what they ask, and their effect on a document."""

from __future__ import annotations

from singletable.engine.definitions import (
    GLOBAL_INDEXES_MAX,
    check_defined,
    check_unique,
    used_attributes,
)
from singletable.engine.schema import Document, index_documents
from singletable.engine.throughput import change_limits, change_throughput, check_warm
from singletable.errors import (
    LimitExceededException,
    ResourceNotFoundException,
    ServiceError,
    ValidationException,
    invalid,
)

from .registry import Request


class IndexUpdates:
    """The changes of indexes that one request asks for."""

    def __init__(self, request: Request) -> None:
        self._updates = [_single(each) for each in request.get("GlobalSecondaryIndexUpdates", [])]
        self._definitions = request.get("AttributeDefinitions", [])
        self.updated = self._names("Update")
        self.created = self._names("Create")
        self.deleted = self._names("Delete")
        check_unique(
            self.updated + self.created + self.deleted,
            "Only one global secondary index update per index is allowed simultaneously. Index: {}",
        )
        if len(self.created) + len(self.deleted) > 1:
            raise LimitExceededException(
                "Subscriber limit exceeded: "
                "Only 1 online index can be created or deleted simultaneously per table"
            )

    def _names(self, action: str) -> list[str]:
        return [index["IndexName"] for each, index in self._updates if each == action]

    def apply(self, document: Document, now: float) -> None:
        """Change the indexes of a document, and the attribute definitions with them."""
        taken = {each["IndexName"] for each in index_documents(document)}
        indexes = {each["IndexName"]: each for each in document.get("GlobalSecondaryIndexes", ())}
        for action, wanted in self._updates:
            name = wanted["IndexName"]
            if action == "Create":
                if name in taken:
                    raise ValidationException("Attempting to create an index which already exists")
                check_defined(wanted, self._definitions)  # by the request itself
                check_warm(wanted)
                indexes[name] = dict(wanted)
            elif name not in indexes:
                raise _unknown(action, name, taken)
            elif action == "Delete":
                del indexes[name]
                document.get("ContributorInsights", {}).pop(name, None)
            else:
                _update(indexes[name], wanted, now)
        if len(indexes) > GLOBAL_INDEXES_MAX:
            raise LimitExceededException(
                "Number of global secondary indexes exceeds per-table limit"
            )
        document["GlobalSecondaryIndexes"] = list(indexes.values())
        if not indexes:
            del document["GlobalSecondaryIndexes"]
        self._define(document)

    def _define(self, document: Document) -> None:
        """Take in the given definitions, and leave out those that no key uses, now or yet.

        A program that adds several indexes, one by one, may define all their attributes each time.
        """
        kinds = {
            each["AttributeName"]: each["AttributeType"]
            for each in document["AttributeDefinitions"]
        }
        used = used_attributes(document)
        for each in self._definitions:
            name, kind = each["AttributeName"], each["AttributeType"]
            if kinds.setdefault(name, kind) != kind:
                raise ValidationException(
                    "invalid attribute, SchemaElement redefined should be of same type "
                    "as previously defined"
                )
        document["AttributeDefinitions"] = [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in kinds.items()
            if name in used
        ]


def _single(update: Document) -> tuple[str, Document]:
    """Give the action of an update and its index."""
    if len(update) != 1:
        raise invalid(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null"
        )
    return next(iter(update.items()))


def _unknown(action: str, name: str, taken: set[str]) -> ServiceError:
    """Word the refusal to change an index that is no global one."""
    if action == "Delete" and name in taken:
        return ValidationException("Cannot delete an index that is not a GlobalSecondaryIndex")
    return ResourceNotFoundException("Requested resource not found")


def _update(index: Document, wanted: Document, now: float) -> None:
    name = wanted["IndexName"]
    if len(wanted) == 1:
        raise invalid(f"No throughput is specified for index: {name}")
    if "ProvisionedThroughput" in wanted:
        change_throughput(index, wanted["ProvisionedThroughput"], now, f"index {name}")
    change_limits(index, wanted, f"index {name}")
