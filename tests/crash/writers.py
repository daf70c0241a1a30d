"""A program that is made to be killed: threads that write, and say what was acknowledged.

    python -m tests.crash.writers FILE NAME

Each acknowledged write is one line on stdout: the sort key of an item under the partition key NAME,
or ``hit`` for the shared counter. Nothing is said of a write before the engine has answered.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any

from singletable.engine import Engine

from .workload import TABLE, seeded

THREADS = 3
BANK = "bank"
ACCOUNTS = [f"account-{number}" for number in range(5)]
TRANSFERS = "transfers"
HITS = "hits"

Item = dict[str, dict[str, Any]]


def key(pk: str, sk: str) -> Item:
    """Say the key of an item."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def write(engine: Engine, name: str, thread: int) -> Iterator[list[str]]:
    """Write for ever; give what each write that was acknowledged is to be known by."""
    random = seeded(f"{name} {thread}")
    counter = {**key(name, f"count-{thread}"), "n": _number(0)}
    engine.call("PutItem", {"TableName": TABLE, "Item": counter})
    for number in count(1):
        yield from _put(engine, name, f"put-{thread}-{number}", random)
        yield _batch(engine, name, [f"batch-{thread}-{number}-{each}" for each in range(4)], random)
        yield _count(engine, name, thread, number)
        yield _transfer(engine, name, f"transfer-{thread}-{number}", random)
        _add(engine, HITS)
        yield ["hit"]


def _put(engine: Engine, name: str, sk: str, random: Random) -> Iterator[list[str]]:
    engine.call("PutItem", {"TableName": TABLE, "Item": _item(name, sk, random)})
    yield [sk]
    if random.random() < 0.3:
        # An item that comes and goes, so that there are deletions to be killed in.
        passing = _item(name, f"passing-{sk}", random)
        engine.call("PutItem", {"TableName": TABLE, "Item": passing})
        engine.call("DeleteItem", {"TableName": TABLE, "Key": key(name, f"passing-{sk}")})


def _batch(engine: Engine, name: str, sks: list[str], random: Random) -> list[str]:
    puts = [{"PutRequest": {"Item": _item(name, sk, random)}} for sk in sks]
    engine.call("BatchWriteItem", {"RequestItems": {TABLE: puts}})
    return sks


def _count(engine: Engine, name: str, thread: int, number: int) -> list[str]:
    """Count up by a condition that fails if the count before was lost."""
    request = {
        "TableName": TABLE,
        "Key": key(name, f"count-{thread}"),
        "UpdateExpression": "SET n = :n",
        "ConditionExpression": "n = :before",
        "ExpressionAttributeValues": {":n": _number(number), ":before": _number(number - 1)},
    }
    engine.call("UpdateItem", request)
    return [f"count-{thread}={number}"]


def _transfer(engine: Engine, name: str, sk: str, random: Random) -> list[str]:
    """Move money between two accounts, write it down, and count it: all or nothing."""
    giver, taker = random.sample(ACCOUNTS, 2)
    amount = random.randrange(1, 100)
    entry = {**key(name, sk), "n": _number(amount), "giver": {"S": giver}, "taker": {"S": taker}}
    actions = [
        {"Update": _adding(giver, -amount)},
        {"Update": _adding(taker, amount)},
        {"Update": _adding(TRANSFERS, 1)},
        {"Put": {"TableName": TABLE, "Item": entry}},
    ]
    engine.call("TransactWriteItems", {"TransactItems": actions})
    return [sk]


def _add(engine: Engine, sk: str) -> None:
    engine.call("UpdateItem", _adding(sk, 1))


def _adding(sk: str, amount: int) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "Key": key(BANK, sk),
        "UpdateExpression": "ADD n :amount",
        "ExpressionAttributeValues": {":amount": _number(amount)},
    }


def _item(pk: str, sk: str, random: Random) -> Item:
    color = random.choice(["red", "green", "blue"])
    size = random.choice([1, 100, 5000])
    return {
        **key(pk, sk),
        "n": _number(random.randrange(100)),
        "color": {"S": color},
        "note": {"S": "x" * size},
    }


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def _say(engine: Engine, name: str, thread: int) -> None:
    for acknowledged in write(engine, name, thread):
        # One call for one line: lines of threads do not mix, and none waits in a buffer.
        os.write(1, "".join(f"{each}\n" for each in acknowledged).encode())


def main(path: str, name: str) -> None:
    """Write with several threads until killed."""
    engine = Engine(path)
    threads = [
        threading.Thread(target=_say, args=(engine, name, number)) for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
