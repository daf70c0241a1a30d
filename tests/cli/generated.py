"""Writes the source of a design of any size, to see how long it takes to judge."""

from __future__ import annotations

from collections.abc import Iterator

HEAD = '''"""A generated design."""

from datetime import datetime
from typing import Annotated, Literal

from singletable import (
    Entity, Get, Index, Query, Store, Table, Unique, count_of, created, pattern, ulid, updated,
    version,
)

table = Table("generated", indexes=["GSI1", "GSI2", "GSI3"])
'''

ENTITY = """
class E{n}(Entity, table=table, pk="TENANT#{{tenant_id}}", sk="E{n}#{{parent_id}}#{{e{n}_id}}"):
    by_status = Index("GSI1", pk="E{n}#{{tenant_id}}#{{status}}", sk="{{updated_at}}#{{e{n}_id}}")
    by_parent = Index("GSI2", pk="E{n}#{{parent_id}}", sk="{{order:05d}}#{{e{n}_id}}")

    tenant_id: str
    parent_id: str
    e{n}_id: str = ulid()
    name: {name}
    status: Literal["NEW", "OPEN", "DONE"] = "NEW"
    order: int = 0
    tags: list[str] = []
    note: str | None = None{count}
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()
"""

PATTERNS = (
    '''
    @pattern(rate_per_s=1)
    def get_{p}(self, tenant_id: str, parent_id: str, item_id: str) -> Get[E{n}]:
        """One item."""
        return E{n}.get(tenant_id=tenant_id, parent_id=parent_id, e{n}_id=item_id)
''',
    '''
    @pattern(rate_per_s=1, page=20)
    def list_{p}(self, tenant_id: str, parent_id: str) -> Query[E{n}]:
        """The items of a parent."""
        return E{n}.query(tenant_id=tenant_id, parent_id=parent_id).newest_first()
''',
    '''
    @pattern(rate_per_s=1, page=50)
    def status_{p}(self, tenant_id: str, since: datetime) -> Query[E{n}]:
        """What is done."""
        return E{n}.by_status.query(tenant_id=tenant_id, status="DONE").ge(since)
''',
    '''
    @pattern(page=20)
    def ordered_{p}(self, parent_id: str) -> Query[E{n}]:
        """The items of a parent, in their order."""
        return E{n}.by_parent.query(parent_id=parent_id)
''',
)


def source(entities: int, patterns: int) -> str:
    """Write a module with so many entities and access patterns."""
    return "".join([HEAD, *_entities(entities), *_store(entities, patterns)])


def _entities(number: int) -> Iterator[str]:
    for n in range(number):
        name = "Annotated[str, Unique()]" if n % 5 == 0 else "str"
        count = (
            f'\n    parts: int = count_of("E{n + 1}", e{n}_id="parent_id", parent_id="tenant_id")'
        )
        counts = n % 4 == 0 and n + 1 < number
        yield "\n" + ENTITY.format(n=n, name=name, count=count if counts else "")


def _store(entities: int, patterns: int) -> Iterator[str]:
    yield '\n\nclass Generated(Store, table=table):\n    """Many patterns."""\n'
    for p in range(patterns):
        yield PATTERNS[p % len(PATTERNS)].format(p=p, n=p % entities)
