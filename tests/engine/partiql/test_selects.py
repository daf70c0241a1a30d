"""However a SELECT is planned, it finds the items that its condition holds of, and no others."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable.engine import Engine
from singletable.engine.partiql.binding import bind
from singletable.errors import ValidationException
from tests.engine.partiql.running import Answer, run

OWNERS = st.sampled_from(["'ann'", "'bob'", "'cy'"])
NUMBERS = st.integers(-1, 4).map(str)
SIGNS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])


def compared(name: str, values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{} {} {}".format, st.just(name), SIGNS, values),
        st.builds("{1} {0} {2}".format, SIGNS, values, st.just(name)),
        st.lists(values, min_size=1, max_size=3).map(
            lambda found: f"{name} IN [{','.join(found)}]"
        ),
        st.tuples(values, values).map(lambda ends: f"{name} BETWEEN {min(ends)} AND {max(ends)}"),
    )


TESTS = st.one_of(
    compared("owner", OWNERS),
    compared('"number"', NUMBERS),
    compared("score", st.sampled_from(["0", "10", "20"])),
    st.sampled_from(["begins_with(owner, 'a')", "kind = 'odd'", "absent IS MISSING"]),
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"({' AND '.join(each)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"({' OR '.join(each)})"),
        inner.map(lambda each: f"NOT ({each})"),
    ),
    max_leaves=6,
)
# Mostly a pinned partition key and more about the sort key, for that is what ranges are made of.
PINS = st.sampled_from(
    ["owner = 'ann'", "owner IN ['ann', 'bob']", "(owner = 'ann' OR owner = 'cy')"]
)
MORE = st.lists(st.one_of(compared('"number"', NUMBERS), TESTS, CONDITIONS), max_size=3)
WHERES = st.one_of(CONDITIONS, st.builds(lambda pin, more: " AND ".join([pin, *more]), PINS, MORE))


@given(WHERES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
def test_the_plan_of_a_select_does_not_change_what_it_finds(notes: Engine, condition: str) -> None:
    text = f"SELECT * FROM notes WHERE {condition}"
    try:
        statement, values = bind(text)
    except ValidationException:
        return
    assert statement.where is not None
    everything = run(notes, "SELECT * FROM notes")["Items"]
    expected = [item for item in everything if statement.where.evaluate(item, values)]
    assert _sorted(run(notes, text)["Items"]) == _sorted(expected)


def _sorted(items: list[Answer]) -> list[Answer]:
    return sorted(items, key=lambda item: (item["owner"]["S"], item["number"]["N"]))
