"""Every access pattern of the three apps gives what it says, on the embedded engine."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from singletable import Query
from tests.apps import campaigns, stories, surveys
from tests.apps.worlds import Case, World, label

APPS = {"campaigns": campaigns, "stories": stories, "surveys": surveys}
CASES = [
    pytest.param(app, case, id=f"{app}: {case.says}")
    for app, module in APPS.items()
    for case in module.CASES
]


@pytest.fixture(scope="module")
def worlds() -> Iterator[dict[str, World[Any]]]:
    """Every app's store, with its data."""
    with ExitStack() as stack:
        made = {app: module.world() for app, module in APPS.items()}
        for world in made.values():
            stack.enter_context(closing(world.store))
        yield made


every_case = pytest.mark.parametrize(("app", "case"), CASES)
every_app = pytest.mark.parametrize("app", APPS)


@every_case
def test_a_pattern_gives_what_it_says(
    app: str, case: Case[Any], worlds: dict[str, World[Any]]
) -> None:
    """The items in their order, none of others, none skipped, in the stated number of requests."""
    world = worlds[app]
    assert world.run(case.read(world.store)) == (case.gives, case.requests)


@every_app
def test_a_query_gives_the_same_page_by_page(app: str, worlds: dict[str, World[Any]]) -> None:
    """However many items a page has; and as many are counted."""
    for case in worlds[app].cases:
        query = case.read(worlds[app].store)
        if isinstance(query, Query):
            assert label(list(query.but(page_size=1))) == case.gives, case.says
            assert label(list(query.but(page_size=3))) == case.gives, case.says
            assert query.count() == len(case.gives), case.says


@every_case
def test_a_page_has_the_declared_size(
    app: str, case: Case[Any], worlds: dict[str, World[Any]]
) -> None:
    read = case.read(worlds[app].store)
    declared = worlds[app].store.patterns[read.pattern].page
    assert {request.get("Limit") for request in read.requests()} == {declared}


@every_case
def test_a_pattern_gives_the_same_asynchronously(
    app: str, case: Case[Any], worlds: dict[str, World[Any]]
) -> None:
    read = case.read(worlds[app].store)
    if isinstance(read, Query):
        assert label(asyncio.run(read.aall())) == case.gives
    else:
        assert label(asyncio.run(read.afirst())) == next(iter(case.gives), None)


@every_app
def test_every_pattern_of_a_design_is_run(app: str, worlds: dict[str, World[Any]]) -> None:
    """A pattern that is added to a design is added to the cases of its app."""
    store = worlds[app].store
    run = {case.read(store).pattern for case in worlds[app].cases}
    assert run == set(store.patterns)


@every_app
def test_every_entity_of_a_design_is_read_as_it_was_written(
    app: str, worlds: dict[str, World[Any]]
) -> None:
    """All but the counts, which later items have changed."""
    world = worlds[app]
    for written in world.written:
        schema = written.__schema__
        key = {name: getattr(written, name) for name in schema.key_fields}
        found = world.store.bind(type(written).get(**key)).one()
        counts = {name: getattr(written, name) for name in schema.counts}
        assert found.model_copy(update=counts) == written
    assert {type(written).__name__ for written in world.written} == {
        schema.name for schema in world.store.table.entities.values()
    }
