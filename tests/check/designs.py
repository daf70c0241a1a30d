"""Designs made on the spot: for what is asked of a design as a whole."""

from types import new_class
from typing import Any, cast

from singletable import Entity, Index, Query, Store, Table, pattern


def large_design(entities: int, patterns: int) -> type[Store]:
    """Make a design of so many entities and patterns, of five entities a partition."""
    indexes = [f"GSI{number}" for number in range(1, 6)]
    table = Table("large", indexes=indexes)
    made = [_entity(table, number, indexes) for number in range(entities)]
    methods = {
        f"pattern_{number}": _pattern(f"pattern_{number}", made[number % entities], number)
        for number in range(patterns)
    }
    return type("Large", (Store,), methods, table=table)


def _entity(table: Table, number: int, indexes: list[str]) -> Any:
    index = indexes[number % len(indexes)]
    body = {
        "__module__": __name__,
        "__annotations__": {"owner_id": str, "item_id": str, "parent_id": str, "order": int},
        "by_parent": Index(
            index, pk="OWNER#{owner_id}#P#{parent_id}", sk="E#{order:05d}#{item_id}"
        ),
    }
    keys = {"pk": f"GROUP{number // 5}#{{owner_id}}", "sk": f"KIND{number}#{{item_id}}"}
    return new_class(
        f"Entity{number}", (Entity,), {"table": table, **keys}, lambda space: space.update(body)
    )


def _pattern(name: str, entity: Any, number: int) -> Any:
    def by_key(self: Store, owner_id: str) -> Query[Any]:
        return cast("Query[Any]", entity.query(owner_id=owner_id))

    def by_parent(self: Store, owner_id: str, parent_id: str) -> Query[Any]:
        found = entity.by_parent.query(owner_id=owner_id, parent_id=parent_id)
        return cast("Query[Any]", found)

    method = by_parent if number % 2 else by_key
    method.__name__ = name
    return pattern(page=20)(method)
