"""What a design's author chose to ignore: findings, by their code and place, each with a reason.

It stands in the store, as data, so that a design needs nothing of the checker:

    class Stories(Store, table=table):
        ignored = {"H403": {"Story.published": "some dozen stories are begun a day"}}

The place is the entity, the entity's index, the pattern or the index that the finding names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from singletable.store.store import Store

from .finding import Finding
from .rule import Rule, all_rules


@dataclass(frozen=True, slots=True)
class Ignored:
    """The part of a store that says what to ignore."""

    entries: Any

    @classmethod
    def of(cls, store: type[Store]) -> Ignored:
        """Take it from a store."""
        return cls(getattr(store, "ignored", {}))

    def reason(self, finding: Finding) -> str | None:
        """Say why a finding is ignored; None if it is not."""
        for code, place, reason in self._entries():
            if code == finding.code and place in finding.places and _is_reason(reason):
                return str(reason).strip()
        return None

    def faults(self, rules: Mapping[str, Rule], findings: Collection[Finding]) -> Iterator[Finding]:
        """Give what is wrong with the entries, as far as these rules were asked."""
        for code, place, reason in self._entries():
            matched = any(one.code == code and place in one.places for one in findings)
            if not _is_reason(reason) and "I601" in rules:
                yield rules["I601"].finding(
                    f"{code} is ignored at {place!r} without a reason, so it is not ignored",
                    f'write why: ignored = {{"{code}": {{"{place}": "because …"}}}}',
                )
            elif not matched and "I602" in rules and (code in rules or code not in all_rules()):
                meant = self._nearest(code, place, findings)
                fix = f"name {meant!r} if that is meant, or take it out" if meant else "take it out"
                yield rules["I602"].finding(_unmatched(code, place, findings), fix)

    def _nearest(self, code: str, place: str, findings: Collection[Finding]) -> str | None:
        """Give the place of a finding, not ignored yet, whose name is most like a given one."""
        open_ = [one for one in findings if one.code == code and self.reason(one) is None]
        names = sorted({name for one in open_ for name in one.places})
        return next(iter(get_close_matches(place, names, n=1)), None)

    def _entries(self) -> Iterator[tuple[str, str, object]]:
        entries = self.entries
        if not isinstance(entries, Mapping):  # codes alone, without a place or a reason
            codes = entries if isinstance(entries, list | tuple | set | frozenset) else [entries]
            entries = dict.fromkeys(map(str, codes))
        for code, places in entries.items():
            if isinstance(places, Mapping):
                yield from ((str(code), str(place), reason) for place, reason in places.items())
            else:
                yield str(code), "design", None


def _is_reason(reason: object) -> bool:
    return isinstance(reason, str) and bool(reason.strip())


def _unmatched(code: str, place: str, findings: Collection[Finding]) -> str:
    if code not in all_rules():
        return f"{code} is ignored at {place!r}, but there is no such rule"
    places = sorted({name for one in findings if one.code == code for name in one.places})
    elsewhere = f" there, but at {', '.join(places)}" if places else ""
    return f"{code} is ignored at {place!r}, and finds nothing{elsewhere}"
