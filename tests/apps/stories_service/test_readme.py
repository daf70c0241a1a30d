"""The README says what the design and the routes are."""

from pathlib import Path

from fastapi.routing import APIRoute

import apps.stories
from apps.stories.api import ROUTERS
from apps.stories.design import Stories
from singletable.describe.description import description

README = Path(apps.stories.__path__[0], "README.md").read_text("utf-8")


def test_every_entity_stands_in_the_chart_with_its_keys() -> None:
    for entity in description(Stories).entities:
        row = next(line for line in README.splitlines() if line.startswith(f"| {entity.name} |"))
        for key in (entity.key, *entity.indexes):
            parting = " / " if key.index else " | "
            assert parting.join(f"`{text}`" for text in (*key.pk, *key.sk)) in row


def test_every_pattern_and_everything_that_can_be_read_is_named() -> None:
    assert all(f"`{name}`" in README for name in Stories.patterns)
    paths = [
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    ]
    for path in paths:
        short = path.replace("/stories/{story_id}/chapters/{node_id}", "…")
        assert f"`GET {path}`" in README or f"`GET {short}`" in README, path
