"""The drawing is well-formed, stands for itself, and nothing in it overlaps its box."""

from xml.etree import ElementTree as ET

import pytest

from apps.campaigns.design import Campaigns
from singletable import Store
from singletable.describe import describe
from singletable.describe.svg import CHAR
from tests.describe.designs import Shop
from tests.describe.golden import APPS

STORES = [*APPS.values(), Shop]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("store", STORES)
def test_it_is_well_formed_and_asks_for_nothing_else(store: type[Store]) -> None:
    root = ET.fromstring(describe(store, "svg"))  # noqa: S314 - our own text
    assert root.tag == f"{SVG}svg"
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "style", "g", "rect", "text"}
    assert "url(" not in describe(store, "svg")
    assert "@import" not in describe(store, "svg")


@pytest.mark.parametrize("store", STORES)
def test_everything_is_inside_the_picture(store: type[Store]) -> None:
    root = ET.fromstring(describe(store, "svg"))  # noqa: S314 - our own text
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.iter(f"{SVG}rect"):
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= width
        assert float(box.attrib["y"]) + float(box.attrib["height"]) <= height
    for text in root.iter(f"{SVG}text"):
        assert float(text.attrib["x"]) + len(text.text or "") * CHAR <= width


def test_the_keys_of_items_are_drawn() -> None:
    root = ET.fromstring(describe(Campaigns, "svg"))  # noqa: S314 - our own text
    texts = {element.text for element in root.iter(f"{SVG}text")}
    assert {"USER#‹user_id›", "CAMPAIGN#‹campaign_id›", "GSI1", "Summary"} <= texts


def test_it_has_a_title_for_those_who_cannot_see_it() -> None:
    root = ET.fromstring(describe(Campaigns, "svg"))  # noqa: S314 - our own text
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == "Item collections of rpg_sessions"
