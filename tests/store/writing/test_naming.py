"""What the service refuses for its size or its numbers is told with the entity and the field."""

from __future__ import annotations

import pytest

from singletable.errors import ValidationException
from singletable.model.changes import append
from singletable.model.entity import Entity
from singletable.model.fields import count_of
from singletable.store.bulk import put_many
from singletable.store.writing.editing import Editing
from singletable.store.writing.ensuring import upserting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import Bench, table


class Article(Entity, table=table, pk="ARTICLE#{name}", sk="ARTICLE"):
    """Its content can be too large, and its price out of range."""

    name: str
    shelf: str = "s"
    title: str = ""
    text: str = ""
    lines: list[str] = []
    price: float = 0.0
    prices: list[float] = []
    pages: dict[str, int] = {}


class Shelved(Entity, table=table, pk="SHELVED#{name}", sk="SHELVED"):
    """It counts for a shelf, so that to write it is a transaction."""

    name: str
    shelf: str = "s"
    text: str = ""
    price: float = 0.0


class Shelf(Entity, table=table, pk="SHELF#{shelf}", sk="SHELF"):
    """It has articles."""

    shelf: str
    articles: int = count_of("Shelved")


KEY = Article.key(name="a")
LARGE = "x" * 500_000
HALF = "x" * 300_000
TOO_LARGE = r"an item has 409,600 at most: Item size.* exceeded the maximum allowed size"
OVERFLOW = r"cannot be stored: .*Number overflow"


@pytest.fixture(autouse=True)
def _rows(bench: Bench) -> None:
    bench.do(Putting(Article(name="a", title=HALF)))
    bench.do(Putting(Shelf(shelf="s")))


def large(who: str, field: str, size: str = "500,004") -> str:
    return (
        rf"^{who}: the largest field that it writes is {field}, with {size} bytes, and {TOO_LARGE}"
    )


def test_size_a_whole_item_names_its_largest_field(bench: Bench) -> None:
    article = Article(name="a", title="t", text=LARGE)
    for action in (Putting(article), upserting(article, {}, None)):
        with pytest.raises(
            ValidationException, match=large(r"(put|upsert) Article\(name='a'\)", r"Article\.text")
        ):
            bench.do(action)
    with pytest.raises(ValidationException, match=large(r"create .*", r"Article\.text")):
        bench.do(Creating(article.model_copy(update={"name": "b"})))


def test_size_an_update_names_the_largest_field_that_it_sets(bench: Bench) -> None:
    who = r"update Article\(name='a'\)"
    with pytest.raises(ValidationException, match=large(who, r"Article\.text", "300,004")):
        bench.do(Updating(KEY, changes={"text": HALF, "shelf": "t"}))
    with pytest.raises(ValidationException, match=large(who, r"Article\.lines", "300,009")):
        bench.do(Updating(KEY, changes={"lines": append([HALF])}))


def test_size_an_edit_names_the_largest_field_that_it_changed(bench: Bench) -> None:
    edit = Editing(KEY, change=lambda one: one.model_copy(update={"text": HALF}))
    with pytest.raises(ValidationException, match=large(r"edit .*", r"Article\.text", "300,004")):
        bench.do(edit)


def test_size_in_a_transaction_the_action_is_named(bench: Bench) -> None:
    small, huge = Shelved(name="a"), Shelved(name="b", text=LARGE)
    with pytest.raises(ValidationException, match=large(r"put Shelved\(name='b'\)", ".*text")):
        bench.do(Putting(huge))
    with pytest.raises(ValidationException, match=large(r"put Shelved\(name='b'\)", ".*text")):
        bench.commit(Putting(small), Putting(huge))
    growing = Updating(KEY, changes={"text": HALF})
    with pytest.raises(ValidationException, match=large(r"update Article.*", ".*text", "300,004")):
        bench.commit(Putting(small), growing)
    assert bench.get(Shelf.get(shelf="s")).articles == 0


def test_size_of_many_the_one_is_named(bench: Bench) -> None:
    many = [Article(name="b"), Article(name="c", text=LARGE)]
    with pytest.raises(ValidationException, match=large(r"put Article\(name='c'\)", ".*text")):
        bench.run(put_many(bench.context, many, None))


def test_numbers_the_field_is_named(bench: Bench) -> None:
    named = rf"Article\(name='a'\): Article\.price {OVERFLOW}"
    with pytest.raises(ValidationException, match=f"^put {named}"):
        bench.do(Putting(Article(name="a", price=1e200)))
    with pytest.raises(ValidationException, match=f"^update {named}"):
        bench.do(Updating(KEY, changes={"price": 1e200}))
    with pytest.raises(ValidationException, match=rf"Article\.prices {OVERFLOW}"):
        bench.do(Updating(KEY, changes={"prices": append([1e200])}))
    many = [Article(name="b"), Article(name="c", price=1e200)]
    with pytest.raises(ValidationException, match=rf"put Article\(name='c'\).*price {OVERFLOW}"):
        bench.run(put_many(bench.context, many, None))


def test_another_fault_of_a_request_is_told_as_it_is(bench: Bench) -> None:
    names = {f"a{number}": number for number in range(400)}
    changes = {f"pages.{name}": value for name, value in names.items()}
    words = r"^An error occurred .* UpdateItem operation: Invalid UpdateExpression: Expression size"
    with pytest.raises(ValidationException, match=words):
        bench.do(Updating(KEY, changes=changes))


def test_numbers_in_a_transaction_the_action_is_named(bench: Bench) -> None:
    small, wrong = Shelved(name="a"), Shelved(name="b", price=1e-200)
    match = r"^put Shelved\(name='b'\): Shelved\.price cannot be stored: Number underflow"
    with pytest.raises(ValidationException, match=match) as refused:
        bench.commit(Putting(small), Putting(wrong))
    assert refused.value.code == "ValidationException"
    assert isinstance(refused.value.__cause__, ValidationException)
