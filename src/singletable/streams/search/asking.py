"""From what a user asks to what an index is asked: of which documents, for whom, with filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from singletable.errors import UsageError
from singletable.model.entity import Entity

from .documents import Document, Layout
from .facets import Test
from .questions import Question, Term, terms_of

Entities = type[Entity] | Sequence[type[Entity]] | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A search that was checked; all of its pages have it in common."""

    terms: tuple[Term, ...]
    realms: Mapping[str, Document]
    """The realms that the scope may see, each with the document that is of it."""
    weights: Mapping[str, float]
    tests: tuple[Test, ...]

    @classmethod
    def of(
        cls,
        layout: Layout,
        text: str,
        entity: Entities,
        scope: Mapping[str, Any],
        filters: Mapping[str, Any],
    ) -> Asked:
        """Read what is asked of the documents of a layout; refuse what they cannot answer."""
        documents = _searched(layout, entity)
        realms = _realms(layout, documents, scope)
        tests = tuple(_test(documents, name, value) for name, value in filters.items())
        weights = {
            layout.columns_of[one.schema.type][name]: weight
            for one in documents
            for name, weight in one.weights.items()
        }
        return cls(terms_of(text), realms, weights, tests)

    @property
    def binding(self) -> bytes:
        """Tell this search from others: its cursors are for no other."""
        return sha256(orjson.dumps([self.terms, *self.realms, *map(repr, self.tests)])).digest()

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing can be found: there is no word, or a filter that lists no value."""
        return not self.terms or not all(getattr(test, "texts", True) for test in self.tests)

    def question(self, now: float, limit: int, after: tuple[float, str] | None) -> Question:
        """Ask for so many documents, from the beginning or behind one."""
        realms = tuple(self.realms)
        return Question(self.terms, realms, self.weights, self.tests, now, limit, after)


def _searched(layout: Layout, entity: Entities) -> list[Document]:
    """Give the documents of entities, or of those derived from them."""
    wanted = (Entity,) if entity is None else (entity,) if isinstance(entity, type) else entity
    if not wanted:
        raise UsageError("entity=[] names nothing to search: leave it out to search all there is")
    documents = layout.by_type.values()
    for one in wanted:
        if not any(issubclass(document.entity, one) for document in documents):
            known = ", ".join(document.schema.name for document in documents)
            raise UsageError(f"{one.__name__} is not in the index, which has {known}")
    return [document for document in documents if issubclass(document.entity, tuple(wanted))]


def _realms(
    layout: Layout, documents: Sequence[Document], scope: Mapping[str, Any]
) -> dict[str, Document]:
    """Give the realms that a scope may see; refuse what no document is scoped by."""
    known = {name for document in layout.by_type.values() for name in document.scope}
    if unknown := [name for name in scope if name not in known]:
        scoped = ", ".join(sorted(known)) or "nothing"
        raise UsageError(f"scope={{{unknown[0]!r}: …}}: the index is scoped by {scoped}")
    return {document.realm(scope): document for document in documents}


def _test(documents: Sequence[Document], name: str, value: Any) -> Test:
    for document in documents:
        if name not in document.filters:
            known = ", ".join(document.filters) or "none"
            raise UsageError(
                f"{document.schema.name} cannot be filtered by {name}: its filters are {known}; "
                "entity=… says what else to search"
            )
    return documents[0].filters[name].test(value)
