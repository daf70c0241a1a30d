"""What Replicache's client sends and is answered, as of its push and pull version 1.

Requests are read as far as they matter here. What only the client's own code could have broken is
an ``InvalidRequest``; what the client knows how to deal with is an answer, with HTTP status 200.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from singletable.errors import SingletableError, UsageError
from singletable.model.validating import faults_of

Answer = dict[str, Any]
"""The JSON of an answer."""

CLIENT_STATE_NOT_FOUND: Answer = {"error": "ClientStateNotFound"}
"""Tells a client that what was known of it is gone: it starts anew."""
VERSION = 1
ORDER_MAX = 2**53 - 2
"""The last cookie after which JavaScript can count one further."""

Id = Annotated[str, Field(pattern=r"^[\w.:-]{1,128}$")]


class InvalidRequest(UsageError, ValueError):
    """A body is none that Replicache's client sends: HTTP status 400."""


class ForeignGroup(SingletableError):
    """A client group belongs to another user, or to another space: HTTP status 403."""


class _Message(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    @classmethod
    def of(cls, body: Any) -> Self:
        """Read the body of a request."""
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise InvalidRequest(
                f"This is no request of Replicache: {faults_of(cls.__name__, error)}"
            ) from error


class Mutation(_Message):
    """An edit that a client has made, and asks for."""

    id: int = Field(ge=1, le=ORDER_MAX)
    name: str
    args: Any = None
    client_id: Id = Field(alias="clientID")


class Push(_Message):
    """Asks to make the edits of the clients of a group."""

    client_group_id: Id = Field(alias="clientGroupID")
    push_version: int
    schema_version: str = ""
    mutations: list[Mutation]


class Pull(_Message):
    """Asks how to change what the clients of a group see."""

    client_group_id: Id = Field(alias="clientGroupID")
    pull_version: int
    schema_version: str = ""
    cookie: Any = None

    @property
    def order(self) -> int:
        """Tell which of the group's views the client has; 0 for none, or one not made here."""
        order = self.cookie.get("order") if isinstance(self.cookie, dict) else self.cookie
        return order if type(order) is int and 0 <= order <= ORDER_MAX else 0


def unsupported(request: Push | Pull, schemas: Collection[str] | None) -> Answer | None:
    """Give the answer to a client that is too new or too old; None to one that is not."""
    kind: Literal["push", "pull"] = "push" if isinstance(request, Push) else "pull"
    version = request.push_version if isinstance(request, Push) else request.pull_version
    if version != VERSION:
        return {"error": "VersionNotSupported", "versionType": kind}
    if schemas is not None and request.schema_version not in schemas:
        return {"error": "VersionNotSupported", "versionType": "schema"}
    return None
