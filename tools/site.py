"""Hooks for mkdocs: what makes a site of pages that are also read as they stand in the repository.

A folder in the navigation stands for its pages, in the order of its index. A link to a file of the
repository that is no page becomes the name of that file, since a site has no such page.
"""

import re
from os.path import normpath
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+(?!\.\.)[^)\s]+)\)")
PAGE = re.compile(r"\]\(([\w-]+\.md)\)")


def on_config(config: Any) -> Any:
    """Put the pages of a folder where the navigation names the folder."""
    config.nav = _filled(config.nav, Path(config.docs_dir))
    return config


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Name what a link leads to where that is outside of the pages."""
    folder, pages = Path(page.file.abs_src_path).parent, Path(config.docs_dir)

    def named(link: re.Match[str]) -> str:
        target = Path(normpath(folder / link[2].partition("#")[0]))
        return link[0] if target.is_relative_to(pages) else _name(link[1], target, pages.parent)

    return LINK.sub(named, markdown)


def _name(text: str, target: Path, root: Path) -> str:
    path = f"`{target.relative_to(root)}`"
    return path if text.strip("`") == path.strip("`") else f"{text} ({path})"


def _filled(nav: list[Any], pages: Path) -> list[Any]:
    return [{title: _entry(entry, pages) for title, entry in each.items()} for each in nav]


def _entry(entry: Any, pages: Path) -> Any:
    if isinstance(entry, list):
        return _filled(entry, pages)
    return _listed(entry, pages) if entry.endswith("/") else entry


def _listed(folder: str, pages: Path) -> list[str]:
    """List the index of a folder, and its pages as the index lists them."""
    index = f"{folder}README.md"
    names = PAGE.findall((pages / index).read_text("utf-8"))
    return [index, *dict.fromkeys(folder + name for name in names if name != "README.md")]
