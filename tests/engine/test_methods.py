"""The engine has the methods of boto3's low-level clients."""

from __future__ import annotations

import botocore.session
import pytest

from singletable.engine import Engine
from singletable.engine.methods import Methods
from singletable.engine.operations import OPERATIONS

METHODS = {name for name in vars(Methods) if not name.startswith("_")}


@pytest.fixture(scope="module")
def boto3_methods() -> set[str]:
    """The operations of both of boto3's clients, as their methods are named."""
    session = botocore.session.get_session()
    clients = [
        session.create_client(service, region_name="local")
        for service in ("dynamodb", "dynamodbstreams")
    ]
    return {method for client in clients for method in client.meta.method_to_api_mapping}


def test_every_method_of_boto3_is_there(boto3_methods: set[str]) -> None:
    assert boto3_methods <= METHODS


def test_every_operation_has_a_method() -> None:
    assert {name.replace("_", "") for name in METHODS} == {name.lower() for name in OPERATIONS}


def test_a_method_answers_with_metadata_and_tells_what_it_does() -> None:
    with Engine() as engine:
        answer = engine.list_tables()
    assert answer["TableNames"] == []
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert Engine.put_item.__doc__


def test_an_unknown_parameter_is_refused_by_name() -> None:
    with Engine() as engine, pytest.raises(TypeError, match="Tablename"):
        engine.describe_table(Tablename="notes")
