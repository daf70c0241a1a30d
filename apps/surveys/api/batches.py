"""Many changes of one survey at once, as a device sends them that was offline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter

from apps.service import Changes, Idempotent, Once, Problem, Work, checked
from apps.surveys.design import Owned, SurveyView
from apps.surveys.shapes import (
    Batch,
    BatchDone,
    ComponentChanges,
    ElementChanges,
    OneChange,
    SectionChanges,
)
from singletable import Transaction

from .here import WRITES, Here, Id, Own, editable

router = APIRouter(prefix="/surveys/{survey_id}", tags=["parts of a survey"])

TOGETHER: Final = 99
"""A transaction takes 100 writes; one of them is the receipt."""

SHAPES: Final[dict[str, type[Changes]]] = {
    "section": SectionChanges,
    "element": ElementChanges,
    "component": ComponentChanges,
}


@router.post("/batch", responses=WRITES)
def change_many(survey_id: Id, body: Batch, here: Here, store: Own, once: Idempotent) -> BatchDone:
    """Change up to 500 parts of a survey, each if nobody has changed it since.

    Up to 99 changes are made together or not at all. More are made in several steps, in their
    order: where one fails, those before it are done, and are not done again when the request is
    sent again with its Idempotency-Key, its last changes put right.
    """
    if len(body.changes) > TOGETHER and once.request_id is None:
        raise Problem(422, f"More than {TOGETHER} changes need an Idempotency-Key")
    left = [step for step in _steps(body, once) if step.is_left(store, here.tenant_id)]
    if left:
        editable(store, here, survey_id)
        parts = dict(_parts(store.survey(here.tenant_id, survey_id).strong().one()))
        works = [step.checked(parts) for step in left]
        for step, work in zip(left, works, strict=True):
            step.once.write(store, work, tenant_id=here.tenant_id)
    return BatchDone(changed=len(body.changes))


@dataclass(frozen=True, slots=True)
class Step:
    """As much of a batch as a transaction takes."""

    changes: Sequence[OneChange]
    once: Once

    def is_left(self, store: Own, tenant_id: str) -> bool:
        """Tell whether it is to be made yet."""
        return self.once.done(store, tenant_id=tenant_id) is None

    def checked(self, parts: dict[tuple[str, str], Owned]) -> Work:
        """Give what asks for the changes; refuse those that do not fit the parts."""
        changes = [_checked(one, parts) for one in self.changes]

        def work(tx: Transaction) -> dict[str, str]:
            for part, changed in changes:
                tx.update(part, changed.told())
            return {}

        return work


def _steps(body: Batch, once: Once) -> Iterator[Step]:
    for number in range(0, len(body.changes), TOGETHER):
        some = body.changes[number : number + TOGETHER]
        # The module that writes whatever JSON can hold: large numbers, half characters.
        asked = json.dumps([one.model_dump() for one in some]).encode()
        yield Step(some, once.step(number, asked))


def _parts(view: SurveyView) -> Iterator[tuple[tuple[str, str], Owned]]:
    """Give every part of a survey by its kind and id."""
    for section in view.sections:
        yield ("section", section.section.section_id), section.section
        for one in section.elements:
            yield ("element", one.element.element_id), one.element
            for component in one.components:
                yield ("component", component.component_id), component


def _checked(one: OneChange, parts: dict[tuple[str, str], Owned]) -> tuple[Owned, Changes]:
    """Give the part as its reader saw it, and the changes; refuse what does not fit."""
    found = parts.get((one.kind, one.id))
    if found is None:
        raise Problem(404, f"The survey has no {one.kind} {one.id}")
    changes = checked(SHAPES[one.kind], one.fields)
    return found.model_copy(update={"version": one.version}), changes
