"""What a policy allows, collected, and written as IAM's statements with conditions on keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .access import Need
from .leading import Pieces, is_exact, rendered

Document = dict[str, Any]
Arn = Callable[[str], Any]
"""Names the table (""), or what is within it ("/index/GSI1"), in the way of a format."""
CONDITION_KEYS = (
    "dynamodb:LeadingKeys",
    "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues",
    "dynamodb:FourthPartitionKeyValues",
)


@dataclass(slots=True)
class Granted:
    """Collects what is allowed, by the index (None for the table) that it is allowed on."""

    actions: dict[str | None, set[str]] = field(default_factory=dict)
    keys: dict[str | None, dict[int, set[Pieces]]] = field(default_factory=dict)
    """By the position of a key attribute, the partition keys that it may have."""
    findings: dict[str, None] = field(default_factory=dict)

    @classmethod
    def all_of(cls, needs: Iterable[Need]) -> Granted:
        """Allow all, whatever the keys."""
        granted = cls()
        for need in needs:
            granted.allow(need, {})
        return granted

    def allow(self, need: Need, keys: Mapping[int, Pieces]) -> None:
        """Allow what is needed, at these keys."""
        self.actions.setdefault(need.index, set()).update(need.actions)
        places = self.keys.setdefault(need.index, {})
        for position, pieces in keys.items():
            places.setdefault(position, set()).add(pieces)

    def find(self, finding: str) -> None:
        """Remember a finding, once."""
        self.findings[finding] = None

    def statements(self, scope: Mapping[str, str], arn: Arn) -> Iterator[Document]:
        """Give a statement for the table, and one for all indexes that are allowed alike."""
        alike: dict[str, Document] = {}
        for index, actions in sorted(self.actions.items(), key=lambda each: each[0] or ""):
            statement = {
                "Effect": "Allow",
                "Action": [f"dynamodb:{action}" for action in sorted(actions)],
                **self._condition(index, scope),
            }
            known = f"{index is None} {json.dumps(statement)}"
            alike.setdefault(known, {**statement, "Resource": []})["Resource"].append(
                arn(f"/index/{index}" if index else "")
            )
        for number, statement in enumerate(alike.values()):
            sid = "Table" if None in self.actions and not number else f"Indexes{number}"
            order = ("Effect", "Action", "Resource", "Condition")
            yield {"Sid": sid, **{name: statement[name] for name in order if name in statement}}

    def _condition(self, index: str | None, scope: Mapping[str, str]) -> Document:
        if not scope:
            return {}
        condition: Document = {}
        for position, keys in sorted(self.keys[index].items()):
            like = not all(map(is_exact, keys))
            operator = "ForAllValues:StringLike" if like else "ForAllValues:StringEquals"
            texts = sorted(rendered(pieces, scope, like=like) for pieces in keys)
            condition.setdefault(operator, {})[CONDITION_KEYS[position]] = texts
            # All values of none are equal to anything: a request without keys must not pass.
            condition.setdefault("Null", {})[CONDITION_KEYS[position]] = "false"
        return {"Condition": condition}
