"""The note of a mutation goes with the mutation's own transaction, and with no other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from singletable import Entity, Get, Store, Table, Transaction, add, pattern, upgrade
from singletable.sync import Sync, mutator
from tests.sync.design import Tab

signs = Table("signs")


class Sign(Entity, table=signs, pk="SIGN#{sign_id}#{copy}", sk="SIGN", schema=2, copies=2):
    sign_id: str
    text: str
    seen: int = 0

    @upgrade(1)
    def _(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - is given values, no self
        return {**values, "text": values.pop("words")}


class Signs(Store, table=signs):
    @pattern
    def sign(self, sign_id: str) -> Get[Sign]:
        """A sign."""
        return Sign.get(sign_id=sign_id)


class SignSync(Sync[Signs, str]):
    def view(self, user: str) -> Iterable[Get[Any]]:
        return [Sign.get(sign_id="s1")]

    @mutator
    def see(self, tx: Transaction, args: str, user: str) -> None:
        tx.update(Sign.key(sign_id=args), seen=add(1))


def test_the_upgrade_of_an_older_item_takes_no_note() -> None:
    """It is a transaction, too, before the one that a mutator asks for."""
    store = Signs.connect(":memory:")
    store.put(Sign(sign_id="s1", text="Mind the gap"))
    for item in store.send("Scan", {"TableName": "signs"})["Items"]:
        item["words"] = item.pop("text")
        item["SchemaVersion"] = {"N": "1"}
        store.send("PutItem", {"TableName": "signs", "Item": item})
    sync = SignSync(store)
    Tab(sync, user="ann").do("see", "s1")
    assert store.sign("s1").one() == Sign(sign_id="s1", text="Mind the gap", seen=1)
