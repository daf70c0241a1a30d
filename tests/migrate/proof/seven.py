"""The seven tables that the surveying app had, filled from a number, and changed at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import orjson

from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import Engine
from singletable.migrate.sources.dynamodb import DynamoSource

Fields = dict[str, Any]

TABLES = ("Tenants", "Sections", "Elements", "Components", "Phrases", "ImageMetadata", "Surveys")
SURVEYS, IMAGES, PHRASES = 40, 220, 40
"""Of each tenant; its library has 4 sections with 3 elements each, and 2 components in each."""
ITEMS_A_TENANT = 1 + 4 + 12 + 24 + PHRASES + IMAGES + SURVEYS
MATERIALS = ("Clay", "Slate", "Concrete", "Timber", "Lead")
GRADES = ("Good", "Fair", "Poor", "N/A")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def create(path: Path) -> None:
    """Make the tables, empty."""
    with Engine(path) as engine:
        for name in TABLES:
            engine.create_table(
                TableName=name,
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )


def fill(path: Path, tenants: int) -> None:
    """Write all that some tenants have, each as its number tells."""
    with Engine(path) as engine, closing(DynamoSource(EmbeddedBackend(engine))) as source:
        for number in range(tenants):
            with engine.together():
                for table, items in Tenant(number).tables().items():
                    source.put(table, items)


class Tenant:
    """Makes the items of one tenant, the same whenever it is asked."""

    def __init__(self, number: int) -> None:
        self.id = f"t{number:04d}"
        self.chance = random.Random(number)  # noqa: S311 - no secret, and the same again

    def tables(self) -> dict[str, list[Fields]]:
        """Give all items, by table."""
        sections = [self._library_section(number) for number in range(4)]
        elements = [one for section in sections for one in section["elements"]]
        components = [one for element in elements for one in element["components"]]
        phrases = [self._phrase(number, elements) for number in range(PHRASES)]
        library = {"Sections": sections, "Elements": elements, "Components": components}
        flat = {name: [self._row(_flat(one)) for one in items] for name, items in library.items()}
        surveys = [self.survey(f"{self.id}-v{n}", sections, phrases) for n in range(SURVEYS)]
        return {
            "Tenants": [{**self._row({"id": self.id}), "name": f"Surveyors {self.id}"}],
            **flat,
            "Phrases": [self._row(one) for one in phrases],
            "ImageMetadata": [self.image(f"{self.id}-i{n}") for n in range(IMAGES)],
            "Surveys": surveys,
        }

    def image(self, name: str) -> Fields:
        """Give a photograph; some have no caption."""
        caption = {"caption": f"North wall {name}"} if self.chance.random() < 0.5 else {}
        return self._row({"id": name, "imagePath": f"photos/{name}.jpg", **caption})

    def survey(self, name: str, sections: list[Fields], phrases: list[Fields]) -> Fields:
        """Give a survey; two of three keep the library that they were begun with."""
        chance = self.chance
        content: Fields = {
            "title": f"{chance.randrange(200)} Harbour Street",
            "address": "Bristol",
            "clientName": f"Client {chance.randrange(50)}",
            "surveyDate": "2026-02-03",
            "status": chance.choice(["draft", "published", "archived"]),
            "sections": [self._seen(name, section) for section in sections[: 1 + len(name) % 3]],
        }
        if chance.random() < 0.67:
            content["config"] = {"sections": sections, "phrases": phrases[:10]}
        users = [f"user{chance.randrange(30)}" for _ in range(4)]
        row = {"id": name, "owner": users[0], "editors": users[1:3], "viewers": users[2:]}
        return {**self._row(row), "content": orjson.dumps(content).decode()}

    def _row(self, fields: Mapping[str, Any]) -> Fields:
        made = BEGIN + timedelta(minutes=self.chance.randrange(50_000))
        status = self.chance.choice(["synced", "synced", "pending", "failed"])
        return {
            **fields,
            "tenantId": self.id,
            "createdAt": _written(made),
            "updatedAt": _written(made + timedelta(minutes=self.chance.randrange(9_000))),
            "syncStatus": status,
            "syncError": "no network" if status == "failed" else None,
        }

    def _library_section(self, number: int) -> Fields:
        name = f"{self.id}-s{number}"
        elements = [self._library_element(f"{name}-e{n}", name, n) for n in range(3)]
        return {"id": name, "name": f"Section {number}", "order": number, "elements": elements}

    def _library_element(self, name: str, section: str, number: int) -> Fields:
        components = [self._library_component(f"{name}-c{n}", name) for n in range(2)]
        fields = {"id": name, "sectionId": section, "name": f"Element {number}", "order": number}
        return {**fields, "description": "Covering", "components": components}

    def _library_component(self, name: str, element: str) -> Fields:
        chosen = self.chance.sample(MATERIALS, 3)
        materials = [{"name": one} for one in chosen]
        return {"id": name, "elementId": element, "name": name[-2:], "materials": materials}

    def _phrase(self, number: int, elements: list[Fields]) -> Fields:
        fitting = self.chance.sample([one["id"] for one in elements], 2)
        return {
            "id": f"{self.id}-p{number}",
            "type": "Defect" if number % 2 else "Condition",
            "name": f"Cracked tiles {number}",
            "phrase": "Some tiles are cracked, and should be replaced within a year.",
            "associatedElementIds": fitting,
            "associatedComponentIds": [f"{fitting[0]}-c0"],
        }

    def _seen(self, survey: str, section: Fields) -> Fields:
        """Give a section, an element or a component as somebody filled it in on site."""
        parts: Fields = {
            below: [self._seen(survey, one) for one in section[below]]
            for below in ("elements", "components")
            if below in section
        }
        return {
            "id": f"{survey}-{section['id'].partition('-')[2]}",
            "name": section["name"],
            "order": section.get("order", 0),
            "condition": self.chance.choice(GRADES),
            "notes": "Seen from the ground." * self.chance.randrange(3),
            "photos": [f"{self.id}-i{self.chance.randrange(IMAGES)}"],
            "material": self.chance.choice(MATERIALS),
            **parts,
        }


def _flat(found: Fields) -> Fields:
    """Leave out what is below, which has items of its own."""
    return {name: value for name, value in found.items() if name not in ("elements", "components")}


def _written(moment: datetime) -> str:
    return moment.isoformat()


def writer(path: Path, tenants: int, seed: int) -> Iterator[None]:
    """Change the tables as the application did, one change at a time."""
    chance = random.Random(f"writer {seed}")  # noqa: S311 - no secret
    with closing(DynamoSource(str(path))) as source:
        for number in count():
            tenant = Tenant(chance.randrange(tenants))
            _change(source, tenant, chance, f"{tenant.id}-n{seed}-{number}")
            yield


def _change(source: DynamoSource, tenant: Tenant, chance: random.Random, new: str) -> None:
    survey = f"{tenant.id}-v{chance.randrange(SURVEYS)}"
    match chance.randrange(8):
        case 0:
            _edit(source, "Surveys", survey, lambda row: _edited_content(row, chance))
        case 1:
            _edit(source, "Surveys", survey, lambda row: {**row, "viewers": [f"user{new}"]})
        case 2:
            source.put("Surveys", [tenant.survey(new, [], [])])
        case 3:
            image = f"{tenant.id}-i{chance.randrange(IMAGES)}"
            _edit(source, "ImageMetadata", image, lambda row: {**row, "caption": new})
        case 4:
            source.put("ImageMetadata", [tenant.image(new)])
        case 5:
            phrase = f"{tenant.id}-p{chance.randrange(PHRASES)}"
            fits = [f"{tenant.id}-s0-e{chance.randrange(3)}"]
            _edit(source, "Phrases", phrase, lambda row: {**row, "associatedElementIds": fits})
        case 6:
            source.delete("Surveys", [(survey,)])
        case _:
            section = f"{tenant.id}-s{chance.randrange(4)}"
            _edit(source, "Sections", section, lambda row: {**row, "name": new})


def _edit(source: DynamoSource, table: str, name: str, change: Callable[[Fields], Fields]) -> None:
    [row] = source.fetch(table, [(name,)])
    if row is not None:
        source.put(table, [{**change(dict(row)), "updatedAt": _written(datetime.now(UTC))}])


def _edited_content(row: Fields, chance: random.Random) -> Fields:
    """Drop an element, rename a section, publish: parts of one survey come and go."""
    content = orjson.loads(row["content"])
    for section in content["sections"]:
        section["name"] = f"Renamed {chance.randrange(100)}"
        elements = section["elements"]
        section["elements"] = elements[1:] if chance.random() < 0.3 else elements
    content["status"] = "published"
    return {**row, "content": orjson.dumps(content).decode()}
