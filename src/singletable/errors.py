"""The tree that every error of the library is in, with those of the engine and the store.

A part that has errors of its own declares them beside what raises them.

    SingletableError
    ├── ServiceError                 what DynamoDB answers: code, HTTP status, message, members
    │   ├── ValidationException      ... one class for each wire name, named as on the wire
    │   └── ...
    ├── WaiterError                  what a waiter of the engine waits for does not come about
    ├── DatabaseUnusable             the database file cannot be opened
    ├── DatabaseCorrupt              the database file is not what it should be
    ├── Unreachable                  no answer came from the endpoint
    ├── DesignError                  a declaration contradicts itself or the rules of DynamoDB
    ├── UsageError                   a call that cannot be carried out as it is written
    │   ├── KeyValueError            a value that would make a key ambiguous, too long or empty
    │   ├── NoStrongRead             a strongly consistent read asked of a global index
    │   ├── UnknownKeyParts          an update that changes an index key it knows only in part
    │   ├── InvalidAddress           an address that names no backend
    │   ├── InvalidCursor            a cursor that was changed, or belongs to another query
    │   └── OutOfScope               a request that could leave the scope of a confined store
    └── StoreError                   what a store found when it did what it was asked
        ├── NotFound                 there is no such item
        ├── MoreThanOne              there are several where one was asked for
        ├── ConditionFailed          a condition was false; carries the item
        │   ├── AlreadyExists        an item with this key exists
        │   ├── Contended            others wrote meanwhile, at every attempt: a later one may do
        │   └── VersionConflict      somebody else changed the item: mine, theirs
        ├── UniqueViolation          another item has this value: which attribute
        ├── TransactionCancelled     which actions failed, and why
        ├── LargeMissing             the content that an item points at is not there
        ├── LargeBroken              the content that an item points at is not what was stored
        ├── TableMissing             there is no such table where the store is connected
        ├── IndexMissing             the table lacks an index that the design has
        ├── ObjectStoreFailed        the object store did not do what it was asked
        └── Throttled                still throttled after the last retry

A service error raised in process is also a botocore ``ClientError`` when botocore is loaded, and a
``WaiterError`` botocore's, so code written for boto3 catches them unchanged; botocore itself is
never imported here.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, ClassVar, Self

CORAL_SERVICE = "com.amazon.coral.service"
CORAL_VALIDATE = "com.amazon.coral.validate"
DYNAMODB = "com.amazonaws.dynamodb.v20120810"


class SingletableError(Exception):
    """The base of every error that this library raises; all can be pickled and copied."""

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception would call its class with the message alone, and lack what else that takes.
        return _restored, (type(self), *self.args), self.__dict__


class WaiterError(SingletableError):
    """What is waited for does not come about; ``last_response`` is what was answered."""

    def __new__(cls, *args: Any) -> Self:
        """Make the error one that boto3 users catch."""
        made: Self = super().__new__(_caught_by_boto3(cls, "WaiterError"))
        return made

    def __init__(self, message: str, last_response: dict[str, Any]) -> None:
        Exception.__init__(self, message)
        self.last_response = last_response

    def __reduce__(self) -> tuple[Any, ...]:
        return WaiterError, (*self.args, self.last_response)


class DatabaseUnusable(SingletableError):
    """A database file cannot be opened, or not for writing."""


class DatabaseCorrupt(SingletableError):
    """A database file is damaged or was written by something else."""


class Unreachable(SingletableError):
    """No answer came; ``perhaps_done`` tells whether the request may have been run."""

    def __init__(self, message: str, *, perhaps_done: bool = True) -> None:
        super().__init__(message)
        self.perhaps_done = perhaps_done


class DesignError(SingletableError):
    """A declaration contradicts itself or the rules of DynamoDB."""


class UsageError(SingletableError):
    """A call cannot be carried out as it is written; nothing was sent."""


class KeyValueError(UsageError, ValueError):
    """A field's value cannot stand in a key."""


class NoStrongRead(UsageError):
    """A strongly consistent read was asked of a global index."""


class UnknownKeyParts(UsageError):
    """An update changes an index key of which it does not know all fields."""


class InvalidAddress(UsageError, ValueError):
    """An address names no backend."""


class InvalidCursor(UsageError, ValueError):
    """A cursor was changed, or made by another query."""


class OutOfScope(UsageError):
    """A request could leave the scope that its store is confined to."""


class StoreError(SingletableError):
    """What a store found when it did what it was asked."""


class NotFound(StoreError, LookupError):
    """There is no such item."""


class MoreThanOne(StoreError, LookupError):
    """There are several items where one was asked for."""


class ConditionFailed(StoreError):
    """A condition was false; ``found`` is the item as it is, where there is one."""

    def __init__(self, message: str, found: Any = None) -> None:
        super().__init__(message)
        self.found = found


