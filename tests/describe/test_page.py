"""The page is well-formed HTML, needs no network, and can be used without scripts."""

from html.parser import HTMLParser

import pytest

from singletable import Store
from singletable.describe import describe
from tests.describe.designs import Shop
from tests.describe.golden import APPS

VOID = {"meta", "br", "input"}
STORES = [*APPS.values(), Shop]


class Checked(HTMLParser):
    """Checks that what is opened is closed, and keeps what the tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last."""
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        """Keep a text by the tag that it is in."""
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Give the attributes of every such tag."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.parametrize("store", STORES)
def test_every_tag_is_closed_and_every_id_is_one(store: type[Store]) -> None:
    page = Checked(describe(store, "html"))
    assert page.open == []
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("store", STORES)
def test_it_makes_no_request(store: type[Store]) -> None:
    page = Checked(describe(store, "html"))
    for tag, attributes in page.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not attributes.keys() & {"src", "srcset", "action", "data", "background"}
    targets = [str(link["href"]) for link in page.all("a")]
    ids = {attributes.get("id") for _, attributes in page.tags}
    assert all(target.startswith("#") and target[1:] in ids for target in targets)
    policies = [one["content"] for one in page.all("meta") if "http-equiv" in one]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"]
    assert "url(" not in "".join(page.texts["style"])


def test_it_says_what_it_is_to_those_who_hear_it() -> None:
    page = Checked(describe(Shop, "html"))
    assert page.all("html") == [{"lang": "en"}]
    assert all(head == {"scope": "col"} for head in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    assert page.all("label") == [{"for": "search"}]
    assert [len(page.all(tag)) for tag in ("h1", "main", "nav", "title")] == [1, 1, 1, 2]


def test_without_scripts_everything_is_shown_but_the_search() -> None:
    page = Checked(describe(Shop, "html"))
    hidden = [attributes["id"] for _, attributes in page.tags if "hidden" in attributes]
    assert hidden == ["searching"]


def test_a_search_finds_the_items_of_a_partition_by_its_key() -> None:
    page = Checked(describe(APPS["campaigns"], "html"))
    rows = [str(row.get("data-text")) for row in page.all("tr") if "data-text" in row]
    assert sum("rpg_sessions user#‹user_id›" in row for row in rows) > 2


def test_it_is_light_and_dark() -> None:
    style = "".join(Checked(describe(Shop, "html")).texts["style"])
    assert "color-scheme:light dark" in style
    assert "prefers-color-scheme:dark" in style


def test_what_html_would_read_as_its_own_is_escaped() -> None:
    text = describe(Shop, "html")
    assert "A shop; its doc has &lt;tags&gt; &amp; a | bar." in text
