"""What it means that both sides agree: on one answer, and on a run of pages.

Answers are equal but for the order of what has none: members of sets, items of a scan or a batch,
items of an index with equal keys. Refusals have the same code and words. What is listed in
``known`` is taken out first.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson

from .known.answers import comparable, diverges, reads_more
from .known.refusals import same_refusal
from .outcome import Outcome, Step, canonical


def bag(items: list[Any]) -> Counter[bytes]:
    """Give items without their order."""
    return Counter(orjson.dumps(canonical(each), option=orjson.OPT_SORT_KEYS) for each in items)


class Diverged(Exception):
    """The sides are known to have different contents from here on."""


def agree(step: Step, ours: Outcome, local: Outcome) -> None:
    """Raise if two outcomes differ."""
    if step.operation == "BatchExecuteStatement" and not (ours.failed or local.failed):
        responses = zip(ours.answer["Responses"], local.answer["Responses"], strict=True)
        for request, pair in zip(step.request["Statements"], responses, strict=True):
            agree(Step("ExecuteStatement", request), *map(_response, pair))
        return
    if diverges(step, ours, local):
        raise Diverged
    assert ours.failed == local.failed, shown(step, ours, local)
    if ours.failed:
        assert same_refusal(step, ours, local), shown(step, ours, local)
    if ours.code == local.code != "TransactionCanceledException":
        left, right = comparable(step, ours.answer, local.answer)
        assert _unordered(step, left) == _unordered(step, right), shown(step, ours, local)


def _response(answer: dict[str, Any]) -> Outcome:
    """Give the outcome of one statement of a batch."""
    error = answer.get("Error", {})
    rest = {name: content for name, content in answer.items() if name != "Error"}
    return Outcome(rest, error.get("Code", ""), error.get("Message", ""))


def _unordered(step: Step, answer: dict[str, Any]) -> Any:
    if step.operation == "BatchGetItem":
        found = answer.get("Responses", {})
        return {**answer, "Responses": {table: bag(items) for table, items in found.items()}}
    if "Items" in answer and not _is_ordered(step):
        return {**answer, "Items": bag(answer["Items"])}
    return canonical(answer)


def _is_ordered(step: Step) -> bool:
    """Tell whether items have one order only: an index may have several with equal keys."""
    return step.operation == "Query" and "IndexName" not in step.request


def agree_on_pages(
    step: Step, ours: list[Outcome], local: list[Outcome], sorted_by: tuple[str, ...]
) -> None:
    """Raise if the pages of a query or scan differ; queries are sorted by some attributes."""
    if reads_more(step, ours[0], local[0]):
        return
    if _is_ordered(step) or len(ours) == len(local) == 1 or ours[0].failed or local[0].failed:
        assert len(ours) == len(local), shown(step, ours, local)
        for pair in zip(ours, local, strict=True):
            agree(step, *pair)
    left, right = _summary(ours, sorted_by), _summary(local, sorted_by)
    assert left == right, shown(step, ours, local)


def _summary(pages: list[Outcome], sorted_by: tuple[str, ...]) -> Any:
    """Sum up pages whose bounds depend on the order of items that have none."""
    answers = [page.answer for page in pages]
    items = [each for answer in answers for each in answer.get("Items", ())]
    return (
        {page.failed for page in pages},
        sum(answer.get("Count", 0) for answer in answers),
        sum(answer.get("ScannedCount", 0) for answer in answers),
        bag(items),
        [[each.get(name) for name in sorted_by] for each in items],
    )


def shown(step: Step, ours: Any, local: Any) -> str:
    """Show what was asked, and what came of it on both sides."""
    return f"{step.operation} {step.request}\n ours: {ours}\nlocal: {local}"
