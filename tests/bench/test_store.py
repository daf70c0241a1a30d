"""The benchmark of the store measures what it says, and says what it could not measure."""

from pathlib import Path

import orjson
import pytest

from bench import store, targets
from bench.goals import Row, Rows
from bench.mappers import LIBRARIES, Library
from bench.mappers.base import OPERATIONS, values
from bench.mappers.with_singletable import Session, Typed, open_mapper
from bench.run import Pace
from singletable.engine import Engine
from singletable.values import item_size


def test_an_item_weighs_about_one_kilobyte() -> None:
    item = Session.__schema__.items.write(Session(**values("0001", "0002")).__dict__)
    assert 1000 < item_size(item) < 1100


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_bare_request_does_what_the_typed_call_does(operation: str) -> None:
    engine = Engine()
    typed = open_mapper("", engine)
    typed.seed()
    typed.verify()
    request = typed.requests(operation)[0]
    answer = getattr(engine, store.METHODS[operation])(**request)
    typed_answer = getattr(typed, operation)(**typed.arguments(operation)[0])
    read = Session.__schema__.items.read
    match operation:
        case "get":
            assert read(answer["Item"]) == typed_answer
        case "query":
            assert [read(item) for item in answer["Items"]] == typed_answer
        case "update":
            assert read(answer["Attributes"]).model_copy(update={"version": 3}) == typed_answer
        case _:
            assert read(request["Item"]) == typed_answer
    engine.close()


def test_a_mapper_that_loses_writes_is_found_out() -> None:
    class Deaf(Typed):
        def update(self, entity: Session, status: str) -> Session:
            return entity

    engine = Engine()
    open_mapper("", engine).seed()
    deaf = Deaf(open_mapper("", engine)._store)
    with pytest.raises(AssertionError, match="the update left 'IN_PROGRESS'"):
        deaf.verify()
    engine.close()


@pytest.mark.slow
def test_a_run_reports_every_operation_and_what_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (store, targets):
        monkeypatch.setattr(module, "BUILD", tmp_path)
    monkeypatch.setattr(store, "LIBRARIES", (LIBRARIES[0], Library("no-such", "no_such_mapper")))
    store.main(Pace(1, 0.01))

    rows = orjson.loads((tmp_path / "store.json").read_bytes())["rows"]
    places = {(row["target"], row["storage"], row["operation"]) for row in rows}
    assert places == {
        (name, storage, operation)
        for name in ("raw", "singletable")
        for storage in ("memory", "file", "http")
        for operation in OPERATIONS
    }
    assert all(row["failure"] is None and row["p50_us"] > 0 for row in rows)
    printed = capsys.readouterr().out
    assert "no_such_mapper: not installed, left out" in printed
    assert "## query of 20, memory" in printed


def test_the_promise_is_held_against_the_bare_call_on_the_same_storage() -> None:
    rows = Rows(
        [
            Row("raw", "memory", "get", 1, p50_us=10),
            Row("singletable", "memory", "get", 1, p50_us=21),
            Row("singletable", "file", "get", 1, p50_us=21),
            Row("raw", "http", "get", 1, p50_us=10),
            Row("singletable", "http", "get", 1, p50_us=21),
        ]
    )
    told = [str(store.goal_of(row, rows) or "") for row in rows.all]
    assert told == ["", "≤ 2x raw: FAIL (2.1)", "", "", ""]
