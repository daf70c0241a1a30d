"""What R102 proves is what DynamoDB does: items of every entity are written, and patterns run.

Every text of every item and argument is "1", so that whatever can lie together does.
"""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from singletable import Entity, Store
from singletable.check.design import Design
from singletable.check.faults import asks_strongly
from singletable.check.rule import all_rules
from singletable.cli._target import load
from singletable.model.reads import Collection, Query
from tests.check.cases import cases

SEEDS = sorted((Path(__file__).parent / "seeds").glob("*_as_written.py"))
APPS = [f"apps.{name}.design" for name in ("campaigns", "stories", "surveys")]
DESIGNS = [*map(str, SEEDS), *map(str, cases("")), *APPS]
PLAIN: dict[Any, Any] = {
    str: "1",
    int: 1,
    bool: True,
    date: date(2026, 2, 1),
    datetime: datetime(2026, 2, 1, tzinfo=UTC),
}


def _value(annotation: Any) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in PLAIN:
        return PLAIN[annotation]
    if origin is Literal:
        return arguments[0]
    if origin in {list, dict, set}:
        return origin()
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation(**_values(annotation))
    return _value(next(one for one in arguments if one is not NoneType)) if arguments else "1"


def _values(model: type[BaseModel]) -> dict[str, Any]:
    return {name: _value(field.annotation) for name, field in model.model_fields.items()}


def _entity(entity: type[Entity]) -> Entity:
    """Make an item, with the library's own fields as they come."""

    def is_given(field: FieldInfo) -> bool:
        return field.is_required() or field.annotation in {str, str | None}

    fields = entity.model_fields.items()
    return entity(**{name: _value(one.annotation) for name, one in fields if is_given(one)})


def _read(store: Store, name: str) -> set[str] | None:
    """Run a pattern; name the entities of the items that DynamoDB gives."""
    method = store.patterns[name].method
    hints = {one: hint for one, hint in get_type_hints(method).items() if one != "return"}
    read = getattr(store, name)(**{one: _value(hint) for one, hint in hints.items()})
    if not isinstance(read, Query | Collection):
        return None
    if isinstance(read, Query):
        read = read.but(condition=None)  # what is filtered out was read, too
    answers = [store.backend.call("Query", request) for request in read.requests()]
    items = [item for one in answers for item in one["Items"]]
    # A narrow projection leaves out the type.
    kinds = {item.get(store.table.type_attribute, {}).get("S") for item in items}
    return {schema.name for kind, schema in store.table.entities.items() if kind in kinds}


def _foreign(design: Design) -> dict[str, set[str]]:
    """Give the entities that each pattern reads and does not ask for, as DynamoDB gives them."""
    found: dict[str, set[str]] = {}
    with design.store.connect(":memory:") as store:
        for schema in design.schemas:
            store.put(_entity(schema.entity))
        for trace in design.planned:
            asked = {schema.name for schema in trace.entities}
            if asks_strongly(trace) or trace.refused:
                continue
            if read := _read(store, trace.pattern.name):
                found[trace.pattern.name] = read - asked
    return {name: others for name, others in found.items() if others}


def _proved(design: Design) -> dict[str, set[str]]:
    """Give the entities that the rule names, by pattern."""
    return {
        str(one.pattern): set(re.findall(r"\w+", one.message.split("also reads")[1].split(":")[0]))
        for one in all_rules()["R102"].find(design)
    }


def _name(target: str) -> str:
    return "-".join(Path(target).parts[-2:])


@pytest.mark.parametrize("target", DESIGNS, ids=_name)
def test_whatever_else_a_pattern_reads_is_found(target: str) -> None:
    design = Design(load(target))
    proved = _proved(design)
    for name, others in _foreign(design).items():
        assert others <= proved.get(name, set()), name


@pytest.mark.parametrize("target", [str(seed) for seed in SEEDS], ids=_name)
def test_whatever_is_found_is_read(target: str) -> None:
    """Where no constant keeps a pattern from the items, all that is proved is seen."""
    design = Design(load(target))
    assert _foreign(design) == _proved(design)
