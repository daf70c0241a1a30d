"""The tree of errors: wire names, fallbacks, and what users may rely on."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from singletable import errors


@pytest.mark.parametrize("code", sorted(errors.BY_CODE))
def test_each_wire_name_has_its_class(code: str) -> None:
    error = errors.service_error(code, "why", Item={})
    assert type(error).__mro__.index(errors.ServiceError) > 0
    assert (error.code, error.message, error.fields) == (code, "why", {"Item": {}})


def test_an_unknown_wire_name_keeps_name_and_status() -> None:
    error = errors.service_error("BrandNewException", "why", 418)
    assert (error.code, error.status, str(error)) == ("BrandNewException", 418, "why")


def test_an_error_of_a_call_reads_as_that_of_boto3() -> None:
    refused: Any = {"Error": {"Code": "ResourceNotFoundException", "Message": "Requested resource"}}
    error = errors.service_error("ResourceNotFoundException", "Requested resource")
    assert str(error) == "Requested resource"
    error.operation_name = "GetItem"
    assert str(error) == str(ClientError(refused, "GetItem"))


def test_an_unknown_wire_name_has_one_class_however_often_it_comes() -> None:
    """Or each of them would stay in memory for good."""
    one, other = (errors.service_error("BrandNewException", why) for why in ("one", "other"))
    assert type(one) is type(other)
    assert type(one) is not type(errors.service_error("BrandNewException", "why", 418))


def test_botocore_is_never_imported_by_raising() -> None:
    program = (
        "import sys; from singletable.errors import ValidationException as V; V('x'); "
        "assert 'botocore' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


MADE: dict[type[errors.SingletableError], errors.SingletableError] = {
    errors.WaiterError: errors.WaiterError("why", {"Table": {}}),
    errors.Unreachable: errors.Unreachable("why", perhaps_done=False),
    errors.ConditionFailed: errors.ConditionFailed("why", {"x": 1}),
    errors.AlreadyExists: errors.AlreadyExists("why", {"x": 1}),
    errors.VersionConflict: errors.VersionConflict("why", 1, 2, {"x": 1}),
    errors.UniqueViolation: errors.UniqueViolation("why", "email"),
    errors.TransactionCancelled: errors.TransactionCancelled("why", ["one"]),
}
"""One of each class that takes more than a message."""


def every_class(base: type[Any] = errors.SingletableError) -> Iterator[type[Any]]:
    yield base
    for one in base.__subclasses__():
        if one.__module__ == errors.__name__ and vars(errors).get(one.__name__) is one:
            yield from every_class(one)


def pickled(error: Any) -> Any:
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - it was pickled here


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("cls", list(every_class()))
def test_every_error_can_be_pickled_and_copied(cls: type[Any], again: Callable[[Any], Any]) -> None:
    error = MADE.get(cls) or cls("why")
    other = again(error)
    assert other is not error
    assert isinstance(other, cls)
    assert type(other).__name__ == cls.__name__
    assert (str(other), other.args, vars(other)) == ("why", ("why",), vars(error))
