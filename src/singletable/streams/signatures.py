"""What a handler's annotations say: which changes of which entities, one or all of a batch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.store.writing.transactions import Transaction

from .changes import Change

FORMS = (
    "write change: Created[User], Modified[User], Deleted[User], Expired[User], Removed[User] or "
    "Change[User], several with |, or changes: list[…] of these for all of a batch"
)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a handler asks for."""

    wanted: tuple[tuple[type[Change[Any]], type], ...]
    """Kinds of change, each with an entity or a base of several."""
    batched: bool
    transactional: bool

    @classmethod
    def of(cls, method: Callable[..., Any], label: str) -> Signature:
        """Read the annotations of a method, or say what they should be."""
        hints = _hints(method, label)
        parameters = [name for name in inspect.signature(method).parameters if name != "self"]
        annotations = [hints.get(name) for name in parameters]
        if not annotations or annotations[0] is None:
            raise DesignError(f"{label} does not say which changes it is for: {FORMS}")
        first, *others = annotations
        batched = get_origin(first) is list
        wanted = tuple(_wanted(get_args(first)[0] if batched else first, label))
        if others not in ([], [Transaction]) or (batched and others):
            raise DesignError(
                f"{label} asks for more than it can be given: after a change, a Transaction alone; "
                "after a list of changes, nothing"
            )
        return cls(wanted, batched, bool(others))

    def takes(self, kind: type, entity: type) -> bool:
        """Tell whether a kind of change of an entity is asked for."""
        return any(issubclass(kind, each) and issubclass(entity, of) for each, of in self.wanted)


def _wanted(annotation: Any, label: str) -> Iterator[tuple[type[Change[Any]], type]]:
    origin = get_origin(annotation)
    if origin in {Union, UnionType}:
        for option in get_args(annotation):
            yield from _wanted(option, label)
        return
    kind = origin or annotation
    if not (isinstance(kind, type) and issubclass(kind, Change)):
        raise DesignError(f"{label} is for {annotation!r}, which is no change: {FORMS}")
    for entity in get_args(annotation) or (Any,):
        for one in get_args(entity) or (entity,):
            yield kind, _entity(one, label)


def _entity(entity: Any, label: str) -> type:
    if entity is Any:
        return Entity
    if isinstance(entity, type) and issubclass(entity, Entity):
        return entity
    raise DesignError(f"{label} is for changes of {entity!r}, which is no entity: {FORMS}")


def _hints(method: Callable[..., Any], label: str) -> dict[str, Any]:
    try:
        return get_type_hints(method)
    except NameError:  # perhaps of an entity that is local to the function which declares handlers
        pass
    try:
        return get_type_hints(method, localns=_callers_names())
    except NameError as error:
        raise DesignError(f"{label}: its annotations are not understood: {error}") from None


def _callers_names() -> dict[str, Any]:
    names: dict[str, Any] = {}
    frame = inspect.currentframe()
    while frame is not None:
        names = {**frame.f_locals, **names}
        frame = frame.f_back
    return names
