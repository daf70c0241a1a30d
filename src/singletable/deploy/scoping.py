"""What a role may do that is confined to a scope, as far as conditions on keys can keep it there.

Every partition key must hold the scope's value, and no key of the design that a condition lets
through may hold another's; what cannot be allowed so is left out, and a finding says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from singletable.store.store import Store

from .access import Holder, Need, Parameter, reads_of, writes_of
from .granting import Granted
from .leading import ANYTHING, Piece, Pieces, Variable, joined, key_pieces, leaks, shown, variables


class Scoped:
    """Allows what can be proved to stay in a scope."""

    def __init__(self, store: type[Store], scope: Mapping[str, str]) -> None:
        self._table = store.table
        self._scope = scope
        self._owners = _owners(store, scope)
        self._made = _made(store)

    def granted(self, needs: Iterable[Need]) -> Granted:
        """Allow what can be allowed; find what cannot."""
        granted = Granted()
        faults = [(need, self._fault(need)) for need in needs]
        refused = {need.whole for need, fault in faults if fault and not need.is_kept}
        for need, fault in faults:
            if fault and not (need.is_kept and need.whole in refused):
                granted.find(fault)
            elif need.whole not in refused and not fault:
                granted.allow(need, self._held(need))
        if any(need.entity and need.whole not in refused for need, _ in faults):
            self._find_open_indexes(granted)
        return granted

    def _fault(self, need: Need) -> str | None:
        """Say why something cannot be allowed; None if it can."""
        reason, names = need.reason[0].upper() + need.reason[1:], " and ".join(self._scope)
        if "Scan" in need.actions:
            return f"{reason}: left out, since no condition on keys can limit a scan"
        design = " and ".join(shown(key_pieces(part, need.filled_by)) for part in need.keys)
        place = f"{reason}: left out, since {need.index or 'the table'} at {design}"
        held = self._held(need)
        if set().union(*map(variables, held.values())) != set(self._scope):
            cure = ". A service has to write it, or the design keep it within the scope"
            return f"{place} does not tell {names}{cure if need.is_kept else ''}"
        for position, pieces in held.items():
            for made in self._made.get(need.index, {}).get(position, ()):
                if leaks(pieces, made, self._owners, self._table.delimiter):
                    return (
                        f"{place} cannot be told from {shown(made)} by a condition, "
                        "which may be another's"
                    )
        return None

    def _held(self, need: Need) -> dict[int, Pieces]:
        """Give the key attributes that hold a value of the scope, by their positions."""
        keys = {number: self._pieces(need, number) for number in range(len(need.keys))}
        return {number: pieces for number, pieces in keys.items() if variables(pieces)}

    def _pieces(self, need: Need, position: int) -> Pieces:
        def value(name: str) -> Piece:
            match need.sources.get(name):
                case None:
                    names = {name}
                case Parameter(parameter):
                    names = {name, parameter}
                case Holder(field):
                    names = {field}
                case known:
                    return known
            owned = (one for one, fields in self._owners.items() if fields & names)
            return next(map(Variable, owned), ANYTHING)

        return joined((*key_pieces(need.keys[position], value), *need.suffix))

    def _find_open_indexes(self, granted: Granted) -> None:
        names = [name for name, index in self._table.indexes.items() if not index.local]
        if names:
            granted.find(
                "A condition on keys says nothing of index keys: who may write items may write any "
                f"value there, and so put items into others' partitions of {', '.join(names)}. "
                "Where users are not trusted with that, let a service write"
            )


def _owners(store: type[Store], scope: Mapping[str, str]) -> dict[str, set[str]]:
    """Give the fields that hold each value of the scope: by their name, or as a pattern says."""
    owners = {name: {name} for name in scope}
    for need in reads_of(store):
        for name, source in need.sources.items():
            if isinstance(source, Parameter) and source.name in owners:
                owners[source.name].add(name)
    return owners


def _made(store: type[Store]) -> dict[str | None, dict[int, set[Pieces]]]:
    """Give all partition keys of a design, by index and position."""
    made: dict[str | None, dict[int, set[Pieces]]] = {}
    for schema in store.table.entities.values():
        for keys in schema.all_keys:
            _enter(made, keys.index.name, [key_pieces(part) for part in keys.pk])
    for need in writes_of(store):
        _enter(made, None, [joined((*key_pieces(part), *need.suffix)) for part in need.keys])
    return made


def _enter(
    made: dict[str | None, dict[int, set[Pieces]]], index: str | None, keys: Iterable[Pieces]
) -> None:
    for position, pieces in enumerate(keys):
        made.setdefault(index, {}).setdefault(position, set()).add(pieces)
