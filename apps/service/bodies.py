"""Bodies that clients send."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

B = TypeVar("B", bound=BaseModel)


def checked(shape: type[B], content: Any) -> B:
    """Check a body, or a part of one, that FastAPI does not check."""
    try:
        is_text = isinstance(content, bytes)
        return shape.model_validate_json(content) if is_text else shape.model_validate(content)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error


class Sent(BaseModel):
    """A body that a client sends; what it has too much is refused, not overlooked."""

    model_config = ConfigDict(extra="forbid")


class Changes(Sent):
    """Has the fields that are to change, at least one; their defaults never count."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("name at least one field to change")
        return self

    def told(self) -> dict[str, object]:
        """Give the fields that were sent."""
        return self.model_dump(exclude_unset=True)
