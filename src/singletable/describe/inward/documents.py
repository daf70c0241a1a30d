"""How foreign documents are read: checked by pydantic, faults told by their place.

What a document has beyond what is asked for is left alone, as formats grow. A list that is null is
an empty one.
"""

from __future__ import annotations

from base64 import b64decode
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_pascal

from singletable.errors import UsageError
from singletable.values import Item

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

Listed = Annotated[tuple[T, ...], BeforeValidator(lambda given: () if given is None else given)]
Name = Annotated[str, Field(min_length=1)]


class PascalCase(BaseModel):
    """A part of a document whose members are named as AWS names them."""

    model_config = ConfigDict(alias_generator=to_pascal)


def checked(kind: type[M], document: Any, what: str) -> M:
    """Read a document, or say where it is not what it should be."""
    try:
        return kind.model_validate(document)
    except ValidationError as faults:
        first = faults.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(f"It is no {what}: {place}: {first['msg']}") from None


def _number(text: str) -> str:
    try:
        Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is no number") from None
    return text


def _binary(given: Any) -> bytes:
    if not isinstance(given, str):
        raise ValueError(f"{given!r} is not base64")  # noqa: TRY004 - what pydantic collects
    return b64decode(given, validate=True)


_Number = Annotated[str, BeforeValidator(str), AfterValidator(_number)]
_Binary = Annotated[bytes, BeforeValidator(_binary)]


class Value(BaseModel):
    """An attribute value of DynamoDB JSON."""

    model_config = ConfigDict(extra="forbid")

    S: str | None = None
    N: _Number | None = None
    B: _Binary | None = None
    BOOL: bool | None = None
    NULL: bool | None = None
    SS: list[str] | None = None
    NS: list[_Number] | None = None
    BS: list[_Binary] | None = None
    L: list[Value] | None = None
    M: dict[str, Value] | None = None

    @model_validator(mode="after")
    def _has_one_type(self) -> Value:
        values = [getattr(self, kind) for kind in self.model_fields_set]
        if len(values) != 1 or values[0] is None:
            raise ValueError("a value has one type, as in {'S': 'text'}")
        return self


JsonItem = dict[Name, Value]


def item_of(read: JsonItem) -> Item:
    """Give an item as the library has it; what is NULL is left out."""
    present = {name: value for name, value in read.items() if value.NULL is None}
    return {name: value.model_dump(exclude_unset=True) for name, value in present.items()}


class Projection(PascalCase):
    """Which attributes an index holds."""

    projection_type: str = "ALL"
    non_key_attributes: Listed[str] = ()

    @property
    def held(self) -> str | tuple[str, ...]:
        """Give it as a design does."""
        if self.projection_type == "INCLUDE":
            return self.non_key_attributes
        return self.projection_type
