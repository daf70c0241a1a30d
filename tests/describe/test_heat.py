"""What a meter measured is drawn: keys over time, and by access pattern."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest

from singletable import Engine, Entity, Meter, Query, Store, Table, pattern
from singletable.describe import heat_map
from singletable.describe.svg import CHAR, LINE

SVG = "{http://www.w3.org/2000/svg}"

table = Table("shop")


class Order(Entity, table=table, pk="CUSTOMER#{customer}", sk="ORDER#{number}"):
    customer: str
    number: int


class Shop(Store, table=table):
    @pattern(page=20)
    def orders(self, customer: str) -> Query[Order]:
        """The orders of a customer."""
        return Order.query(customer=customer)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def shop(clock: Clock, meter: Meter) -> Iterator[Shop]:
    with Engine(clock=clock, ttl_interval=None) as engine:
        yield Shop.connect(engine.metered(meter))


def _drawn(meter: Meter) -> ET.Element:
    return ET.fromstring(heat_map(meter))  # noqa: S314 - our own text


def _texts(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def _cells(root: ET.Element) -> list[ET.Element]:
    return [rect for rect in root.iter(f"{SVG}rect") if rect.attrib["class"] == "cell"]


def test_a_line_is_a_key_with_its_times_and_purposes(
    shop: Shop, meter: Meter, clock: Clock
) -> None:
    for _ in range(9):
        shop.put(Order(customer="ann", number=1))
    clock.now = 2
    shop.orders("ann").page()
    shop.put(Order(customer="bob", number=1))
    root = _drawn(meter)
    texts = _texts(root)
    assert texts.index("CUSTOMER#ann") < texts.index("CUSTOMER#bob")
    assert {"shop", "PutItem", "orders", "10%", "2%"} <= set(texts)
    assert "1970-01-01 00:00:00 to 1970-01-01 00:00:02 UTC" in texts
    told = [title.text for title in root.iter(f"{SVG}title")][1:]
    assert told == [
        "CUSTOMER#ann, 1970-01-01 00:00:00: <1% of a partition",
        "CUSTOMER#ann, 1970-01-01 00:00:02: <1% of a partition",
        "CUSTOMER#bob, 1970-01-01 00:00:02: <1% of a partition",
    ]
    first, second, third, *_ = _cells(root)
    assert float(first.attrib["fill-opacity"]) > float(second.attrib["fill-opacity"])
    assert second.attrib["x"] == third.attrib["x"]
    step = float(first.attrib["width"])
    assert float(second.attrib["x"]) == float(first.attrib["x"]) + 2 * step
    assert float(third.attrib["y"]) == float(first.attrib["y"]) + LINE


def test_what_is_too_hot_stands_out(shop: Shop, meter: Meter) -> None:
    for _ in range(1001):
        shop.put(Order(customer="ann", number=1))
    shop.put(Order(customer="bob", number=1))
    hot = [text.text for text in _drawn(meter).iter(f"{SVG}text") if text.attrib["class"] == "hot"]
    assert hot == ["CUSTOMER#ann", "shop"]


def test_the_purposes_with_the_least_load_are_drawn_together(shop: Shop, meter: Meter) -> None:
    for number in range(15):
        with meter.purpose(f"job {number:02}"):
            for _ in range(20 - number):
                shop.put(Order(customer="ann", number=number))
    texts = _texts(_drawn(meter))
    assert [text for text in texts if text.startswith("job")] == [f"job {n:02}" for n in range(10)]
    assert "others" in texts
    assert sum(int(text[:-1]) for text in texts if text.endswith("%")) == pytest.approx(100, abs=6)


def test_everything_is_inside_the_picture(shop: Shop, meter: Meter, clock: Clock) -> None:
    for number in range(40):
        shop.put(Order(customer=f"{number}<&>\x01" * (1 + number % 9), number=number))
        clock.now += number
    root = _drawn(meter)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.iter(f"{SVG}rect"):
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= width
        assert float(box.attrib["y"]) + float(box.attrib["height"]) <= height
    for text in root.iter(f"{SVG}text"):
        assert float(text.attrib["x"]) + len(text.text or "") * CHAR <= width
        assert float(text.attrib["y"]) <= height


def test_so_many_keys_are_drawn_as_are_wanted(shop: Shop, meter: Meter) -> None:
    for number in range(40):
        shop.put(Order(customer=f"{number}", number=number))
    assert heat_map(meter).count("CUSTOMER#") == 25 * 2
    assert heat_map(meter, 3).count("CUSTOMER#") == 3 * 2


def test_of_nothing_there_are_the_names_alone() -> None:
    assert _texts(_drawn(Meter())) == ["Partition key", "Where"]
