"""How an entity says that it is in an index, and how that index is asked for its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .fields import allowed_values
from .reads import Query, Scan

if TYPE_CHECKING:
    from .entity import Entity
    from .schema import Schema

E = TypeVar("E", bound="Entity")

Part = str | Sequence[str] | None


class Index:
    """Puts an entity into an index of its table.

    A text is a key template; a list names fields that are key attributes themselves. ``when`` says
    which items are in the index: those whose fields have these values (one, or any of several).
    """

    def __init__(
        self,
        name: str,
        *,
        pk: Part = None,
        sk: Part = None,
        when: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.pk = pk
        self.sk = sk
        self.when = allowed_values(when)
        self.label = ""

    def __set_name__(self, owner: type, label: str) -> None:
        self.label = label

    def __get__(self, instance: object, owner: type[E]) -> EntityIndex[E]:
        return EntityIndex(owner.__schema__, self.label)


class EntityIndex(Generic[E]):
    """Asks an index for the items of an entity."""

    __slots__ = ("_label", "_schema")

    def __init__(self, schema: Schema, label: str) -> None:
        self._schema = schema
        self._label = label

    def query(self, **known: Any) -> Query[E]:
        """Describe a query of the index, by the fields that are known; sends nothing."""
        return Query.by(self._schema, self._schema.index(self._label), known)

    def scan(self) -> Scan[E]:
        """Describe a scan of the whole index: for an index that holds few items."""
        return Scan(schema=self._schema, keys=self._schema.index(self._label))
