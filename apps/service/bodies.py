"""Bodies that clients send."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class Sent(BaseModel):
    """Is a body that a client sends; what it has too much is refused, not overlooked."""

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
