"""boto3 clients and resources that are answered in this process, with no HTTP in between.

The clients are boto3's own: they check parameters, page, wait, and raise their own exceptions.
Only what botocore would send over the network goes to the engine instead, by the events that
botocore has for that. It reads no configuration, credentials or environment of AWS, and
nothing is ever sent anywhere.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

try:
    import boto3
except ModuleNotFoundError as error:
    error.add_note("boto3 comes with an extra: pip install 'singletable[aws]'")
    raise
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from botocore.session import Session as CoreSession
from botocore.utils import parse_to_aware_datetime

from singletable.engine import Engine
from singletable.errors import ServiceError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

NOBODY = "in-process"
REQUEST = "singletable.request"
NO_FILE = (None, None, os.devnull, None)
MOMENTS = {
    "ExportTableToPointInTime": ("ExportTime",),
    "GetShardIterator": ("Timestamp",),
    "ListBackups": ("TimeRangeLowerBound", "TimeRangeUpperBound"),
    "RestoreTableToPointInTime": ("RestoreDateTime",),
}
"""The members that botocore takes in many forms: as a ``datetime``, as seconds, or as text."""
PLAIN = Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 1})

_making = threading.Lock()


def client(engine: Engine, *, config: Config | None = None) -> DynamoDBClient:
    """Make a boto3 ``dynamodb`` client that the engine answers."""
    made: DynamoDBClient = _make("client", "dynamodb", engine, config)
    _bind(made, engine)
    return made


def streams_client(engine: Engine, *, config: Config | None = None) -> DynamoDBStreamsClient:
    """Make a boto3 ``dynamodbstreams`` client that the engine answers."""
    made: DynamoDBStreamsClient = _make("client", "dynamodbstreams", engine, config)
    _bind(made, engine)
    return made


def resource(engine: Engine, *, config: Config | None = None) -> DynamoDBServiceResource:
    """Make a boto3 ``dynamodb`` resource that the engine answers."""
    made: DynamoDBServiceResource = _make("resource", "dynamodb", engine, config)
    _bind(made.meta.client, engine)
    return made


def _make(kind: str, service: str, engine: Engine, config: Config | None) -> Any:
    if not isinstance(engine, Engine):
        raise TypeError(f"{engine!r} is no engine: give one where boto3 has the name of a service")
    # boto3's sessions are not made for threads.
    with _making:
        return getattr(_session(), kind)(
            service,
            region_name=engine.region,
            endpoint_url=engine.meta.endpoint_url,
            aws_access_key_id=NOBODY,
            aws_secret_access_key=NOBODY,
            config=PLAIN.merge(config) if config else PLAIN,
        )


@cache
def _session() -> boto3.Session:
    """Make a session that reads nothing of the machine's; kept, as it holds the parsed API."""
    variables = {
        name: (None, None, default, convert)  # neither a name in a file nor one in the environment
        for name, (_, _, default, convert) in CoreSession.SESSION_VARIABLES.items()
    }
    variables |= {"config_file": NO_FILE, "credentials_file": NO_FILE}
    return boto3.Session(botocore_session=CoreSession(session_vars=variables))


def _bind(made: Any, engine: Engine) -> None:
    """Have a client's requests answered by the engine."""

    def keep(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context[REQUEST] = params

    def answer(model: Any, context: dict[str, Any], **_: Any) -> tuple[AWSResponse, dict[str, Any]]:
        return _answer(engine, model, context[REQUEST])

    # Kept last, after a resource has turned Python values into attribute values.
    made.meta.events.register_last("before-parameter-build", keep)
    made.meta.events.register_first("before-call", answer)


def _answer(
    engine: Engine, model: Any, request: dict[str, Any]
) -> tuple[AWSResponse, dict[str, Any]]:
    """Call the engine; give what botocore would have parsed from HTTP."""
    operation = model.name
    if operation in MOMENTS:
        request = _with_moments(request, MOMENTS[operation])
    try:
        status, parsed = 200, engine.call(operation, request)
    except ServiceError as error:
        status, parsed = error.status, error.response | _declared(model, error)
    request_id = engine.request_id()
    headers = {"x-amzn-requestid": request_id}
    parsed["ResponseMetadata"] = {
        "RequestId": request_id,
        "HTTPStatusCode": status,
        "HTTPHeaders": headers,
        "RetryAttempts": 0,
    }
    url = engine.meta.endpoint_url
    return AWSResponse(url, status, HTTPHeaders.from_dict(headers), None), parsed


def _with_moments(request: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Read moments as botocore does when it sends them."""
    given = {name: request[name] for name in names if name in request}
    return request | {name: parse_to_aware_datetime(value) for name, value in given.items()}


def _declared(model: Any, error: ServiceError) -> dict[str, Any]:
    """Say an error's message as the member that it is too, where the API declares the error."""
    shape = model.service_model.shape_for_error_code(error.code)
    if not error.message or shape is None or error.message_member not in shape.members:
        return {}
    return {error.message_member: error.message}
