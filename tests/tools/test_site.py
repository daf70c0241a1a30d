"""The site is built of the pages as they are: no link leads nowhere, and nothing is fetched."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.site import on_page_markdown

ROOT = Path(__file__).resolve().parents[2]
RESOURCE = re.compile(
    r'<(?:script|img|iframe)[^>]+src="?(https?:[^"\s>]+)|<link[^>]+href="?(https?:[^"\s>]+)'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site; a warning, such as a link that leads nowhere, is an error."""
    made = tmp_path_factory.mktemp("site")
    # Not --quiet: what is not told is not counted, and then nothing is an error.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(
        [*command, str(made)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return made


def test_every_page_is_there(site: Path) -> None:
    pages = {
        page.relative_to(ROOT / "docs").with_suffix("") for page in (ROOT / "docs").rglob("*.md")
    }
    made = {page.relative_to(site).with_suffix("") for page in site.rglob("*.html")}
    named = {page.with_name("index") if page.name == "README" else page for page in pages}
    assert named == made - {Path("404")}


def test_nothing_is_fetched_when_it_is_read(site: Path) -> None:
    texts = ((page, page.read_text("utf-8")) for page in site.rglob("*.html"))
    assert not [(page.name, found) for page, text in texts for found in RESOURCE.findall(text)]
    styles = [style.read_text("utf-8") for style in site.rglob("*.css")]
    assert styles
    assert not [style for style in styles if "url(http" in style or "@import" in style]


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[apps/demo.py](../apps/demo.py)", "`apps/demo.py`"),
        ("[the demo](../apps/demo.py)", "the demo (`apps/demo.py`)"),
        ("[cost](../docs/cost.md)", "[cost](../docs/cost.md)"),
        ("[cost](cost.md#traffic)", "[cost](cost.md#traffic)"),
    ],
)
def test_a_link_to_what_is_no_page_becomes_its_name(link: str, shown: str) -> None:
    docs = ROOT / "docs"
    page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(docs / "explain.md")))
    assert on_page_markdown(link, page=page, config=SimpleNamespace(docs_dir=str(docs))) == shown
