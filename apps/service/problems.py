"""What is answered when something is refused: one shape for all, that of RFC 9457."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from singletable import (
    AlreadyExists,
    ConditionFailed,
    Contended,
    InvalidCursor,
    KeyValueError,
    LargeMissing,
    NotFound,
    ObjectStoreFailed,
    ServiceError,
    SingletableError,
    Throttled,
    TransactionCancelled,
    UniqueViolation,
    Unreachable,
    VersionConflict,
)

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"


class ProblemDetails(BaseModel):
    """Says what went wrong: the body of every answer from 400 on."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    faults: list[dict[str, Any]] = []


class Problem(HTTPException):
    """An answer that says what went wrong."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)


HEADERS_OF: Final[dict[int, dict[str, str]]] = {
    401: {"WWW-Authenticate": "Bearer"},
    503: {"Retry-After": "1"},
}
# The first that fits, so what is special stands before what is general.
STATUS_OF: Final[tuple[tuple[type[SingletableError], int], ...]] = (
    (NotFound, 404),
    (VersionConflict, 412),
    (Contended, 503),
    (AlreadyExists, 409),
    (UniqueViolation, 409),
    (ConditionFailed, 409),
    (InvalidCursor, 400),
    (KeyValueError, 422),
    (LargeMissing, 503),  # it was replaced, or deleted, after the item was read
    (Throttled, 503),
    (Unreachable, 503),
    (ObjectStoreFailed, 503),
)
# What the library says of these is for who calls it in Python.
TOLD: Final[dict[type[SingletableError], str]] = {
    VersionConflict: "Somebody has changed it meanwhile: read it again, and change what it is now",
    InvalidCursor: "after is not a cursor that was given here, for this list",
}
BUSY: Final = "This cannot be done at the moment: send it again, after Retry-After"


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Name the refusals of a route, for its documentation."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


def add_problems(app: FastAPI) -> None:
    """Answer every refusal in one shape."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(SingletableError, _library)
    app.add_exception_handler(Exception, _unexpected)


def answer(
    status: int,
    detail: str = "",
    *,
    headers: Mapping[str, str] | None = None,
    faults: list[dict[str, Any]] | None = None,
) -> JSONResponse:
    """Make the answer of a refusal."""
    body = ProblemDetails(
        title=HTTPStatus(status).phrase, status=status, detail=detail, faults=faults or []
    )
    whole = {**HEADERS_OF.get(status, {}), **(headers or {})}
    return JSONResponse(body.model_dump(), status, headers=whole, media_type=MEDIA_TYPE)


def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return answer(error.status_code, error.detail, headers=error.headers)


def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [{"at": list(one["loc"]), "fault": one["msg"]} for one in error.errors()]
    return answer(422, "The request does not have the form that it should have.", faults=faults)


def _library(request: Request, error: Exception) -> JSONResponse:
    cause = _first_failure(error) if isinstance(error, TransactionCancelled) else error
    for kind, status in STATUS_OF:
        if isinstance(cause, kind):
            is_busy = status == HTTPStatus.SERVICE_UNAVAILABLE
            return _busy(request, cause) if is_busy else answer(status, TOLD.get(kind, str(cause)))
    if isinstance(cause, ServiceError) and cause.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _busy(request, cause)
    return _unexpected(request, error)


def _busy(request: Request, cause: Exception) -> JSONResponse:
    """Have a client come again; what is out of reach is named in the log alone."""
    log.warning("%s %s could not be done", request.method, request.url.path, exc_info=cause)
    return answer(503, BUSY)


def _first_failure(error: TransactionCancelled) -> Exception:
    """Give why a transaction failed: the error of the first of its actions that did."""
    cause: Exception = error.failures[0].error
    return cause


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return answer(500, "Something failed here; it is logged.")
