"""Golden files: what the three apps are described as. ``python -m tests.describe.golden`` rewrites.

The difference is then read, as that of any other change.
"""

from pathlib import Path

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Store
from singletable.describe import FORMATS, describe

APPS: dict[str, type[Store]] = {"campaigns": Campaigns, "stories": Stories, "surveys": Surveys}
FOLDER = Path(__file__).parent / "golden"
SUFFIXES = {
    "markdown": "md",
    "mermaid": "mmd",
    "html": "html",
    "svg": "svg",
    "workbench": "workbench.json",
    "json": "dynamodb_data_model.json",
    "schema": "schema.json",
}


def path(app: str, form: str) -> Path:
    """Give the golden file of an app in a format."""
    return FOLDER / f"{app}.{SUFFIXES[form]}"


def main() -> None:
    """Write all golden files."""
    FOLDER.mkdir(exist_ok=True)
    for app, store in APPS.items():
        for form in SUFFIXES:
            assert form in FORMATS
            path(app, form).write_text(describe(store, form), "utf-8")


if __name__ == "__main__":
    main()
