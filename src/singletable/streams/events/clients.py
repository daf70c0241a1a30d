"""boto3's clients, made when they are first used: declaring a sink imports and connects nothing."""

from __future__ import annotations

import threading
from typing import Any, Final

from singletable.errors import UsageError

THROTTLED: Final = frozenset(
    {
        "KMSThrottlingException",
        "KmsThrottled",
        "RequestLimitExceeded",
        "RequestThrottled",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
    }
)
"""Codes of errors that say: later."""
OPERATORS: Final = (
    *("AccessDenied", "Authorization", "Credential", "Token", "UnrecognizedClient"),
    *("NonExistent", "NotFound"),
)
"""Parts of codes that say: somebody has to let this program in, or make what it sends to."""
_ATTEMPTS: Final = 5
_SERVER_ERROR: Final = 500


class RequestFailed(Exception):
    """A request failed as a whole; ``again`` tells that it may go well later."""

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(reason)
        self.again = again


class Client:
    """Calls a service by the client that it was given, or one that it makes."""

    def __init__(
        self, service: str, given: Any, region: str | None, endpoint_url: str | None
    ) -> None:
        self._service = service
        self._made = given
        self._options = {"region_name": region, "endpoint_url": endpoint_url}
        self._making = threading.Lock()

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        """Answer a request; raise ``RequestFailed`` when boto3 has given up."""
        client = self._client()
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer: dict[str, Any] = getattr(client, operation)(**request)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            again = code in THROTTLED or status >= _SERVER_ERROR or _is_for_an_operator(code)
            raise RequestFailed(str(error), again=again) from error
        except BotoCoreError as error:
            raise RequestFailed(str(error), again=True) from error
        return answer

    def _client(self) -> Any:
        with self._making:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> Any:
        try:
            import boto3
            from botocore.config import Config
            from botocore.exceptions import BotoCoreError
        except ModuleNotFoundError as error:
            raise UsageError(
                "boto3, which events are sent to AWS with, is not installed: "
                'pip install "singletable[aws]"'
            ) from error
        make: Any = boto3.Session().client  # its types know services by their literal names
        config = Config(retries={"mode": "standard", "total_max_attempts": _ATTEMPTS})
        try:
            return make(self._service, config=config, **self._options)
        except (BotoCoreError, ValueError) as error:  # ValueError: an endpoint that is no URL
            raise UsageError(f"no client for {self._service} can be made: {error}") from error


def _is_for_an_operator(code: str) -> bool:
    """Tell what no event is at fault for, a missing queue or permission: it can be mended."""
    return any(part in code for part in OPERATORS)
