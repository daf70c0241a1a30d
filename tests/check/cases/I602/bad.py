"""The place is misspelt, and another fault was mended."""

from typing import ClassVar

from singletable import Entity, Get, Scan, Store, Table, pattern

table = Table("cars")


class Car(Entity, table=table, pk="CAR#{car_id}", sk="CAR"):
    """A car."""

    car_id: str


class Cars(Store, table=table):
    """The patterns of the cars."""

    ignored: ClassVar = {
        "F502": {"all_cars": "the nightly export"},
        "K203": {"Car": "there are nine cars at most"},
        "X999": {"Car": "a rule that never was"},
    }

    @pattern()
    def car(self, car_id: str) -> Get[Car]:
        """A car."""
        return Car.get(car_id=car_id)

    @pattern(page=100)
    def cars(self) -> Scan[Car]:
        """All cars."""
        return Car.scan()
