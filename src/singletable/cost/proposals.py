"""The smallest change that would let a design serve a pattern that it cannot serve.

In this order: another index that serves it as it is, a field that the caller would have to know, a
key template in an index that the entity does not use yet, a new index. What is proposed has been
planned: the templates compile, and the query is one of their keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import count
from typing import Any, get_args, get_type_hints

from singletable.errors import KeyValueError, SingletableError
from singletable.model.entity import Entity
from singletable.model.keys import Keys, TemplateKey
from singletable.model.reads import Between, Query
from singletable.model.schema import Schema
from singletable.model.table import TableIndex
from singletable.store.tracing import Trace, filtered_keys

from .fillers import Filler
from .reasons import missing, refusal, template_of


@dataclass(frozen=True, slots=True)
class Wish:
    """What a pattern that cannot be planned asks for."""

    schema: Schema
    known: Mapping[str, Any]
    comparison: Any = None
    keys: Keys | None = None
    fault: Exception | None = None
    filtered: Sequence[str] = ()
    """Fields of its filter that are keys of what it reads."""

    @property
    def sample_refused(self) -> bool:
        """Tell whether it is only the sample in place of an argument that no key takes."""
        return isinstance(self.fault, KeyValueError) and "='‹" in str(self.fault)

    @property
    def is_partial(self) -> bool:
        """Tell whether the key serves it, but whole items are asked of an index of parts."""
        keys = self.keys
        if keys is None or keys.index.projection == "ALL":
            return False
        return refusal(keys, self.known, self.comparison) is None


def wish_of(trace: Trace) -> Wish | None:
    """Find out what a pattern asks for: from its description, or else from its signature."""
    read = trace.read
    if not isinstance(trace.fault, SingletableError):
        return None
    if isinstance(read, Query):
        filtered = filtered_keys(read)
        return Wish(read.schema, read.known, read.comparison, read.keys, trace.fault, filtered)
    returned = get_type_hints(trace.pattern.method).get("return")
    entity = next((one for one in get_args(returned) if _is_entity(one)), None)
    if entity is None:
        return None
    schema = entity.__schema__
    known = {name: value for name, value in trace.arguments.items() if name in schema.fields}
    return Wish(schema, known, keys=schema.keys)


def _is_entity(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Entity) and kind is not Entity


def lacks(wish: Wish) -> Iterator[str]:
    """Say what is missing for a wish to be served."""
    name = wish.schema.name
    for field in wish.known:
        if field not in wish.schema.fields:
            yield f"{name} has no field {field}: it has {', '.join(wish.schema.fields)}."
        elif not any(field in keys.fields for keys in wish.schema.all_keys):
            yield f"No key of {name} holds {field}."
    lacking = missing(wish.keys, wish.known) if wish.keys and wish.keys.pk else []
    if wish.keys and lacking:
        where = wish.keys.index.name or "the table"
        pk = template_of(wish.keys.pk)
        yield f"The partition key of {where}, {pk!r}, needs {', '.join(lacking)}."


def proposals(wish: Wish) -> Iterator[str]:
    """Give the changes that would serve a wish, the smallest first."""
    if wish.sample_refused:
        yield (
            "Annotate the parameter as the field is: the pattern was traced with a text of its "
            "own, which the field does not take."
        )
        return
    if wish.filtered and wish.keys:
        yield from _unfiltered(wish.keys, wish.filtered)
        return
    if wish.is_partial and wish.keys:
        index, name = wish.keys.index.name, wish.schema.name
        yield f"Read a part of each item with only(), or the items themselves with fetch({name})."
        yield f'Or have {index} hold whole items: projection="ALL".'
        return
    if not wish.known:
        yield "Give the pattern a parameter that names a partition, or say scan() if it means all."
        return
    others = list(_other_keys(wish))
    yield from others
    if not others:
        yield from _more_known(wish)
        yield from _new_keys(wish)


def _unfiltered(keys: Keys, fields: Sequence[str]) -> Iterator[str]:
    """Say what to do in place of a filter by keys."""
    known = {name for part in keys.pk for name in part.fields}
    for name in fields:
        if name in known:
            yield f"Leave {name} out of the filter: the query knows it, of every item."
        else:
            yield f"Compare {name} by .ge(), .between() or .begins_with(), and not by the filter."


def _other_keys(wish: Wish) -> Iterator[str]:
    for label, keys in {"": wish.schema.keys, **wish.schema.indexes}.items():
        if keys is wish.keys or not keys.pk or keys.index.projection != "ALL":
            continue
        if refusal(keys, wish.known, wish.comparison) is None:
            source = f"{wish.schema.name}.{label}" if label else wish.schema.name
            yield f"Ask {source}.query({_arguments(wish.known)}): its key serves it as it is."


def _more_known(wish: Wish) -> Iterator[str]:
    """Say which fields the caller would have to know for the key that was asked."""
    keys = wish.keys
    if keys is None or not keys.pk:
        return
    lacking = missing(keys, wish.known)
    gap = [name for name in keys.fields if name not in wish.known and name not in lacking]
    for more in (lacking, [*lacking, *gap[:1]], [*lacking, *gap]):
        known = {**wish.known, **{name: _stand_in(wish.schema, name) for name in more}}
        if more and refusal(keys, known, wish.comparison) is None:
            where = keys.index.name or "the table"
            yield f"Let the caller know {', '.join(more)} too: then the key of {where} serves it."
            return


def _new_keys(wish: Wish) -> Iterator[str]:
    equal = [name for name, value in wish.known.items() if not isinstance(value, Between)]
    if not equal or any(name not in wish.schema.fields for name in wish.known):
        return
    pk = "#".join(f"{_word(name)}#{{{name}}}" for name in equal)
    sk = "#".join(f"{{{name}{_spec(wish.schema, name)}}}" for name in _order(wish, equal))
    index, is_new = _free_index(wish.schema)
    if not _serves(wish, index, pk, sk):
        return
    add = f'add "{index.name}" to the indexes of {wish.schema.table!r}, and ' if is_new else ""
    yield (
        f"{add[:1].upper()}{add[1:]}{'declare' if add else 'Declare'} on {wish.schema.name}: "
        f'by_{"_and_".join(equal)} = Index("{index.name}", pk="{pk}", sk="{sk}"); then ask '
        f"{wish.schema.name}.by_{'_and_'.join(equal)}.query({_arguments(wish.known)})"
        f"{_compared(wish)}."
    )


def _order(wish: Wish, equal: list[str]) -> list[str]:
    """Choose what a new sort key is made of: what is compared, or a time, then what tells apart."""
    schema = wish.schema
    times = (*schema.updated_fields[:1], *schema.created_fields[:1])
    spans = [name for name, value in wish.known.items() if isinstance(value, Between)]
    first = spans or [name for name in [_comparable(wish, times)] if name]
    own = [name for name in schema.key_fields if name not in equal and name not in first]
    return [*first, *own[-1:]] or [schema.key_fields[-1]]


def _comparable(wish: Wish, times: tuple[str, ...]) -> str | None:
    """Find the field that a comparison, or else the order of time, is about."""
    operand = wish.comparison[1][0] if wish.comparison else None
    if operand is None:
        return next(iter(wish.schema.created_fields), None)
    if isinstance(operand, date) and times:
        return times[0]
    fields = wish.schema.fields.items()
    return next((name for name, one in fields if one.annotation is type(operand)), None)


def _spec(schema: Schema, name: str) -> str:
    numeric = schema.fields[name].annotation in {int, float, Decimal}
    return ":010d" if numeric else ""


def _word(name: str) -> str:
    return name.removesuffix("_id").upper()


def _free_index(schema: Schema) -> tuple[TableIndex, bool]:
    """Find an index of the table that the entity is not in, or think of a new one."""
    table = schema.table
    used = {keys.index.name for keys in schema.indexes.values()}
    for name, index in table.indexes.items():
        plain = len(index.pk) == len(index.sk) == 1 and not index.local
        if name not in used and plain and index.projection == "ALL":
            return index, False
    name = next(name for name in map("GSI{}".format, count(1)) if name not in table.indexes)
    return TableIndex(name, (f"{name}{table.pk}",), (f"{name}{table.sk or 'SK'}",)), True


def _serves(wish: Wish, index: TableIndex, pk: str, sk: str) -> bool:
    try:
        keys = Keys(
            index,
            (TemplateKey(index.pk[0], wish.schema.template(pk, "pk")),),
            (TemplateKey(index.sk[0], wish.schema.template(sk, "sk")),),
        )
    except SingletableError:
        return False
    return refusal(keys, wish.known, wish.comparison) is None


def _stand_in(schema: Schema, name: str) -> Any:
    return Filler(8, 1).field(schema.fields[name]) if name in schema.fields else "x"


def _arguments(known: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}=…" for name in known)


def _compared(wish: Wish) -> str:
    return f".{wish.comparison[0]}(…)" if wish.comparison else ""
