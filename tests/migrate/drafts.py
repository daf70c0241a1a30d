"""Golden drafts of the apps that leave other tables: ``python -m tests.migrate.drafts`` rewrites.

The diff is read.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from apps.campaigns.design import Campaigns
from apps.surveys.design import Surveys
from singletable.migrate.drafting import draft

from .proof import seven

FOLDER = Path(__file__).parent / "golden"
CAMPAIGNS, SURVEYS = FOLDER / "draft_campaigns.txt", FOLDER / "draft_surveys.txt"
SCHEMA = Path("apps/campaigns/schema.sql").read_text("utf-8")
_WHEN = "'2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'"
ROWS = f"""
INSERT INTO users VALUES ('u1', 'ann@example.com', 'Ann', NULL, {_WHEN});
INSERT INTO campaigns VALUES ('c1', 'u1', 'The cave', NULL, {_WHEN});
INSERT INTO sessions VALUES
    ('s1', 'c1', 'u1', 'One', NULL, 'COMPLETED', 'one.mp3', 'j1', NULL, {_WHEN});
INSERT INTO transcripts VALUES ('s1', 'j1', 'Once upon a time', {_WHEN});
INSERT INTO summaries VALUES ('s1', 'GM', 'A recap', {_WHEN}), ('s1', 'PLAYER', 'Another', {_WHEN});
"""


def of_sqlite(path: Path, script: str) -> str:
    """Make a database; give its address."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return f"sqlite:///{path}"


def of_dynamodb(path: Path) -> str:
    """Make the seven tables with the items of a tenant; give their address."""
    seven.create(path)
    seven.fill(path, tenants=1)
    return f"dynamodb:{path}"


def rewrite() -> None:
    """Write both."""
    with TemporaryDirectory() as folder:
        campaigns = of_sqlite(Path(folder) / "sql.db", SCHEMA + ROWS)
        CAMPAIGNS.write_text(draft(Campaigns, campaigns).text, "utf-8")
        surveys = of_dynamodb(Path(folder) / "dynamodb.db")
        SURVEYS.write_text(draft(Surveys, surveys).text, "utf-8")


if __name__ == "__main__":
    rewrite()
