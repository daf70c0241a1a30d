"""A table that is only ever scanned."""

from singletable import Entity, Scan, Store, Table, pattern

table = Table("cars")


class Car(Entity, table=table, pk="CAR#{car_id}", sk="CAR"):
    """A car."""

    car_id: str


class Cars(Store, table=table):
    """The patterns of the cars."""

    @pattern(page=100)
    def cars(self) -> Scan[Car]:
        """All cars."""
        return Car.scan()
