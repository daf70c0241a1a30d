"""The cars of a dealer are a partition."""

from singletable import Entity, Query, Store, Table, pattern

table = Table("cars")


class Car(Entity, table=table, pk="DEALER#{dealer_id}", sk="CAR#{car_id}"):
    """A car."""

    dealer_id: str
    car_id: str


class Cars(Store, table=table):
    """The patterns of the cars."""

    @pattern(page=100)
    def cars(self, dealer_id: str) -> Query[Car]:
        """The cars of a dealer."""
        return Car.query(dealer_id=dealer_id)