class AlreadyExists(ConditionFailed):
    """An item with this key exists already."""


class Contended(ConditionFailed):
    """Others wrote meanwhile, at every attempt; a later one may succeed."""


class VersionConflict(ConditionFailed):
    """The item was changed by somebody else since it was read."""

    def __init__(self, message: str, mine: int, theirs: int | None, found: Any = None) -> None:
        super().__init__(message, found)
        self.mine = mine
        self.theirs = theirs


class UniqueViolation(StoreError):
    """Another item has this value of a unique attribute."""

    def __init__(self, message: str, attribute: str) -> None:
        super().__init__(message)
        self.attribute = attribute


class TransactionCancelled(StoreError):
    """A transaction was cancelled; ``failures`` tells which actions failed, and why."""

    def __init__(self, message: str, failures: list[Any]) -> None:
        super().__init__(message)
        self.failures = failures


class LargeMissing(StoreError, LookupError):
    """The content which an item points at is not there."""


class LargeBroken(StoreError):
    """The content which an item points at is not what was stored."""


class TableMissing(StoreError, LookupError):
    """There is no such table where the store is connected."""


class IndexMissing(StoreError, LookupError):
    """The table lacks an index of the design, as it was created before that had it."""


class ObjectStoreFailed(StoreError):
    """The object store did not do what it was asked."""


class Throttled(StoreError):
    """A request was still throttled after its last retry."""


class ServiceError(SingletableError):
    """An error that the service answers; ``fields`` are the members beside the message."""

    status: ClassVar[int] = 400
    namespace: ClassVar[str] = DYNAMODB
    message_member: ClassVar[str] = "message"
    wire_name: ClassVar[str | None] = None

    def __new__(cls, *args: Any, **fields: Any) -> Self:
        """Make the error one that boto3 users catch."""
        made: Self = super().__new__(_caught_by_boto3(cls, "ClientError"))
        return made

    def __init__(self, message: str = "", **fields: Any) -> None:
        Exception.__init__(self, message)
        self.message = message
        self.fields = fields
        self.operation_name = ""
        self.request_id = ""

    def __str__(self) -> str:
        """Give boto3's words, which code and tests that were written for it may look into."""
        if not self.operation_name:
            return self.message
        called = f"when calling the {self.operation_name} operation"
        return f"An error occurred ({self.code}) {called}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"operation_name": self.operation_name, "request_id": self.request_id}
        return _rebuild, (self.code, self.message, self.status, self.fields), state

    @property
    def code(self) -> str:
        """Name the error as the wire does."""
        return self.wire_name or type(self).__name__

    @property
    def response(self) -> dict[str, Any]:
        """Give the error in the shape of botocore's ``ClientError.response``."""
        error = {"Message": self.message, "Code": self.code}
        metadata = {
            "RequestId": self.request_id,
            "HTTPStatusCode": self.status,
            "HTTPHeaders": {},
            "RetryAttempts": 0,
        }
        return {"Error": error, "ResponseMetadata": metadata, **self.fields}


class ValidationException(ServiceError):
    """The input breaks a rule of the API."""

    namespace = CORAL_VALIDATE


class SerializationException(ServiceError):
    """The request could not be read as the operation's input."""

    namespace = CORAL_SERVICE
    message_member = "Message"


class UnknownOperationException(ServiceError):
    """The service has no such operation."""

    namespace = CORAL_SERVICE


class MissingAuthenticationTokenException(ServiceError):
    """The request is not signed."""

    namespace = CORAL_SERVICE


class IncompleteSignatureException(ServiceError):
    """The signature lacks a part."""

    namespace = CORAL_SERVICE


class InvalidSignatureException(ServiceError):
    """The signature does not match the request."""

    namespace = CORAL_SERVICE


class UnrecognizedClientException(ServiceError):
    """The access key is unknown."""

    namespace = CORAL_SERVICE


class AccessDeniedException(ServiceError):
    """The caller may not do this."""

    namespace = CORAL_SERVICE
    message_member = "Message"


class InternalServerError(ServiceError):
    """The engine failed, for instance for want of disk space; nothing was written."""

    status = 500


class ResourceNotFoundException(ServiceError):
    """A table, index or stream does not exist."""


class ResourceInUseException(ServiceError):
    """The resource exists already or is being changed."""


class TableNotFoundException(ServiceError):
    """The source table does not exist."""


class TableAlreadyExistsException(ServiceError):
    """The target table of a restore exists already."""


class TableInUseException(ServiceError):
    """The target table is being created or deleted."""


class IndexNotFoundException(ServiceError):
    """The index does not exist."""


class LimitExceededException(ServiceError):
    """A quota of the control plane is used up."""


