"""What a store would send, without sending it."""

from __future__ import annotations

from typing import Annotated

from singletable import Entity, Store, Table, Unique

table = Table("people")


class Person(Entity, table=table, pk="PERSON#{name}", sk="PERSON"):
    """Somebody with an address of their own."""

    name: str
    email: Annotated[str, Unique()]


class Note(Entity, table=table, pk="PERSON#{name}", sk="NOTE#{number:03d}"):
    """Something written down."""

    name: str
    number: int
    text: str = ""


class People(Store, table=table):
    """No patterns: writes are shown here."""


def _shown(work: object) -> list[str]:
    with People.connect(":memory:") as store:
        calls = store.show(work)  # type: ignore[arg-type]  # a lambda of the store
        assert store.bind(Person.scan()).all() == []
        assert store.bind(Note.scan()).all() == []
    return [call.operation for call in calls]


def test_a_write_is_shown_and_not_sent() -> None:
    with People.connect(":memory:") as store:
        (call,) = store.show(lambda shown: shown.put(Note(name="ann", number=1, text="x")))
        assert call.operation == "PutItem"
        assert call.request == {
            "TableName": "people",
            "Item": {
                "PK": {"S": "PERSON#ann"},
                "SK": {"S": "NOTE#001"},
                "Type": {"S": "Note"},
                "name": {"S": "ann"},
                "number": {"N": "1"},
                "text": {"S": "x"},
            },
        }
        assert store.bind(Note.scan()).all() == []


def test_what_has_to_be_read_first_is_shown_too() -> None:
    person = Person(name="ann", email="a@b.c")
    assert _shown(lambda store: store.put(person)) == ["GetItem", "TransactWriteItems"]


def test_an_update_is_shown_though_there_is_no_item() -> None:
    key = Note.key(name="ann", number=1)
    assert _shown(lambda store: store.update(key, text="y")) == ["UpdateItem"]


def test_reads_batches_and_transactions_are_shown() -> None:
    notes = [Note(name="ann", number=number) for number in range(30)]
    assert _shown(lambda store: store.put_many(notes)) == ["BatchWriteItem"] * 2
    assert _shown(lambda store: store.bind(Note.query(name="ann")).all()) == ["Query"]
    assert _shown(lambda store: store.bind(Note.scan()).all()) == ["Scan"]


def test_a_transaction_is_shown() -> None:
    with People.connect(":memory:") as store:

        def work(shown: People) -> None:
            with shown.transaction() as tx:
                tx.create(Note(name="ann", number=1))
                tx.delete(Note.key(name="ann", number=2))

        (call,) = store.show(work)
    assert [next(iter(action)) for action in call.request["TransactItems"]] == ["Put", "Delete"]


def test_a_call_that_ends_for_lack_of_an_item_is_shown_up_to_there() -> None:
    key = Note.key(name="ann", number=1)
    assert _shown(lambda store: store.edit(key, lambda one: one)) == ["GetItem"]
    assert _shown(lambda store: store.update(Person.key(name="a"), email="b")) == ["GetItem"]
    assert _shown(lambda store: store.bind(Note.get(name="ann", number=1)).one()) == ["GetItem"]
