"""What is ignored is there."""

from typing import ClassVar

from singletable import Entity, Get, Scan, Store, Table, pattern

table = Table("cars")


class Car(Entity, table=table, pk="CAR#{car_id}", sk="CAR"):
    """A car."""

    car_id: str


class Cars(Store, table=table):
    """The patterns of the cars."""

    ignored: ClassVar = {"F502": {"cars": "the nightly export"}}

    @pattern()
    def car(self, car_id: str) -> Get[Car]:
        """A car."""
        return Car.get(car_id=car_id)

    @pattern(page=100)
    def cars(self) -> Scan[Car]:
        """All cars."""
        return Car.scan()