class ConditionalCheckFailedException(ServiceError):
    """The condition was false; ``fields["Item"]`` holds the item when asked for."""


class ItemCollectionSizeLimitExceededException(ServiceError):
    """An item collection under a local index reached 10 GB."""


class ProvisionedThroughputExceededException(ServiceError):
    """A provisioned table, or index, was throttled."""


class RequestLimitExceeded(ServiceError):
    """The account's throughput is exceeded."""


class ThrottlingException(ServiceError):
    """Requests come too fast, such as those to a table on demand."""

    namespace = CORAL_SERVICE


class TransactionCanceledException(ServiceError):
    """A transaction was cancelled; ``fields["CancellationReasons"]`` says why."""

    message_member = "Message"


class TransactionConflictException(ServiceError):
    """Another transaction is at work on the item."""


class TransactionInProgressException(ServiceError):
    """The transaction with this token has not finished."""

    message_member = "Message"


class IdempotentParameterMismatchException(ServiceError):
    """A token was used again with other parameters."""

    message_member = "Message"


class DuplicateItemException(ServiceError):
    """A PartiQL INSERT found an item with the same key."""


class TrimmedDataAccessException(ServiceError):
    """The records asked for are past the stream's retention."""


class ExpiredIteratorException(ServiceError):
    """A shard iterator is older than 15 minutes."""


class BackupNotFoundException(ServiceError):
    """The backup does not exist."""


class BackupInUseException(ServiceError):
    """The backup is being created, deleted or restored."""


class ContinuousBackupsUnavailableException(ServiceError):
    """Continuous backups cannot be had for the table."""


class PointInTimeRecoveryUnavailableException(ServiceError):
    """Point-in-time recovery is off for the source table."""


class InvalidRestoreTimeException(ServiceError):
    """The restore time is outside the window."""


class PolicyNotFoundException(ServiceError):
    """The resource has no policy."""


class GlobalTableNotFoundException(ServiceError):
    """The global table does not exist."""


class ReplicaNotFoundException(ServiceError):
    """The replica does not exist."""


class ExportNotFoundException(ServiceError):
    """The export does not exist."""


class ImportNotFoundException(ServiceError):
    """The import does not exist."""


class GlobalTableAlreadyExistsException(ServiceError):
    """The global table exists already."""


class ReplicaAlreadyExistsException(ServiceError):
    """The replica exists already."""


class ReplicatedWriteConflictException(ServiceError):
    """The item is being written in another region, too."""


class ExportConflictException(ServiceError):
    """An export with other parameters has the same token."""


class InvalidExportTimeException(ServiceError):
    """The time to export is outside the window."""


class ImportConflictException(ServiceError):
    """The import cannot be told from another one."""


class InvalidEndpointException(ServiceError):
    """The endpoint is not valid for the request."""

    status = 421


def _leaves(base: type[ServiceError]) -> dict[str, type[ServiceError]]:
    return {cls.wire_name or cls.__name__: cls for cls in base.__subclasses__()}


BY_CODE: dict[str, type[ServiceError]] = _leaves(ServiceError)
"""Wire name → class."""


def class_of(code: str) -> type[ServiceError]:
    """Give the class of a wire name, and that of all where the name is not known."""
    return BY_CODE.get(code, ServiceError)


def invalid(problem: str) -> ValidationException:
    """Word a rule that values of parameters break, as the service begins it."""
    return ValidationException(f"One or more parameter values were invalid: {problem}")


def service_error(code: str, message: str, status: int = 400, **fields: Any) -> ServiceError:
    """Make the error of a wire name; an unknown name keeps its name and status."""
    known = BY_CODE.get(code) or _unknown(code, status)
    return known(message, **fields)


@cache
def _unknown(code: str, status: int) -> type[ServiceError]:
    """Make a class of its own for a wire name that is not known, once: classes are kept."""
    return type(code, (ServiceError,), {"status": status})


def _restored(cls: type[SingletableError], *args: Any) -> SingletableError:
    return cls.__new__(cls, *args)


def _rebuild(code: str, message: str, status: int, fields: dict[str, Any]) -> ServiceError:
    return service_error(code, message, status, **fields)


_mixed: dict[type[SingletableError], type[Any]] = {}


def _caught_by_boto3(cls: type[Any], name: str) -> type[Any]:
    """Add botocore's error of a name to the bases of ``cls`` once somebody else loaded botocore."""
    botocore = sys.modules.get("botocore.exceptions")
    if botocore is None or issubclass(cls, theirs := getattr(botocore, name)):
        return cls
    mixed = _mixed.get(cls)
    if mixed is None:
        bases = (cls, theirs)
        mixed = _mixed[cls] = type(cls.__name__, bases, {"__module__": cls.__module__})
    return mixed
