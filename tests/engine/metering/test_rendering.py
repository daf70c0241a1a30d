"""A meter is printed as a table."""

from __future__ import annotations

from singletable import Meter
from singletable.engine import Engine
from tests.engine.support import create, definitions, index, put

TABLE = r"""
key      where        share  reads  writes  requests  reads/s of 3,000  writes/s of 1,000  for
OPEN     things/by_g    50%      0   1,101     1,101                 0            ! 1,101  PutItem
a        things         45%      0   1,001     1,001                 0            ! 1,001  PutItem
b        things          5%      0     100       100                 0                100  PutItem
'\n'     things         <1%    0.5       0         1               0.5                  0  GetItem
(scans)  things         <1%    0.5       0         1               0.5                  0  Scan
"""


def test_a_line_is_a_key(engine: Engine) -> None:
    create(
        engine,
        AttributeDefinitions=definitions("pk", "g"),
        GlobalSecondaryIndexes=[index("by_g", "g")],
    )
    meter = Meter()
    metered = engine.metered(meter)
    for number in range(1001):
        put(metered, "things", "a", g={"S": "OPEN"}, n={"N": str(number)})
    for number in range(100):
        put(metered, "things", "b", g={"S": "OPEN"}, n={"N": str(number)})
    metered.call("GetItem", {"TableName": "things", "Key": {"pk": {"S": "\n"}}})
    metered.call("Scan", {"TableName": "things"})
    assert f"\n{meter}\n" == TABLE


def test_what_does_not_fit_is_counted(engine: Engine) -> None:
    create(engine)
    meter = Meter()
    metered = engine.metered(meter)
    put(metered, "things", "k" * 60, *map(str, range(30)))
    for name in "abcd":
        with meter.purpose(name):
            put(metered, "things", "k" * 60)
    _, first, *lines, last = str(meter).splitlines()
    assert first.startswith("k" * 47 + "…  things")
    assert first.endswith("PutItem 20%, a 20%, b 20%, …")
    assert len(lines) == 19
    assert last == "and 11 more"


def test_of_nothing_it_says_so() -> None:
    assert str(Meter()) == "no request consumed anything"
