"""Names of tables, columns, entities and fields, as the words that they are made of.

``user_id``, ``userId`` and ``UserID`` are the same two words, and ``Summaries`` is ``summary``.
Both sides go through the same rules, so that these need not be English, only the same.
"""

from __future__ import annotations

import json
import re
from keyword import iskeyword

Words = tuple[str, ...]

_LETTER = r"[^\W\d_A-Z]"  # of any script; only of Latin are capitals told apart
_WORD = re.compile(rf"[A-Z]+(?!{_LETTER})|[A-Z]?{_LETTER}+|\d+")
_IRREGULAR = {"people": "person", "children": "child", "series": "series", "data": "data"}
_TAKEN = {"back_rules", "in_place", "kinds", "queries", "row", "rows", "rules", "self", "store"}


def words(name: str) -> Words:
    """Give the words of a name, each as one of its kind; a schema before it is left out."""
    return tuple(_singular(word.lower()) for word in _WORD.findall(name.rpartition(".")[2]))


def identifier(name: str) -> str:
    """Write a name as Python writes those of functions; never as one that is taken."""
    made = "_".join(word.lower() for word in _WORD.findall(name)) or "table"
    if made[0].isdigit():
        made = f"table_{made}"
    return f"{made}_rows" if made in _TAKEN or iskeyword(made) else made


def quoted(text: str) -> str:
    """Write a text as Python code has it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _singular(word: str) -> str:
    if word in _IRREGULAR or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return _IRREGULAR.get(word, word)
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "uses", "xes", "ches", "shes")) else word[:-1]


def mean_the_same(one: Words, other: Words) -> bool:
    """Tell whether two names say the same, or are two usual ones for the same time."""
    return one == other or any({one, other} <= names for names in _SAME)


_SAME = [
    {words(name) for name in names.split(", ")}
    for names in (
        "created at, created, created on, creation date, creation time, inserted at",
        "updated at, updated, updated on, modified at, modified, last modified",
        "expires at, expires, expiry, ttl",
    )
]


def likeness(table: Words, entity: Words) -> int:
    """Tell how much the name of a table is like that of an entity: 3 is alike, 0 is not."""
    if table == entity:
        return 3
    if entity and entity in (table[: len(entity)], table[-len(entity) :]):
        return 2
    return int(bool(table) and table in (entity[: len(table)], entity[-len(table) :]))


def without(name: Words, owner: Words) -> Words | None:
    """Take the name of its owner off the beginning of a name: ``session name`` is ``name``."""
    starts = name[: len(owner)] == owner and len(name) > len(owner)
    return name[len(owner) :] if starts else None
