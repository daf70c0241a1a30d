"""The workload is what the report says it is."""

import pytest

from bench.workload import OPERATIONS, Operation, item, scatter, seed
from singletable.engine import Engine
from singletable.values import item_size


def test_an_item_weighs_one_kilobyte() -> None:
    assert item_size(item("USER#0000", "SESSION#0000")) == 1024


def test_scatter_visits_every_place_once() -> None:
    assert sorted(scatter(number, 100) for number in range(100)) == list(range(100))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_does_its_work_on_the_engine(operation: Operation) -> None:
    engine = Engine()
    seed(engine)
    operation.verify(engine)
    engine.close()


def test_a_target_that_writes_nothing_is_found_out() -> None:
    class Deaf:
        def put_item(self, **_: object) -> dict[str, object]:
            return {}

        def get_item(self, **_: object) -> dict[str, object]:
            return {}

    put_item = next(operation for operation in OPERATIONS if operation.name == "PutItem")
    with pytest.raises(LookupError):
        put_item.verify(Deaf())
