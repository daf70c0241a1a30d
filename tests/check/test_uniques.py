"""What the source of the data kept unique is found in the design, kept or lost, by its names."""

from typing import Annotated

import pytest

from singletable import Entity, Get, Store, Table, Unique, pattern, sequence, ulid
from singletable.check import Finding, UniqueColumns, check

table = Table("shop")


class Account(Entity, table=table, pk="ACCOUNT#{account_id}", sk="ACCOUNT"):
    """Somebody who buys."""

    account_id: str = ulid()
    tenant_id: str
    email_address: Annotated[str, Unique()]
    nickname: Annotated[str, Unique(within="TENANT#{tenant_id}")]
    phone: str
    number: int = sequence(within="TENANT#{tenant_id}")


class OrderLine(Entity, table=table, type="LINE", pk="ORDER#{order_id}", sk="LINE#{position:03d}"):
    """What was bought."""

    order_id: str
    position: int
    product: str


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern()
    def account(self, account_id: str) -> Get[Account]:
        """An account."""
        return Account.get(account_id=account_id)


def _found(table_name: str, *columns: str) -> list[Finding]:
    unique = UniqueColumns(table_name, columns)
    return list(check(Shop, select=["T301"], uniques=[unique]).findings)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("accounts", ["email_address"]),  # unique everywhere
        ("public.Accounts", ["emailAddress", "phone"]),  # and so with anything else
        ("ACCOUNT", ["tenant_id", "nickname"]),  # unique within the tenant
        ("accounts", ["tenant_id", "number"]),  # numbered within the tenant
        ("accounts", ["id"]),  # made by the library
        ("order_lines", ["order_id", "position"]),  # the key
        ("lines", ["position", "order_id", "product"]),  # by the entity's type; the key, and more
    ],
)
def test_what_a_key_or_a_declaration_keeps_unique_is_no_finding(
    name: str, columns: list[str]
) -> None:
    assert _found(name, *columns) == []


def test_a_constraint_that_nothing_keeps_is_lost() -> None:
    [found] = _found("accounts", "phone")
    assert (found.severity, found.entity) == ("warning", "Account")
    assert "the source keeps accounts (phone) unique" in found.message
    assert found.fix == "annotate phone: Annotated[…, Unique()]"


def test_a_constraint_on_several_columns_is_unique_within_the_others() -> None:
    [found] = _found("order_lines", "order_id", "product")
    assert "two OrderLine from having the same order_id and product" in found.message
    assert 'product: Annotated[…, Unique(within="ORDER_ID#{order_id}")]' in found.fix


def test_what_is_unique_within_a_tenant_is_not_unique() -> None:
    [found] = _found("accounts", "nickname")
    assert found.severity == "warning"


@pytest.mark.parametrize(
    ("name", "columns", "why"),
    [
        ("invoices", ["number"], "no entity is named like invoices"),
        ("accounts", ["iban"], "Account has no field named like iban"),
        ("accounts", ["email", "phone"], "Account has no field named like email"),
    ],
)
def test_what_matches_nothing_is_told_and_not_taken_for_kept(
    name: str, columns: list[str], why: str
) -> None:
    [found] = _found(name, *columns)
    assert found.severity == "note"
    assert found.message.endswith(why)


@pytest.mark.parametrize(
    "plural", ["accounts", "Account", "ACCOUNTS", "public.accounts", "ac_counts"]
)
def test_tables_are_matched_whatever_their_case_and_number(plural: str) -> None:
    [found] = _found(plural, "phone")
    assert found.entity == "Account"


@pytest.mark.parametrize(
    ("plural", "name"),
    [("Stories", "Story"), ("boxes", "Box"), ("addresses", "Address"), ("branches", "Branch")],
)
def test_plurals_of_several_kinds_are_known(plural: str, name: str) -> None:
    many = Table("many")
    made = type(name, (Entity,), {"__module__": __name__}, table=many, pk="ONE", sk="ONE")
    store = type("Many", (Store,), {}, table=many)
    unique = UniqueColumns(plural, ("anything",))
    [found] = check(store, select=["T301"], uniques=[unique]).findings
    assert found.message.endswith(f"{made.__name__} has no field named like anything")
