"""AWS's own model of the API, from botocore, to hold the engine's requests and answers against."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any

import botocore.session
from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "blob": (bytes,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "double": (float,),
    "timestamp": (datetime,),
}


@cache
def operations() -> dict[str, OperationModel]:
    """Map the names of all operations to their models."""
    session = botocore.session.get_session()
    models = [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
    return {name: model.operation_model(name) for model in models for name in model.operation_names}


def check_answer(operation: str, answer: dict[str, Any]) -> None:
    """Fail where an answer has something that the API's model has not."""
    shape: Any = operations()[operation].output_shape
    assert (list(_strangers(answer, shape, operation)) if shape else list(answer)) == []


def _strangers(value: Any, shape: Shape, path: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        yield from (f"{path}.{name}" for name in value if name not in shape.members)
        for name, member in shape.members.items():
            if name in value:
                yield from _strangers(value[name], member, f"{path}.{name}")
    elif isinstance(shape, ListShape):
        for each in value:
            yield from _strangers(each, shape.member, f"{path}[]")
    elif isinstance(shape, MapShape):
        for name, each in value.items():
            yield from _strangers(each, shape.value, f"{path}.{name}")
    elif not isinstance(value, _TYPES[shape.type_name]):
        yield f"{path}: {value!r} is no {shape.type_name}"
