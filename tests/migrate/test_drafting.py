"""A draft matches tables with a design by names and foreign keys, and marks the rest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import psycopg
import pytest

from apps.campaigns.design import Campaigns
from apps.surveys.design import Surveys
from singletable import Entity, Store, Table, UsageError, created, ulid
from singletable.cli._target import load_object
from singletable.migrate import Job, plan, unmatched
from singletable.migrate.drafting import Draft, draft
from singletable.migrate.drafting.names import identifier, likeness, words

from . import postgres
from .drafts import CAMPAIGNS, ROWS, SCHEMA, SURVEYS, of_dynamodb, of_sqlite


@pytest.fixture(params=["sqlite", "postgresql"])
def campaigns(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The campaign manager's database, with a few rows."""
    if request.param == "sqlite":
        yield of_sqlite(tmp_path / "old.db", SCHEMA + ROWS)
        return
    server: str = request.getfixturevalue("postgres_server")
    with postgres.database(server) as address:
        with psycopg.connect(address) as connection:
            connection.execute((SCHEMA + ROWS).encode())
        yield address


def job_of(made: Draft, source: str, folder: Path) -> Job:
    """Import a draft, as the command line does."""
    path = folder / f"drafted_{folder.name}.py"
    path.write_text(made.text, "utf-8")
    migration = load_object(f"{path}:{made.name}")
    return Job(migration=migration, source=source, destination=str(folder / "new.db"))


def test_the_campaign_managers_draft_is_nearly_whole(campaigns: str, tmp_path: Path) -> None:
    made = draft(Campaigns, campaigns)
    assert made.text == CAMPAIGNS.read_text("utf-8")
    planned = plan(job_of(made, campaigns, tmp_path))
    assert planned.is_sound
    [users, campaigns_, sessions] = planned.kinds
    assert (users.unread, campaigns_.unread, sessions.unread) == (
        ("password",),
        (),
        ("audio_url",),
    )
    assert sessions.entities == {"Session": 1, "Transcript": 1, "Summary": 2}


