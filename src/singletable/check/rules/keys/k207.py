"""K207: a list in an item grows without bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from annotated_types import MaxLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule

MANY = (list, set, frozenset, dict, tuple, Sequence, Mapping)


class K207(Rule):
    """A list in an item may grow without bound.

    An item has at most 400 KB. A list of comments or of members works until the most active user
    reaches that, and then every write to the item fails. Long before, each small change rewrites
    and pays for the whole list, and two people who append at once overwrite each other.

    Make each member an item of its own in the parent's partition; one query reads them together.
    Where the list is short by nature, say so: `Annotated[list[str], Field(max_length=20)]`.
    """

    name = "unbounded-list"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find lists and maps without a length; worse, if they hold models."""
        for schema in design.schemas:
            open_ended = {
                name: _member(field.annotation)
                for name, field in schema.fields.items()
                if _member(field.annotation) is not None and not _is_bounded(field)
            }
            models = [name for name, member in open_ended.items() if _is_model(member)]
            if open_ended:
                named = ", ".join(models or open_ended)
                yield self.finding(
                    f"{schema.name} holds {named} in the item itself, of any length: at 400 KB "
                    "every write to it fails, and before that each change pays for the whole",
                    f"make the members items of their own, or bound the list: "
                    f"{(models or list(open_ended))[0]}: Annotated[list[…], Field(max_length=…)]",
                    schema=schema,
                    severity="warning" if models else "note",
                )


def _member(annotation: Any) -> Any:
    """Give the type of the members of a list or map; None if the field is neither."""
    origin = get_origin(annotation)
    if origin in {Union, UnionType}:
        options = (_member(one) for one in get_args(annotation) if one is not NoneType)
        return next((one for one in options if one is not None), None)
    if origin is Annotated:
        return _member(get_args(annotation)[0])
    if origin in MANY and not (origin is tuple and Ellipsis not in get_args(annotation)):
        arguments = get_args(annotation)
        return arguments[-1] if origin in {dict, Mapping} else arguments[0]
    return Any if annotation in {list, set, dict, frozenset} else None


def _is_bounded(field: FieldInfo) -> bool:
    return any(isinstance(one, MaxLen) for one in field.metadata)


def _is_model(member: Any) -> bool:
    return isinstance(member, type) and issubclass(member, BaseModel)
