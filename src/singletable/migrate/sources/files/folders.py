"""Which kinds there are in a file or a folder, and which files each consists of.

A file of JSON lines or CSV is a kind by its name. Files that DynamoDB exported are one kind
together, by the table's name where the manifest tells it, or else by their folder's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.migrate.sources.errors import SourceUnusable

from .lines import is_packed

JSON_LINES = (".jsonl", ".ndjson")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
EXPORTED = ".json"
MANIFEST = "manifest-files.json"
SUMMARY = "manifest-summary.json"
FORMS = (
    "*.jsonl, *.ndjson, *.csv and *.tsv, each a table, or *.json as DynamoDB exports them; each "
    "may be packed (.gz)"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A kind in files: their form is the suffix of their names."""

    kind: str
    form: str
    paths: tuple[Path, ...]
    count: int | None = None
    """How many rows there are, where a manifest tells."""


def found_in(path: Path) -> dict[str, Found]:
    """Find the kinds in a file or a folder."""
    if not path.exists():
        raise SourceUnusable(f"There is no file or folder {path}")
    some = list(_in_folder(path) if path.is_dir() else _of_file(path))
    if not some:
        raise SourceUnusable(f"There is nothing to read in {path}: it can have {FORMS}")
    kinds = {one.kind: one for one in some}
    for one in some:
        if kinds[one.kind] is not one:
            both = f"{one.paths[0]} and {kinds[one.kind].paths[0]}"
            raise SourceUnusable(f"{both} are both named {one.kind!r}: name one of them anew")
    return kinds


def form_of(path: Path) -> str:
    """Give the suffix that tells the form, without that of a packed file."""
    return _unpacked(path).suffix.lower()


def _unpacked(path: Path) -> Path:
    return path.with_suffix("") if is_packed(path) else path


def is_readable(path: Path) -> bool:
    """Tell by its name whether a file is of a form that can be read."""
    return form_of(path) in (*JSON_LINES, *DELIMITERS, EXPORTED)


def _of_file(path: Path) -> Iterator[Found]:
    if is_readable(path):
        yield Found(_unpacked(path).stem, form_of(path), (path,))


def _in_folder(folder: Path) -> Iterator[Found]:
    manifests = sorted((*folder.glob(MANIFEST), *folder.glob(f"AWSDynamoDB/*/{MANIFEST}")))
    if manifests:
        yield from map(_export, manifests)
        return
    exported = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith((".", "manifest-")):
            if form_of(path) == EXPORTED:
                exported.append(path)
            else:
                yield from _of_file(path)
    if exported:
        whole = folder.resolve()
        name = whole.parent.name if whole.name == "data" else whole.name
        yield Found(name, EXPORTED, tuple(exported))


def _export(manifest: Path) -> Found:
    """Find an export by its manifest, and see that all of it is there."""
    folder = manifest.parent
    files = [json.loads(line) for line in manifest.read_text().splitlines() if line.strip()]
    paths = [folder / "data" / Path(file["dataFileS3Key"]).name for file in files]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        raise SourceUnusable(
            f"The export in {folder} is not whole: {', '.join(missing)} of {MANIFEST} "
            "should be in its folder data"
        )
    summary = _summary(folder)
    name = str(summary.get("tableArn", "")).rpartition("/")[2] or folder.resolve().name
    count = sum(int(file.get("itemCount", 0)) for file in files)
    return Found(name, EXPORTED, tuple(sorted(paths)), count)


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / SUMMARY
    summary: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    form = summary.get("outputFormat", "DYNAMODB_JSON")
    if form != "DYNAMODB_JSON" or summary.get("exportType") == "INCREMENTAL_EXPORT":
        raise SourceUnusable(
            f"The export in {folder} is {summary.get('exportType', 'an export')} as {form}: only "
            "full exports as DYNAMODB_JSON can be read"
        )
    return summary