def test_drafts_type_check_and_are_formatted(shop_draft: Draft, tmp_path: Path) -> None:
    goldens = [path.read_text("utf-8") for path in (CAMPAIGNS, SURVEYS)]
    files = [tmp_path / f"draft_{number}.py" for number in range(1 + len(goldens))]
    for path, text in zip(files, [shop_draft.text, *goldens], strict=True):
        path.write_text(text, "utf-8")
    for command in (["mypy", "--strict"], ["ruff", "format", "--check", "--line-length", "100"]):
        run = subprocess.run(
            [sys.executable, "-m", *command, *files], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr


def test_tables_of_dynamodb_are_drafted_from_a_sample(tmp_path: Path) -> None:
    source = of_dynamodb(tmp_path / "old.db")
    made = draft(Surveys, source)
    assert made.text == SURVEYS.read_text("utf-8")
    planned = plan(job_of(made, source, tmp_path), sample=20)
    refused = {one.kind: one.reason for one in planned.refusals}
    assert refused == {
        "Surveys": "Survey.title is not matched: write where its value comes from in place of "
        "unmatched('Survey.title')",
        "Phrases": "Phrase.text is not matched: write where its value comes from in place of "
        "unmatched('Phrase.text')",
    }


shop = Table("shop")


class Customer(Entity, table=shop, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    customer_id: str = ulid()
    name: str
    active: bool = True
    limit: int = 5


class Order(Entity, table=shop, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    customer_id: str
    order_id: str = ulid()
    tags: list[str]
    placed: str
    paid: str | None = None
    created_at: str = created()


class OrderLine(
    Entity, table=shop, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}#LINE#{line:05d}"
):
    customer_id: str
    order_id: str
    line: int
    text: str


class Shop(Store, table=shop):
    """A shop."""


SHOP = """
CREATE TABLE app_customers (id INTEGER PRIMARY KEY, customer_name TEXT, active BOOLEAN,
  "limit" INTEGER);
CREATE TABLE app_orders (id INTEGER PRIMARY KEY, buyer INTEGER REFERENCES app_customers (id),
  tags TEXT NOT NULL, placed TIMESTAMP, paid INTEGER, creation_date TEXT);
CREATE TABLE order_lines (order_id INTEGER REFERENCES app_orders (id), line INTEGER,
  text TEXT, PRIMARY KEY (order_id, line));
CREATE TABLE invoices (id INTEGER PRIMARY KEY);
"""


@pytest.fixture
def shop_draft(tmp_path: Path) -> Draft:
    return draft(Shop, of_sqlite(tmp_path / "shop.db", SHOP))


@pytest.mark.parametrize(
    "line",
    [
        'customer_id=str(row["id"]),',  # its own id, a number there
        'name=row["customer_name"],',  # with the entity's name before it
        'active=True if row["active"] is None else row["active"],',  # a default that is not false
        # By the foreign key, which may be 0.
        'customer_id=str(row["buyer"]) if isinstance(row["buyer"], int) else row["buyer"],',
        'created_at=row["creation_date"],',  # another usual name
        'placed=row["placed"] and row["placed"].isoformat(),',
        'paid=None if row["paid"] is None else str(row["paid"]),',
        "# not matched: app_orders.tags holds str, the field takes list",
        'tags=unmatched("Order.tags"),',
    ],
)
def test_columns_are_found_and_turned_into_what_fields_take(line: str, shop_draft: Draft) -> None:
    assert line in shop_draft.text


def test_a_row_that_lacks_a_key_comes_along_with_one_that_has_it(shop_draft: Draft) -> None:
    assert '@rows("app_orders", related={"order_lines": "order_id"})' in shop_draft.text
    assert 'for order_line in row.related["order_lines"]:' in shop_draft.text


def test_what_is_not_matched_is_listed(shop_draft: Draft) -> None:
    assert shop_draft.notes == (
        "fields of Order that are not matched: tags",
        "tables that nobody reads: invoices",
        "columns that nobody reads: app_orders.tags",
        "queries: each query of the old application, with the pattern that takes its place",
    )
    for note in shop_draft.notes:
        assert f"\n# - {note}\n" in shop_draft.text


def test_what_is_further_away_is_marked_with_the_way_to_it(tmp_path: Path) -> None:
    """Where a session has no user, but its campaign has one."""
    script = SCHEMA + "DROP INDEX sessions_of_user; ALTER TABLE sessions DROP COLUMN user_id;"
    made = draft(Campaigns, of_sqlite(tmp_path / "old.db", script))
    assert '@rows("campaigns", related={"sessions": "campaign_id"})' in made.text
    lines = [line.strip() for line in made.text.splitlines()]
    place = lines.index('user_id=unmatched("Transcript.user_id"),')
    assert " ".join(lines[place - 2 : place]).replace(" # ", " ") == (
        "# not matched: it is in campaigns.user_id, by transcripts.session_id, sessions.campaign_id"
    )


def test_rows_may_come_along_with_one_that_makes_nothing_itself(tmp_path: Path) -> None:
    made = draft(
        Shop,
        of_sqlite(
            tmp_path / "old.db",
            "CREATE TABLE baskets (id INTEGER PRIMARY KEY, customer_id TEXT, colour TEXT);"
            "CREATE TABLE order_lines (order_id TEXT, line INTEGER, text TEXT, basket_id INTEGER,"
            " PRIMARY KEY (order_id, line))",
        ),
    )
    assert '@rows("baskets", related={"order_lines": "basket_id"})' in made.text
    assert 'customer_id=row["customer_id"],' in made.text
    assert made.notes[:3] == (
        "rows of order_lines whose basket_id is null: nobody reads them",
        "columns that nobody reads: baskets.colour",
        "entities that nobody makes: Customer, Order",
    )


def test_only_what_refers_to_a_key_is_a_reference(tmp_path: Path) -> None:
    """Neither what refers to another column, nor to a table without a key."""
    made = draft(
        Shop,
        of_sqlite(
            tmp_path / "old.db",
            "CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT UNIQUE);"
            "CREATE TABLE shelves (number INTEGER UNIQUE);"
            "CREATE TABLE order_lines (order_id TEXT, line INTEGER, text TEXT,"
            " shelf INTEGER REFERENCES shelves (number), buyer TEXT REFERENCES customers (email),"
            " PRIMARY KEY (order_id, line))",
        ),
    )
    assert "related=" not in made.text
    assert 'customer_id=unmatched("OrderLine.customer_id"),' in made.text


odd = Table("odd")


class Tier(Enum):
    """No literal."""

    BASIC = "basic"


class Guest(Entity, table=odd, pk="GUEST#{guest_id}", sk="GUEST"):
    guest_id: str
    motto: str = 'say "hi"\n'
    tier: Tier = Tier.BASIC
    level: int = 3


class Hotel(Store, table=odd):
    """Has names and defaults that are not easily written."""


def test_names_and_defaults_with_quotes_are_written_as_python_does(tmp_path: Path) -> None:
    script = """
        CREATE TABLE "my ""guests" (
            "guest ""id" TEXT PRIMARY KEY, motto TEXT, tier TEXT, level INTEGER);
        INSERT INTO "my ""guests" ("guest ""id") VALUES ('g1')
    """
    source = of_sqlite(tmp_path / "old.db", script)
    made = draft(Hotel, source)
    assert r'motto="say \"hi\"\n" if row["motto"] is None else row["motto"],' in made.text
    assert 'tier=row["tier"],' in made.text
    assert 'level=3 if row["level"] is None else row["level"],' in made.text
    [guests] = plan(job_of(made, source, tmp_path)).kinds
    assert (guests.kind, guests.sampled) == ('my "guests', 1)


def test_a_source_that_is_named_otherwise_has_no_draft(tmp_path: Path) -> None:
    source = of_sqlite(tmp_path / "old.db", "CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
    with pytest.raises(UsageError, match="named like an entity of Shop; it has invoices"):
        draft(Shop, source)


def test_a_placeholder_refuses_and_says_what_to_write() -> None:
    with pytest.raises(UsageError, match=r"in place of unmatched\('Order.tags'\)"):
        unmatched("Order.tags")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("users", ("user",)),
        ("sales.OrderLines", ("order", "line")),
        ("userID", ("user", "id")),
        ("HTTPStatuses", ("http", "status")),
        ("addresses", ("address",)),
        ("categories2", ("category", "2")),
        ("people", ("person",)),
        ("größe", ("größe",)),
        ("ÄnderungsDatum", ("änderung", "datum")),
        ("注文_ID", ("注文", "id")),
    ],
)
def test_a_name_is_the_words_that_it_is_made_of(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


def test_names_are_more_or_less_alike() -> None:
    order = ("order",)
    assert likeness(order, order) == 3
    assert likeness(("app", "order"), order) == likeness(("order", "head"), order) == 2
    assert likeness(order, ("order", "line")) == 1
    assert likeness(("user",), order) == likeness((), order) == 0


def test_a_method_never_has_a_name_that_is_taken() -> None:
    taken = ["rules", "class", "sales.Orders", "2020_orders", "_"]
    assert [identifier(one) for one in taken] == [
        "rules_rows", "class_rows", "sales_orders", "table_2020_orders", "table",
    ]  # fmt: skip
    assert all(identifier(one).isidentifier() for one in taken)
